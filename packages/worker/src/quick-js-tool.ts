import { type JsonObject, type Tool, type ToolContext, ToolError, TurnloopError } from '@turnloop/core'
import { loadEngine, type QuickJsEngine, type WasmSource } from './quick-js-engine.ts'
import { runCode } from './quick-js-run.ts'

/** Options of `quickJsTool()`. */
export interface QuickJsOptions {
  /** The engine, `quickjs-wasi/quickjs.wasm`, as bundlers give it: fetched and compiled before the first call. */
  wasm: WasmSource
  /** Default `'run_javascript'`. */
  name?: string
  /** What the model is told, in place of our own text. */
  description?: string
  /** How long a piece of code may run. Default 2,000. */
  timeoutMs?: number
  /** How much memory it may use. Default 64 MB. */
  memoryBytes?: number
  /** How much of its console is kept. Default 10,000 characters. */
  maxConsoleChars?: number
}

/**
 * A tool that runs JavaScript which the model wrote, in a QuickJS compiled to WebAssembly. Serve it from a worker:
 *
 *     serveTools([quickJsTool({ wasm: wasmUrl })])
 *
 * The code sees ECMAScript and a `console`, and nothing else: no network, storage, DOM, timers or modules, and nothing of an
 * earlier call. Its last expression, or what it returns, comes back as JSON, with what it wrote to the console.
 *
 * Code that runs too long or takes too much memory is stopped, and the model is told. The few things of the engine that
 * cannot be stopped, such as multiplying gigantic numbers, are what the worker is for: `timeoutMs` of the tool is a second
 * longer, and `workerTools` ends a worker that does not keep to it. In the page itself nothing could.
 *
 * Needs the package `quickjs-wasi`, and `script-src 'wasm-unsafe-eval'` under a CSP. Throws `bad-option`.
 */
export function quickJsTool(options: QuickJsOptions): Tool {
  const limits = {
    timeoutMs: positive(options.timeoutMs, 2000, 'timeoutMs'),
    memoryBytes: positive(options.memoryBytes, 64e6, 'memoryBytes'),
    maxConsoleChars: positive(options.maxConsoleChars, 10_000, 'maxConsoleChars'),
  }
  if (!options.wasm) throw badOption('"wasm" must say where quickjs-wasi/quickjs.wasm is.')
  const { name = 'run_javascript', description = describe(limits) } = options
  let loading: Promise<QuickJsEngine> | undefined
  const engine = (): Promise<QuickJsEngine> => {
    loading ??= loadEngine(options.wasm).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return Object.freeze({
    name,
    description,
    inputSchema: INPUT,
    // Nothing of it outlives the call.
    effect: 'read',
    exclusive: false,
    timeoutMs: limits.timeoutMs + HARD_AFTER_MS,
    async check({ code }: JsonObject) {
      if (typeof code !== 'string') return { ok: false, problems: ['code: expected text'] }
      // Here, since a call's time counts from when it was checked. What fails is told by the call.
      await engine().catch(() => {})
      return { ok: true, value: code }
    },
    async execute(input: unknown, { progress }: ToolContext) {
      try {
        return await runCode(await engine(), String(input), { limits, onConsole: progress })
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        throw new ToolError(error.code, error.message, {
          cause: error.cause,
          facts: { ...error.facts, toolName: name },
        })
      }
    },
  } satisfies Tool)
}

/** How long after its own limit the code's worker is ended. */
const HARD_AFTER_MS = 1000

const INPUT: JsonObject = Object.freeze({
  type: 'object',
  properties: { code: { type: 'string', description: 'JavaScript. Its last expression is the result.' } },
  required: ['code'],
  additionalProperties: false,
})

function describe({ timeoutMs, memoryBytes }: { timeoutMs: number; memoryBytes: number }): string {
  return (
    'Run JavaScript in a sandbox and get the value of its last expression as JSON. Top-level await and console.log work. ' +
    'There is no network, storage, DOM, timer or module, and nothing is kept between calls. ' +
    `Limits: ${timeoutMs} ms, ${Math.floor(memoryBytes / 1e6)} MB.`
  )
}

function positive(value: number | undefined, fallback: number, option: string): number {
  if (value === undefined) return fallback
  if (value > 0 && value < 2 ** 31 - HARD_AFTER_MS) return value
  throw badOption(`"${option}" must be a positive number.`)
}

function badOption(problem: string): TurnloopError {
  return new TurnloopError('bad-option', `quickJsTool: ${problem}`)
}
