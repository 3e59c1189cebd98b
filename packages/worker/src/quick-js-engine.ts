import { ToolError } from '@turnloop/core'
import type { QuickJS } from 'quickjs-wasi'

/** Where `quickjs-wasi/quickjs.wasm` is: its URL, its bytes, or the compiled module. */
export type WasmSource = string | URL | BufferSource | WebAssembly.Module

/** QuickJS, ready to make machines. */
export interface QuickJsEngine {
  readonly QuickJS: typeof QuickJS
  /** The flag of `evalCode` that allows `await` at the top and makes a promise of the value. */
  readonly async: number
  readonly wasm: WebAssembly.Module
}

/** Load QuickJS. Throws `tool-failed`, saying what to install, to serve or to allow. */
export async function loadEngine(source: WasmSource): Promise<QuickJsEngine> {
  const [{ QuickJS, EvalFlags }, wasm] = await Promise.all([importQuickJs(), compile(source)])
  return { QuickJS, async: EvalFlags.ASYNC, wasm }
}

async function importQuickJs(): Promise<typeof import('quickjs-wasi')> {
  // What it frees it frees by `using`, as compiled for older browsers; WebKit has no name for that yet.
  if (!Reflect.has(Symbol, 'dispose')) Object.defineProperty(Symbol, 'dispose', { value: Symbol('Symbol.dispose') })
  try {
    return await import('quickjs-wasi')
  } catch (cause) {
    throw failed('the package quickjs-wasi did not load; install it beside @turnloop/worker', cause)
  }
}

async function compile(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source
  const bytes = typeof source === 'string' || source instanceof URL ? await fetchBytes(source) : source
  try {
    return await WebAssembly.compile(bytes)
  } catch (cause) {
    throw failed(`its WebAssembly was refused (${String(cause)}); a CSP has to allow 'wasm-unsafe-eval'`, cause)
  }
}

async function fetchBytes(url: string | URL): Promise<ArrayBuffer> {
  let problem: string
  let cause: unknown
  try {
    const response = await fetch(url)
    // Compiled when all is there: compiling a stream asks for a content type that many servers do not send.
    if (response.ok) return await response.arrayBuffer()
    problem = `HTTP ${response.status}`
  } catch (error) {
    problem = String(error)
    cause = error
  }
  throw failed(`${url} did not load (${problem}); serve quickjs-wasi/quickjs.wasm there`, cause)
}

function failed(problem: string, cause: unknown): ToolError {
  return new ToolError('tool-failed', `QuickJS cannot be used: ${problem}.`, { cause })
}
