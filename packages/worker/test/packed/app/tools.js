import { tool } from '@turnloop/core'
import { quickJsTool } from '@turnloop/worker/sandbox'
import { serveTools } from '@turnloop/worker/serve'
import wasm from 'quickjs-wasi/quickjs.wasm?url'

serveTools([tool({ name: 'add', description: 'Adds two and three.', execute: () => 2 + 3 }), quickJsTool({ wasm })])
