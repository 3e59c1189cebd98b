import { ABANDONED, leaveStream, linkedController, settleWithin } from './abort.ts'
import { type Clock, LONGEST_DELAY_MS } from './clock.ts'
import { isTurnloopError } from './errors.ts'
import type { LiveEventBody } from './events.ts'
import type { CallToolResult, Message, ToolStatus } from './messages.ts'
import { stopTexts, textResult } from './result-text.ts'
import { type ToolContext, timedOut } from './tool.ts'
import type { ReadyCall } from './tool-plan.ts'
import { toCallToolResult, toErrorResult, toProgressUpdate } from './tool-result.ts'

/** What running one call needs. */
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
  readonly idempotencyKey: string
  readonly messages: readonly Message[]
  /** Handed on to the tool in its context. */
  readonly nested?: unknown
  emit(body: LiveEventBody): void
  /** What the tool came back with after it had been given up. */
  onLate(settled: SettledCall): void
}

/** How a call ended. */
export interface SettledCall {
  readonly status: ToolStatus
  readonly result: CallToolResult
  readonly startedAt: number
  readonly durationMs: number
}

/**
 * Run one call to its end, or until nobody waits any more.
 *
 * Never rejects, and settles at most `graceMs` after Stop or the tool's own time limit: what the tool throws is an
 * error result, one that throws because of Stop is `cancelled`, one that returns all the same has finished, and one that
 * does neither in time is given up as `unknown`.
 */
export async function runCall(ready: ReadyCall, options: ToolCallOptions): Promise<SettledCall> {
  const { tool } = ready
  const { clock, signal, graceMs } = options
  const startedAt = clock.now()
  const { controller, unlink } = linkedController(signal)
  const { timeoutMs = options.toolMs ?? Number.POSITIVE_INFINITY } = tool
  const stopTimer =
    timeoutMs > LONGEST_DELAY_MS
      ? (): void => {}
      : clock.setTimer(() => controller.abort(timedOut(tool.name, timeoutMs)), timeoutMs)
  let isOpen = true
  const emit = (body: LiveEventBody): void => {
    if (isOpen) options.emit(body)
  }
  const settle = (end: CallEnd): Promise<SettledCall> =>
    describeEnd(end, { ...options, toolName: tool.name, timeoutMs, startedAt })

  const running = execute(ready, controller.signal, { ...options, emit })
  const end = await settleWithin(running, { signal: controller.signal, graceMs, clock })
  isOpen = false
  stopTimer()
  unlink()
  if (end !== ABANDONED) return settle({ ...end, stoppedBy: stoppedBy(signal, controller.signal) })
  running.then(async (late) => options.onLate(await settle({ ...late, stoppedBy: 'nothing' })))
  return settle({ kind: 'abandoned', stoppedBy: stoppedBy(signal, controller.signal) })
}

type StoppedBy = 'nothing' | 'turn' | 'time-limit'

type Execution =
  | { readonly kind: 'returned'; readonly value: unknown }
  /** `soFar`: what a stream had given until then. */
  | { readonly kind: 'threw'; readonly error: unknown; readonly soFar?: unknown }

type CallEnd = (Execution | { readonly kind: 'abandoned' }) & { readonly stoppedBy: StoppedBy }

function stoppedBy(turn: AbortSignal, call: AbortSignal): StoppedBy {
  if (turn.aborted) return 'turn'
  return call.aborted ? 'time-limit' : 'nothing'
}

/** Call the tool. Never rejects: what it throws is a value here, so that a late one is nobody's unhandled rejection. */
async function execute(ready: ReadyCall, signal: AbortSignal, options: ToolCallOptions): Promise<Execution> {
  const { callId } = ready.call
  const context: ToolContext = {
    callId,
    signal,
    idempotencyKey: options.idempotencyKey,
    messages: options.messages,
    turnId: options.turnId,
    ...(options.sessionId !== undefined && { sessionId: options.sessionId }),
    ...(options.nested !== undefined && { nested: options.nested }),
    progress: (update) => options.emit({ type: 'tool-progress', callId, update: toProgressUpdate(update) }),
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
      if (next.done) return { kind: 'returned', value: soFar() }
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

interface EndOptions extends ToolCallOptions {
  readonly toolName: string
  readonly timeoutMs: number
  readonly startedAt: number
}

async function describeEnd(end: CallEnd, options: EndOptions): Promise<SettledCall> {
  const { startedAt, clock, maxResultBytes } = options
  const timing = { startedAt, durationMs: Math.max(0, clock.now() - startedAt) }
  if (end.kind === 'abandoned') return { status: 'unknown', result: givenUp(end, options), ...timing }
  if (end.kind === 'threw') return { ...(await describeThrow(end, options)), ...timing }
  const result = await toCallToolResult(end.value, maxResultBytes)
  // What came back before anybody gave up is real, also when Stop was pressed meanwhile: it did take effect.
  return { status: result.isError ? 'error' : 'ok', result, ...timing }
}

async function describeThrow(
  end: Extract<CallEnd, { kind: 'threw' }>,
  { toolName, timeoutMs, signal, maxResultBytes }: EndOptions,
): Promise<{ status: ToolStatus; result: CallToolResult }> {
  const isInDoubt = isTurnloopError(end.error) && end.error.facts?.outcomeUnknown === true
  if (end.stoppedBy === 'turn') {
    const texts = stopTexts(signal.reason)
    if (isInDoubt) return { status: 'unknown', result: textResult(texts.inDoubt, true) }
    return { status: 'cancelled', result: textResult(texts.cancelled, true) }
  }
  const error = end.stoppedBy === 'time-limit' ? timedOut(toolName, timeoutMs) : end.error
  const result = await toErrorResult(error, maxResultBytes, end.soFar)
  return { status: isInDoubt ? 'unknown' : 'error', result }
}

function givenUp(end: CallEnd, { toolName, timeoutMs, signal }: EndOptions): CallToolResult {
  if (end.stoppedBy === 'turn') return textResult(stopTexts(signal.reason).inDoubt, true)
  const { message } = timedOut(toolName, timeoutMs)
  return textResult(`${message} It did not stop either, and may or may not have taken effect.`, true)
}
