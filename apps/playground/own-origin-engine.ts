import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** The file that stands for the engine's worker; with `?worker` alone, it is the start of that. */
const WORKER = /\/gguf\/engine-worker\.js(\?worker_file.*)?$/
const START = fileURLToPath(new URL('./src/model/gguf/start-engine-worker.ts', import.meta.url))

/** How the engine starts its worker: by a `blob:` address, which a strict content security policy refuses. */
const BY_BLOB = 'createWorker(completeCode)'
const BY_FILE = 'startEngineWorker({ ...runOptions, noWebGPU: this.resources.noWebGPU === true })'

/**
 * Let the engine for GGUF files (wllama) run under a policy with `worker-src 'self'`.
 *
 * It writes the code of its worker together when it starts it. Here that is done when the page is built, so that the worker
 * is a file of the page's own. Throws, and with it the build, where the engine is no longer made as this expects.
 */
export function ownOriginEngine(): Plugin {
  return {
    ...engineCode(),
    name: 'turnloop-own-origin-engine',
    config: () => ({
      // What is bundled beforehand is not transformed.
      optimizeDeps: { exclude: ['@wllama/wllama'] },
      worker: { plugins: () => [engineCode()] },
    }),
    transform(code, id) {
      if (!/@wllama\/wllama\/esm\/index\.js(\?|$)/.test(id)) return undefined
      if (code.split(BY_BLOB).length !== 2) throw changed(`"${BY_BLOB}" does not stand once in ${id}`)
      return {
        code: `import { startEngineWorker } from ${JSON.stringify(START)};\n${code.replace(BY_BLOB, BY_FILE)}`,
        map: null,
      }
    },
  }
}

/** The code of the engine's worker, in place of the file that stands for it. */
function engineCode(): Plugin {
  return {
    name: 'turnloop-engine-code',
    enforce: 'pre',
    load: (id) => (WORKER.test(id) ? workerCode() : undefined),
  }
}

function workerCode(): string {
  const source = readFileSync(createRequire(import.meta.url).resolve(GENERATED), 'utf8')
  const runtime = read(source, 'WLLAMA_EMSCRIPTEN_CODE').replace('var Module', 'var ___Module')
  return [
    'const RUN_OPTIONS = JSON.parse(self.name)',
    BEFORE,
    `function wModuleInit() { ${runtime}; return Module }`,
    read(source, 'LLAMA_CPP_WORKER_CODE'),
  ].join(';\n')
}

const GENERATED = '@wllama/wllama/src/workers-code/generated.ts'

function read(source: string, name: string): string {
  const literal = new RegExp(`export const ${name} =\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(source)?.[1]
  if (literal === undefined) throw changed(`${GENERATED} has no "${name}"`)
  return JSON.parse(literal)
}

function changed(what: string): Error {
  return new Error(`The GGUF engine has changed: ${what}. See apps/playground/own-origin-engine.ts.`)
}

/** What the engine does before its runtime: no graphics card where none is wanted, and stand-ins for JSPI where there is none. */
const BEFORE = `
if (RUN_OPTIONS.noWebGPU) {
  Object.defineProperty(WorkerNavigator.prototype, 'gpu', { get: () => ({ requestAdapter: async () => null }) })
}
if (WebAssembly.Suspending === undefined) {
  WebAssembly.Suspending = function (run) { return run }
  WebAssembly.promising = (run) => async (...args) => run(...args)
}`
