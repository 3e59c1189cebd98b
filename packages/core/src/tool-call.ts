import { ABANDONED, leaveStream, linkedController, onAbort, settleWithin } from './abort.ts'
import { CallPaused } from './approvals.ts'
import { type Clock, LONGEST_DELAY_MS } from './clock.ts'
import { isTurnloopError, ToolError } from './errors.ts'
import type { LiveEventBody } from './events.ts'
import type { JsonObject } from './json.ts'
import { type CallToolResult, type Message, resultText, type ToolStatus } from './messages.ts'
import { stopTexts, textResult } from './result-text.ts'
import type { StateLook } from './state-draft.ts'
import { type ToolContext, timedOut } from './tool.ts'
import type { ReadyCall } from './tool-plan.ts'
import { toCallToolResult, toErrorResult, toProgressUpdate } from './tool-result.ts'

/** What the calls of a batch run with. */
export interface ToolCallOptions {
  /** The turn's signal. */
  readonly signal: AbortSignal
  readonly graceMs: number
  readonly clock: Clock
  readonly maxResultBytes: number
  /** The time limit of a tool that brings none. */
  readonly toolMs?: number
  readonly turnId: string
  readonly sessionId?: string
  readonly messages: readonly Message[]
  readonly metadata: JsonObject
  /** The session's state as it stands. */
  state(): JsonObject
  emit(body: LiveEventBody): void
}

/** What one call runs with. */
export interface OwnCallOptions {
  readonly idempotencyKey: string
  /** Handed on to the tool in its context. */
  readonly nested?: unknown
  /** The call's own look at the state. */
  readonly look: StateLook
  /** Aborts when the hooks around it no longer wait: it is told to stop, and has its grace time. */
  readonly within?: AbortSignal
  /** What the tool came back with after it had been given up. */
  onLate(settled: SettledCall): void
}

/** How a call ended. */
export interface SettledCall {
  readonly status: ToolStatus
  readonly result: CallToolResult
  readonly startedAt: number
  readonly durationMs: number
  /** What the tool threw, or what it was given up for. */
  readonly threw?: { readonly error: unknown }
  /** Put together from a stream. */
  readonly isStreamed?: true
}

/**
 * Run one call to its end, or until nobody waits any more.
 *
 * Never rejects, and settles at most `graceMs` after Stop or the tool's own time limit: what the tool throws is an
 * error result, one that throws because of Stop is `cancelled`, one that returns all the same has finished, and one that
 * does neither in time is given up as `unknown`. A tool that waits for people throws `CallPaused`, which comes back as it is.
 */
export async function runCall(
  ready: ReadyCall,
  options: ToolCallOptions,
  own: OwnCallOptions,
): Promise<SettledCall | CallPaused> {
  const { clock, signal, graceMs } = options
  const { name, timeoutMs = options.toolMs ?? Number.POSITIVE_INFINITY } = ready.tool
  const run: Run = { ready, options, own, timeoutMs, startedAt: clock.now(), isOpen: true, link: undefined }
  let limit = signal
  let stopTimer: (() => void) | undefined
  const { within } = own
  const hasLimit = timeoutMs <= LONGEST_DELAY_MS
  if (hasLimit || within !== undefined) limit = controllerOf(run).signal
  if (hasLimit) stopTimer = clock.setTimer(() => controllerOf(run).abort(timedOut(name, timeoutMs)), timeoutMs)
  const stopListening = within && onAbort(within, () => controllerOf(run).abort(within.reason))
  const running = execute(run)
  const end = await settleWithin(running, { signal: limit, graceMs, clock })
  run.isOpen = false
  stopTimer?.()
  stopListening?.()
  run.link?.unlink()
  // Also where Stop came in that moment: nothing of it is under way, and its own turn is yet to be ended.
  if (end !== ABANDONED && end.kind === 'threw' && end.error instanceof CallPaused) return end.error
  const by = stoppedBy(run)
  if (end !== ABANDONED) return describeEnd(run, end, by)
  running.then(async (late) => own.onLate(await describeEnd(run, late, 'nothing')))
  return describeEnd(run, { kind: 'abandoned' }, by)
}

/** One call on its way. */
interface Run {
  readonly ready: ReadyCall
  readonly options: ToolCallOptions
  readonly own: OwnCallOptions
  readonly timeoutMs: number
  readonly startedAt: number
  /** Somebody waits for it still. */
  isOpen: boolean
  link: ReturnType<typeof linkedController> | undefined
}

/** The call's own: made when it is wanted, since most tools never look at their signal. */
function controllerOf(run: Run): AbortController {
  run.link ??= linkedController(run.options.signal)
  return run.link.controller
}

type StoppedBy = 'nothing' | 'turn' | 'time-limit'

type Execution =
  | { readonly kind: 'returned'; readonly value: unknown; readonly isStreamed?: true }
  /** `soFar`: what a stream had given until then. */
  | { readonly kind: 'threw'; readonly error: unknown; readonly soFar?: unknown }

type CallEnd = Execution | { readonly kind: 'abandoned' }

function stoppedBy({ options, link }: Run): StoppedBy {
  if (options.signal.aborted) return 'turn'
  return link?.controller.signal.aborted ? 'time-limit' : 'nothing'
}

/** Call the tool. Never rejects: what it throws is a value here, so that a late one is nobody's unhandled rejection. */
async function execute(run: Run): Promise<Execution> {
  const { ready, options, own } = run
  const { callId } = ready.call
  const context: ToolContext = {
    callId,
    get signal() {
      return controllerOf(run).signal
    },
    idempotencyKey: own.idempotencyKey,
    get messages() {
      return options.messages
    },
    turnId: options.turnId,
    metadata: options.metadata,
    get state() {
      return own.look.draft
    },
    set state(whole) {
      own.look.draft = whole
    },
    ...(options.sessionId !== undefined && { sessionId: options.sessionId }),
    ...(own.nested !== undefined && { nested: own.nested }),
    progress: (update) => {
      if (run.isOpen) options.emit({ type: 'tool-progress', callId, update: toProgressUpdate(update) })
    },
  }
  try {
    const value = await ready.tool.execute(ready.value, context)
    return isAsyncIterable(value) ? await drain(value, context) : { kind: 'returned', value }
  } catch (error) {
    return { kind: 'threw', error }
  }
}

/** Read a streaming tool to its end: chunks are progress, and all text joined, or the last value, is the result. */
async function drain(stream: AsyncIterable<unknown>, context: ToolContext): Promise<Execution> {
  const iterator = stream[Symbol.asyncIterator]()
  let text = ''
  let last: unknown
  let isText = true
  const soFar = (): unknown => (isText ? text : last)
  try {
    for (;;) {
      const next = await iterator.next()
      if (next.done) return { kind: 'returned', value: soFar(), isStreamed: true }
      last = next.value
      isText &&= typeof last === 'string'
      if (isText) text += String(last)
      context.progress(toProgressUpdate(isText ? text : last))
      if (context.signal.aborted) break
    }
  } catch (error) {
    return { kind: 'threw', error, soFar: soFar() }
  }
  leaveStream(iterator)
  return { kind: 'threw', error: context.signal.reason, soFar: soFar() }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

async function describeEnd(run: Run, end: CallEnd, by: StoppedBy): Promise<SettledCall> {
  const { startedAt } = run
  const { clock, maxResultBytes } = run.options
  const durationMs = Math.max(0, clock.now() - startedAt)
  if (end.kind === 'abandoned') {
    const result = givenUp(run, by)
    return {
      status: 'unknown',
      result,
      startedAt,
      durationMs,
      threw: { error: new ToolError('tool-failed', resultText(result)) },
    }
  }
  if (end.kind === 'threw') {
    const { error, ...told } = await describeThrow(run, end, by)
    return { ...told, startedAt, durationMs, threw: { error } }
  }
  const result = await toCallToolResult(end.value, maxResultBytes)
  // What came back before anybody gave up is real, also when Stop was pressed meanwhile: it did take effect.
  return {
    status: result.isError ? 'error' : 'ok',
    result,
    startedAt,
    durationMs,
    ...(end.isStreamed && { isStreamed: true }),
  }
}

async function describeThrow(
  { ready, options, timeoutMs }: Run,
  end: Extract<CallEnd, { kind: 'threw' }>,
  by: StoppedBy,
): Promise<{ status: ToolStatus; result: CallToolResult; error: unknown }> {
  const isInDoubt = isTurnloopError(end.error) && end.error.facts?.outcomeUnknown === true
  if (by === 'turn') {
    const texts = stopTexts(options.signal.reason)
    const { error } = end
    if (isInDoubt) return { status: 'unknown', result: textResult(texts.inDoubt, true), error }
    return { status: 'cancelled', result: textResult(texts.cancelled, true), error }
  }
  const error = by === 'time-limit' ? timedOut(ready.tool.name, timeoutMs) : end.error
  const result = await toErrorResult(error, options.maxResultBytes, end.soFar)
  return { status: isInDoubt ? 'unknown' : 'error', result, error }
}

function givenUp({ ready, options, timeoutMs }: Run, by: StoppedBy): CallToolResult {
  if (by === 'turn') return textResult(stopTexts(options.signal.reason).inDoubt, true)
  const { message } = timedOut(ready.tool.name, timeoutMs)
  return textResult(`${message} It did not stop either, and may or may not have taken effect.`, true)
}
