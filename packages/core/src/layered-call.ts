import { CallPaused } from './approvals.ts'
import { TurnloopError } from './errors.ts'
import { canonicalJson, type JsonObject } from './json.ts'
import type { CallToolResult, ToolStatus } from './messages.ts'
import { textResult } from './result-text.ts'
import type { SettledCall } from './tool-call.ts'
import type { ReadyCall, RefusedCall } from './tool-plan.ts'
import { toCallToolResult, toErrorResult } from './tool-result.ts'
import type { AskedLayers, AskLayersOptions, CallEngine, CallNext, LayeredEnd, LayeredOptions } from './turn-hooks.ts'

/** Ask the layers about a call before people are asked: its arguments are checked, `before` has its say, then once more. */
async function askLayers(planned: ReadyCall, options: AskLayersOptions): Promise<AskedLayers> {
  const guarded = await askEach(planned, 'guard', options)
  if (!isReady(guarded)) return guarded
  const asked = await askEach(guarded, 'before', options)
  return isReady(asked) && asked !== guarded ? askEach(asked, 'guard', options) : asked
}

async function askEach(planned: ReadyCall, step: 'guard' | 'before', options: AskLayersOptions): Promise<AskedLayers> {
  let ready = planned
  for (const layer of options.layers) {
    const change = await layer[step]?.(ready, options.scope)
    if (change === undefined) continue
    if (!('input' in change)) return change
    const next = await options.replan(change.input)
    if (next.kind === 'refused') return next
    ready = withModelInput(next, ready)
  }
  return ready
}

function isReady(asked: AskedLayers): asked is ReadyCall {
  return 'kind' in asked && asked.kind === 'ready'
}

/** Run a call through its layers. Never rejects. */
async function runLayered(ready: ReadyCall, options: LayeredOptions): Promise<LayeredEnd> {
  const call = new LayeredCall(ready, options)
  const end = await call.run()
  return end === 'not-run' || end instanceof CallPaused ? end : checkResult(end, ready, options)
}

class LayeredCall {
  readonly #ready: ReadyCall
  readonly #options: LayeredOptions
  /** How the last run of the tool ended. */
  #last: SettledCall | 'not-run' | CallPaused | undefined
  /** What that looked like from outside. */
  #thrown: unknown
  /** Runs of the tool that have not ended. */
  #running = 0
  /** It has its result: whoever goes on later starts nothing. */
  #isOver = false

  constructor(ready: ReadyCall, options: LayeredOptions) {
    this.#ready = ready
    this.#options = options
  }

  async run(): Promise<LayeredEnd> {
    const { signal, maxResultBytes } = this.#options
    try {
      const value = await this.#around(0)()
      if (this.#isLast(value)) return this.#last ?? 'not-run'
      const result = await toCallToolResult(value, maxResultBytes)
      return { ...this.#times, status: result.isError ? 'error' : 'ok', result }
    } catch (error) {
      const last = this.#last
      if (last instanceof CallPaused) return last
      if (last !== undefined && (error === this.#thrown || signal.aborted)) return last
      if (signal.aborted && this.#running === 0) return 'not-run'
      // A hook that ran out of time leaves its tool behind: it may take effect yet.
      const status = this.#running > 0 ? 'unknown' : 'error'
      return { ...this.#times, status, result: await toErrorResult(error, maxResultBytes) }
    } finally {
      this.#isOver = true
    }
  }

  /** The layers from this one on, in the end the tool. */
  #around(index: number, input?: JsonObject, outer?: AbortSignal): CallNext {
    const layer = this.#options.layers[index]
    if (layer === undefined) return (given = input, within = outer) => this.#tool(given, within)
    const { around } = layer
    if (around === undefined) return this.#around(index + 1, input, outer)
    return async (given = input, within = outer) => {
      const ready = this.#ready
      const call = given === undefined ? ready : { ...ready, input: given, modelInput: ready.modelInput ?? ready.input }
      const scope = { ...this.#options.scope, ...(within && { within }) }
      const value = await around(call, this.#around(index + 1, given, within), scope)
      return this.#isLast(value) ? value : toCallToolResult(value, Number.POSITIVE_INFINITY)
    }
  }

  async #tool(input: JsonObject | undefined, within: AbortSignal | undefined): Promise<CallToolResult> {
    const { clock, run } = this.#options
    const scope = { ...this.#options.scope, ...(within && { within }) }
    const call = await finalCall(this.#ready, input, { ...this.#options, scope })
    if (!isReady(call)) {
      const { status, result } = 'kind' in call ? refusal(call) : call
      this.#last = { status, result, startedAt: clock.now(), durationMs: 0 }
      throw this.#throw(new TurnloopError('not-completed', textOf(result)))
    }
    if (this.#isOver || within?.aborted)
      throw new TurnloopError('not-completed', 'This call has its result. It was not run.')
    this.#running += 1
    const end = await run(call, within)
    this.#running -= 1
    this.#last = end
    if (end instanceof CallPaused) throw this.#throw(end)
    if (end === 'not-run') throw this.#throw(new TurnloopError('not-completed', 'This call was not run.'))
    if (end.threw !== undefined) throw this.#throw(end.threw.error)
    if (end.isStreamed) streamed.add(end.result)
    return end.result
  }

  #throw(error: unknown): unknown {
    this.#thrown = error
    return error
  }

  #isLast(value: unknown): value is CallToolResult {
    const last = this.#last
    return last !== undefined && last !== 'not-run' && !(last instanceof CallPaused) && last.result === value
  }

  get #times(): Partial<Pick<SettledCall, 'startedAt' | 'durationMs'>> {
    const last = this.#last
    if (last === undefined || last === 'not-run' || last instanceof CallPaused) return {}
    return { startedAt: last.startedAt, durationMs: last.durationMs }
  }
}

function refusal({ problem }: RefusedCall): Pick<SettledCall, 'status' | 'result'> {
  return { status: 'error', result: textResult(problem, true) }
}

/** The call as it runs in the end: other arguments are checked, and what a person allowed is checked once more. */
async function finalCall(
  ready: ReadyCall,
  input: JsonObject | undefined,
  { layers, scope, isDecided, replan }: LayeredOptions,
): Promise<AskedLayers> {
  const isOther = input !== undefined && input !== ready.input && !isSameInput(input, ready.input)
  if (!isOther && !isDecided) return ready
  const denied = { status: 'denied', result: textResult(CHANGED_TEXT, true) } as const
  if (isOther && isDecided) return denied
  const next = isOther ? await replan(input) : ready
  if (next.kind === 'refused') return next
  const call = isOther ? withModelInput(next, ready) : ready
  const guarded = await askEach(call, 'guard', { layers, scope, replan })
  return isDecided && guarded !== call && isReady(guarded) ? denied : guarded
}

function isSameInput(one: JsonObject, other: JsonObject): boolean {
  return canonicalJson(one) === canonicalJson(other)
}

/** Result guardrails, in order; what they make of it is what is recorded. Never rejects: what Stop cut them off from is kept back. */
async function checkResult<End extends { readonly status: ToolStatus; readonly result: CallToolResult }>(
  end: End,
  ready: ReadyCall,
  { layers, scope, signal }: Pick<LayeredOptions, 'layers' | 'scope' | 'signal'>,
): Promise<End> {
  // Anything else is in words of our own.
  if (end.status !== 'ok' && end.status !== 'error') return end
  const unchecked = textResult(UNCHECKED_TEXT, true)
  let { result } = end
  for (const { check } of layers)
    if (check !== undefined)
      result = signal.aborted ? unchecked : await check(ready, result, scope).catch(() => unchecked)
  if (result === end.result) return end
  return { ...end, result, status: end.status === 'ok' && result.isError ? 'error' : end.status }
}

const UNCHECKED_TEXT = 'This call ran. Its result is withheld: the turn was stopped before a check had passed it.'

/** The arguments that the model gave stay known, whatever becomes of them. */
function withModelInput(next: ReadyCall, { input, modelInput }: ReadyCall): ReadyCall {
  return { ...next, modelInput: modelInput ?? input }
}

const CHANGED_TEXT = 'This call was not run: its arguments were changed after a person had allowed others.'

const streamed = new WeakSet<CallToolResult>()

/** Whether a result was put together from a stream: it is not given again. */
export function isStreamed(result: CallToolResult): boolean {
  return streamed.has(result)
}

function textOf({ content }: CallToolResult): string {
  const [first] = content
  return first?.type === 'text' ? first.text : 'This call was not run.'
}

/** What brings layers to work. Each layer has it along, so that a page without hooks does not. */
export const CALL_ENGINE: CallEngine = Object.freeze({ ask: askLayers, run: runLayered, check: checkResult })
