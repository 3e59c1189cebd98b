import { quickJsTool } from '@turnloop/worker/sandbox'
import { serveTools } from '@turnloop/worker/serve'
import wasm from 'quickjs-wasi/quickjs.wasm?url'

// A worker of its own: code that has to be ended with its worker takes no query along.
serveTools([quickJsTool({ wasm, timeoutMs: 2000, memoryBytes: 64e6 })])
