import { linkedController, onAbort } from './abort.ts'
import type { Clock } from './clock.ts'
import type { ErrorRecord, TurnloopErrorCode } from './errors.ts'
import type { Model, ModelEvent, ModelRequest } from './model.ts'
import { callModel, type ModelCallOptions, type ModelReply } from './model-step.ts'

/** How often a model call is tried, and how long it waits in between. */
export interface RetryOptions {
  /** Tries of one model, the first included. Default 1: a failure is told at once. */
  readonly attempts?: number
  /** The first pause; each further one is twice as long. Default 500. */
  readonly baseDelayMs?: number
  /** The longest pause. A server that asks for a longer one is not asked again. Default 30,000. */
  readonly maxDelayMs?: number
}

/** How long a model call may take; an absent limit is none. */
export interface ModelTimeouts {
  /** From asking to the first piece of an answer. */
  readonly firstTokenMs?: number
  /** Between two pieces of it. */
  readonly idleMs?: number
  /** One model call, all its tries together. */
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
 * Each new try is announced by a `retry` event that names the discarded reply, and starts a reply with a new id; nothing
 * of a failed try is kept but the last one's text. Waits as long as a server asks for. Never rejects; abort ends it at
 * once with what the running try has. Source: the turn guide, "When the model fails".
 */
export async function askModel(request: ModelRequest, options: AskOptions): Promise<ModelReply> {
  const { clock, timeouts, signal } = options
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
  const { models, retry } = options
  const attempts = retry.attempts ?? 1
  let { messageId } = options
  let [model] = models
  let others = models.slice(1)
  for (let attempt = 1; ; attempt += 1) {
    const reply = await tryOnce(model, request, { ...options, messageId })
    if (reply.error === undefined || options.signal.aborted) return reply
    const delayMs = attempt < attempts ? pauseBefore(attempt, reply.error, retry) : undefined
    if (delayMs === undefined) {
      const [next, ...rest] = others
      if (next === undefined) return reply
      model = next
      others = rest
      attempt = 0
    }
    options.emit({ type: 'retry', reason: reply.error.message, delayMs: delayMs ?? 0, discarded: messageId })
    if (await pause(delayMs ?? 0, options)) return reply
    messageId = crypto.randomUUID()
    options.emit({ type: 'model-started', messageId, modelId: model.modelId })
  }
}

/** One try, with its own time limits. */
async function tryOnce(model: Model, request: ModelRequest, options: AskOptions): Promise<ModelReply> {
  const { clock, timeouts, signal } = options
  const { controller, unlink } = linkedController(signal)
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
  if (signal.reason === STEP_LIMIT) hit = { limit: 'stepMs', ms: timeouts.stepMs ?? 0 }
  return hit === undefined ? reply : timedOut(reply, hit, model)
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

/** The same model, with a call for every piece of its answer; that the server has taken the request is none. */
function watched(model: Model, onPiece: () => void): Model {
  return {
    provider: model.provider,
    modelId: model.modelId,
    stream(request, options) {
      const stream = model.stream(request, options)[Symbol.asyncIterator]()
      const next = async (): Promise<IteratorResult<ModelEvent>> => {
        const event = await stream.next()
        if (!event.done && event.value.type !== 'started' && event.value.type !== 'warning') onPiece()
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
  const { isRetryable, retryAfterMs } = error.facts ?? {}
  if (isRetryable === false || (isRetryable !== true && !MAY_PASS.has(error.code))) return undefined
  const longest = retry.maxDelayMs ?? 30_000
  const wished = typeof retryAfterMs === 'number' ? retryAfterMs : (retry.baseDelayMs ?? 500) * 2 ** (attempt - 1)
  return wished > longest && typeof retryAfterMs === 'number' ? undefined : Math.min(wished, longest)
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
