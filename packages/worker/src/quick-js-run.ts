import type { JsonValue } from '@turnloop/core'
import type { JSValueHandle, QuickJS } from 'quickjs-wasi'
import { ConsoleText } from './console-text.ts'
import type { QuickJsEngine } from './quick-js-engine.ts'
import { asStopped, type CodeLimits, readThrown, Stopped, toToolError } from './stopped-code.ts'

/** What became of a piece of code. */
export interface CodeResult {
  /** The value of its last expression, or what it returned; `null` where there was none. */
  readonly value: JsonValue
  /** What it wrote to the console, line by line. */
  readonly console?: string
  /** For the model: why there is no value. */
  readonly note?: string
}

/**
 * Run code in a QuickJS of its own, which is thrown away afterwards.
 *
 * Throws `ToolError` with what the code threw, `tool-timed-out` over the time limit, and `tool-failed` over the memory
 * limit or for a promise that nothing can settle; what was written to the console until then is part of the message.
 */
export async function runCode(
  engine: QuickJsEngine,
  code: string,
  options: { limits: CodeLimits; onConsole: (text: string) => void },
): Promise<CodeResult> {
  const { limits, onConsole } = options
  const written = new ConsoleText(limits.maxConsoleChars, onConsole)
  try {
    try {
      return await runOnce(engine, code, { limits, written })
    } catch (error) {
      // Models like to end with `return`, which only a function body may. Nothing has run yet, or nothing of it is left.
      if (!(error instanceof Stopped && error.isSyntax && /\breturn\b/.test(code))) throw error
      written.clear()
      return await runOnce(engine, `(async () => {${code}\n})()`, { limits, written })
    }
  } catch (error) {
    throw toToolError(error, { limits, written: written.text })
  }
}

interface RunOptions {
  readonly limits: CodeLimits
  readonly written: ConsoleText
}

async function runOnce(engine: QuickJsEngine, code: string, { limits, written }: RunOptions): Promise<CodeResult> {
  // From when the code runs: setting the machine up takes its own time, in WebKit above all.
  let deadline = Number.POSITIVE_INFINITY
  let isLate = false
  const vm = await engine.QuickJS.create({
    wasm: engine.wasm,
    memoryLimit: limits.memoryBytes,
    interruptHandler: () => {
      isLate ||= performance.now() > deadline
      return isLate
    },
  })
  try {
    const toJson = furnish(vm, written)
    deadline = performance.now() + limits.timeoutMs
    const value = await resultOf(vm, vm.evalCode(code, 'code.js', engine.async))
    return describe(vm.callFunction(toJson, vm.undefined, value), written)
  } catch (error) {
    throw isLate ? new Stopped('late') : asStopped(error)
  } finally {
    discard(vm)
  }
}

/** Give the machine a console, and get the function that turns a value into JSON, made before the code can change JSON. */
function furnish(vm: QuickJS, written: ConsoleText): JSValueHandle {
  const write = vm.newFunction('write', (text) => {
    // Asking a value that is no text for its text would run the code's own functions here.
    if (text?.isString) written.add(text.toString())
    return vm.undefined
  })
  return vm.callFunction(vm.evalCode(FURNISHING, 'console.js'), vm.undefined, write)
}

const FURNISHING = `(write) => {
  const { stringify } = JSON
  const plain = (key, value) => {
    if (typeof value === 'bigint') return String(value)
    if (value instanceof Map) return [...value]
    if (value instanceof Set) return [...value]
    if (value instanceof Error) return value.name + ': ' + value.message
    return value
  }
  const show = (value) => {
    if (typeof value === 'string') return value
    if (typeof value === 'function' || typeof value === 'symbol' || value instanceof Error) return String(value)
    try {
      return stringify(value, plain) ?? String(value)
    } catch {
      return String(value)
    }
  }
  const log = (...values) => write(values.map(show).join(' '))
  globalThis.console = { log, info: log, warn: log, error: log, debug: log }
  return (value) => stringify(value, plain)
}`

/** Run what the code left to do, and take the value out of the promise that the engine makes of it. */
async function resultOf(vm: QuickJS, promise: JSValueHandle): Promise<JSValueHandle> {
  vm.executePendingJobs()
  const value = (await settle(vm, promise)).getProp('value')
  // The engine wraps the last value and so does not wait for it, as where the code ends with a call of an async function.
  return value.isPromise ? settle(vm, value) : value
}

async function settle(vm: QuickJS, promise: JSValueHandle): Promise<JSValueHandle> {
  if (promise.promiseState === 0) throw new Stopped('pending')
  const settled = await vm.resolvePromise(promise)
  if ('error' in settled) throw new Stopped('threw', readThrown(settled.error))
  return settled.value
}

function describe(json: JSValueHandle, written: ConsoleText): CodeResult {
  const lines = written.text === '' ? {} : { console: written.text }
  // What has no JSON, such as a function.
  if (!json.isString) return { value: null, ...lines, ...(written.text === '' && { note: NO_VALUE }) }
  return { value: JSON.parse(json.toString()), ...lines }
}

const NO_VALUE = 'The code gave no value. End it with an expression, or return one.'

/** Free the machine. After an overflow of the stack it may not be able to do that itself; all of it is garbage anyway. */
function discard(vm: QuickJS): void {
  try {
    vm.dispose()
  } catch {
    // Its memory goes with it.
  }
}
