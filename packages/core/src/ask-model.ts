import { linkedController, onAbort } from './abort.ts'
import type { Clock } from './clock.ts'
import type { ErrorRecord, TurnloopErrorCode } from './errors.ts'
import type { LiveEventBody } from './events.ts'
import type { Model, ModelEvent, ModelRequest } from './model.ts'
import { callModel, isPiece, type ModelCallOptions, type ModelReply } from './model-step.ts'
import { randomId } from './random-id.ts'
import { addUsage, type Usage } from './usage.ts'

/**
 * How often a model call is tried, and how long it waits in between.
 *
 * The pauses have no jitter: people do not press Send in step, so pages that were refused together do not come back
 * together.
 */
export interface RetryOptions {
  /** Tries of one model, the first included. Default 3; 1: a failure is told at once. */
  readonly attempts?: number
  /**
   * Also start anew, or with the next model, when a reply breaks that had begun to arrive: what there was of it is
   * dropped, shown text included. Default `false`: it ends the turn, and what had arrived is kept.
   */
  readonly restart?: boolean
  /** The first pause; each further one is twice as long. Default 500. */
  readonly baseDelayMs?: number
  /** The longest pause. A server that asks for a longer one is not asked again. Default 30,000. */
  readonly maxDelayMs?: number
}

/** How long a model call may take; an absent limit is none. */
export interface ModelTimeouts {
  /** From asking to the first piece of an answer. */
  readonly firstTokenMs?: number
  /** Between two pieces of it, or signs of life. */
  readonly idleMs?: number
  /** One model call, all its tries and pauses together. */
  readonly stepMs?: number
}

/** Which limit a model call ran into. */
export interface TimedOut {
  readonly limit: keyof ModelTimeouts
  readonly ms: number
}

/** What asking needs beside the request. */
export interface AskOptions extends ModelCallOptions {
  readonly clock: Clock
  /** Asked in order: the next one only when the one before has failed for good. */
  readonly models: readonly [Model, ...Model[]]
  readonly retry: RetryOptions
  readonly timeouts: ModelTimeouts
}

/**
 * Ask until some model has answered: again where the failure may pass, then the next model.
 *
 * A reply that had begun to arrive is not tried again unless `retry.restart` says so. Each new try is announced by a
 * `retry` event that names the discarded reply, and starts a reply with a new id; of a failed try nothing is kept but
 * its usage, and the text of the last one. Waits at least as long as a server asks for. Never rejects; abort ends it at once
 * with what the running try has. Source: the turn guide, "When the model fails".
 */
export async function askModel(request: ModelRequest, options: AskOptions): Promise<ModelReply> {
  const { clock, timeouts, signal } = options
  if (timeouts.stepMs === undefined) return askInTurn(request, options)
  const step = linkedController(signal)
  const stopTimer = limit(timeouts.stepMs, clock, () => step.controller.abort(STEP_LIMIT))
  try {
    return await askInTurn(request, { ...options, signal: step.controller.signal })
  } finally {
    stopTimer()
    step.unlink()
  }
}

async function askInTurn(request: ModelRequest, options: AskOptions): Promise<ModelReply> {
  const { clock, models, retry, signal, timeouts } = options
  const endsAt = clock.now() + (timeouts.stepMs ?? Number.POSITIVE_INFINITY)
  let { messageId } = options
  let [model] = models
  let others = models.slice(1)
  let discardedUsage: Usage | undefined
  for (let attempt = 1; ; attempt += 1) {
    const tried = await tryOnce(model, request, messageId === options.messageId ? options : { ...options, messageId })
    const { hasBegun } = tried
    const reply = discardedUsage === undefined ? tried.reply : { ...tried.reply, discardedUsage }
    if (reply.error === undefined || signal.aborted || (hasBegun && retry.restart !== true)) return reply
    let delayMs = pauseBefore(attempt, reply.error, retry)
    if (delayMs === undefined || clock.now() + delayMs >= endsAt) {
      const [next, ...rest] = others
      if (next === undefined) return reply
      model = next
      others = rest
      attempt = 0
      delayMs = 0
    }
    options.emit({ type: 'retry', reason: reply.error.message, delayMs, discarded: messageId })
    if (await pause(delayMs, options)) return reply
    if (reply.message.usage !== undefined) discardedUsage = addUsage(reply.message.usage, discardedUsage)
    messageId = randomId()
    options.emit({ type: 'model-started', messageId, modelId: model.modelId })
  }
}

/** One try, with its own time limits. `hasBegun`: some of its answer had arrived. */
async function tryOnce(
  model: Model,
  request: ModelRequest,
  options: AskOptions,
): Promise<{ readonly reply: ModelReply; readonly hasBegun: boolean }> {
  const { clock, timeouts, signal, messageId, ids } = options
  let hasBegun = false
  const emit = (body: LiveEventBody): void => {
    hasBegun ||= 'partIndex' in body
    options.emit(body)
  }
  const call = { messageId, ids, emit, clock, signal }
  const isLimited = timeouts.firstTokenMs !== undefined || timeouts.idleMs !== undefined
  const { reply, hit } = isLimited
    ? await callWithin(model, request, { timeouts, ...call })
    : { reply: await callModel(model, request, call), hit: undefined }
  hasBegun ||= reply.message.content.length > 0
  const stepHit = signal.reason === STEP_LIMIT ? ({ limit: 'stepMs', ms: timeouts.stepMs ?? 0 } as const) : hit
  return { reply: stepHit === undefined ? reply : timedOut(reply, stepHit, model), hasBegun }
}

/** Call a model within the limits on its first piece and on its silence; with the limit it ran into, if it did. */
async function callWithin(
  model: Model,
  request: ModelRequest,
  options: Parameters<typeof callModel>[2] & Pick<AskOptions, 'timeouts'>,
): Promise<{ readonly reply: ModelReply; readonly hit: TimedOut | undefined }> {
  const { clock, timeouts } = options
  const { controller, unlink } = linkedController(options.signal)
  let hit: TimedOut | undefined
  let stopTimer = (): void => {}
  const watch = (name: 'firstTokenMs' | 'idleMs'): void => {
    stopTimer()
    stopTimer = limit(timeouts[name], clock, () => {
      hit = { limit: name, ms: timeouts[name] ?? 0 }
      controller.abort(hit)
    })
  }
  watch('firstTokenMs')
  const lively = watched(model, () => watch('idleMs'))
  const reply = await callModel(lively, request, { ...options, signal: controller.signal })
  stopTimer()
  unlink()
  return { reply, hit }
}

const STEP_LIMIT: unique symbol = Symbol('step limit')

function timedOut(reply: ModelReply, hit: TimedOut, model: Model): ModelReply {
  const error: ErrorRecord = {
    name: 'ModelError',
    code: 'model-timed-out',
    message: `${model.modelId} (${model.provider}) took longer than ${hit.limit}: ${hit.ms} allows.`,
    facts: { provider: model.provider, modelId: model.modelId, ...hit },
  }
  return { message: { ...reply.message, stopReason: 'timeout' }, error }
}

/**
 * The same model, with a call for every piece of its answer, and for every sign of life after the first one. That the
 * server has taken the request is none, and before the first piece no sign of life puts that off.
 */
function watched(model: Model, onPiece: () => void): Model {
  return {
    provider: model.provider,
    modelId: model.modelId,
    stream(request, options) {
      const stream = model.stream(request, options)[Symbol.asyncIterator]()
      let hasPiece = false
      const next = async (): Promise<IteratorResult<ModelEvent>> => {
        const event = await stream.next()
        if (event.done) return event
        hasPiece ||= isPiece(event.value)
        if (hasPiece) onPiece()
        return event
      }
      const leave = async (): Promise<IteratorResult<ModelEvent>> => {
        await stream.return?.()
        return { done: true, value: undefined }
      }
      return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
    },
  }
}

function limit(ms: number | undefined, clock: Clock, onLimit: () => void): () => void {
  return ms === undefined ? () => {} : clock.setTimer(onLimit, ms)
}

const MAY_PASS: ReadonlySet<TurnloopErrorCode> = new Set<TurnloopErrorCode>([
  'model-unreachable',
  'model-rate-limited',
  'model-overloaded',
  'model-timed-out',
  'stream-cut',
])

/** How long to wait before trying again; `undefined` when that would not help. */
function pauseBefore(attempt: number, error: ErrorRecord, retry: RetryOptions): number | undefined {
  if (attempt >= (retry.attempts ?? 3)) return undefined
  const { isRetryable, retryAfterMs } = error.facts ?? {}
  if (isRetryable === false || (isRetryable !== true && !MAY_PASS.has(error.code))) return undefined
  const longest = retry.maxDelayMs ?? 30_000
  const own = Math.min((retry.baseDelayMs ?? 500) * 2 ** (attempt - 1), longest)
  // A date in a header is often past by the clock of the page.
  const asked = typeof retryAfterMs === 'number' ? retryAfterMs : 0
  return asked > longest ? undefined : Math.max(own, asked)
}

/** Wait; resolves early, with `true`, on abort. */
function pause(ms: number, options: { clock: Clock; signal: AbortSignal }): Promise<boolean> {
  return new Promise((resolve) => {
    let stopTimer = (): void => {}
    const stopListening = onAbort(options.signal, () => {
      stopTimer()
      resolve(true)
    })
    if (options.signal.aborted) return
    stopTimer = options.clock.setTimer(() => {
      stopListening()
      resolve(false)
    }, ms)
  })
}
