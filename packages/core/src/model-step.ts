import { leaveStream, onAbort, TurnTimeLimit } from './abort.ts'
import type { Clock } from './clock.ts'
import { type ErrorRecord, ModelError, toErrorRecord } from './errors.ts'
import type { LiveEventBody } from './events.ts'
import type { AssistantMessage } from './messages.ts'
import type { Model, ModelEvent, ModelRequest } from './model.ts'
import { type CallIds, ReplyBuilder } from './reply-builder.ts'
import type { StopReason } from './stop-reason.ts'
import type { Usage } from './usage.ts'
import { yieldToHost } from './yield-to-host.ts'

/** What a model call is given beside the request. */
export interface ModelCallOptions {
  readonly signal: AbortSignal
  emit(body: LiveEventBody): void
  /** The id the reply will have. */
  readonly messageId: string
  readonly ids: CallIds
}

/** One reply, whole or cut, and what broke it. */
export interface ModelReply {
  /** May have no content when nothing had arrived. */
  readonly message: AssistantMessage
  readonly error?: ErrorRecord
  /** What tries before this one have cost, as far as the provider said; it is not part of `message.usage`. */
  readonly discardedUsage?: Usage
}

/** How long deltas that are there already may be worked off without letting the host paint or take input. */
const BURST_MS = 8

/** An event that took so long to come most likely came by a task of the host, so the host has had its turn. */
const PAUSE_MS = 2

/** How long that may be assumed: a source that only calculates for so long between two events lets nobody have a turn. */
const LONGEST_MS = 48

/**
 * Ask a model once and fold its stream into one assistant message.
 *
 * Never rejects: what the model throws comes back as `error`, beside the part of the reply that had arrived. On abort it
 * resolves at once with what it has; the stream is told to stop, not waited for, and what it still says is ignored.
 */
export function callModel(
  model: Model,
  request: ModelRequest,
  options: ModelCallOptions & { clock: Clock },
): Promise<ModelReply> {
  const { signal, clock } = options
  const builder = new ReplyBuilder({ id: options.messageId, ids: options.ids, emit: options.emit })
  const createdAt = clock.now()
  let firstTokenAt: number | undefined
  const build = (cut?: StopReason): AssistantMessage => {
    const timing = {
      ...(firstTokenAt !== undefined && { firstTokenMs: firstTokenAt - createdAt }),
      totalMs: clock.now() - createdAt,
    }
    return builder.build({ createdAt, timing, ...(cut && { cut }) })
  }

  return new Promise((resolve) => {
    const stop = (): void => {
      resolve({ message: build(signal.reason instanceof TurnTimeLimit ? 'timeout' : 'cancelled') })
    }
    if (signal.aborted) return stop()
    const stopListening = onAbort(signal, stop)

    const onEvent = (event: ModelEvent): void => {
      if (firstTokenAt === undefined && isPiece(event)) firstTokenAt = clock.now()
      builder.add(event)
    }
    pump(model, request, { signal, clock, onEvent }).then(
      () => {
        stopListening()
        const error = builder.hasError ? builder.error : builder.hasFinished ? undefined : cutStream(model)
        resolve({ message: build(), ...(error !== undefined && { error: toErrorRecord(error, 'model-failed') }) })
      },
      (error: unknown) => {
        stopListening()
        builder.hasError = true
        resolve({ message: build(), error: toErrorRecord(error, 'model-failed') })
      },
    )
  })
}

/** Whether an event is part of an answer, and not only a sign that the server is there. */
export function isPiece({ type }: ModelEvent): boolean {
  return type !== 'started' && type !== 'warning' && type !== 'ping'
}

/** Read a model's stream to its end, detached from whoever waits: once aborted, it hears nothing more. */
async function pump(
  model: Model,
  request: ModelRequest,
  options: { signal: AbortSignal; clock: Clock; onEvent(event: ModelEvent): void },
): Promise<void> {
  const { signal, clock, onEvent } = options
  const stream = model.stream(request, { signal })[Symbol.asyncIterator]()
  // At once, not with its next event: a stream that is deaf to its signal may still close its connection.
  const stopListening = onAbort(signal, () => leaveStream(stream))
  try {
    let heardAt = clock.now()
    let burstStart = heardAt
    let yieldedAt = heardAt
    for (;;) {
      const next = await stream.next()
      if (signal.aborted || next.done) return
      const now = clock.now()
      if (now - heardAt >= PAUSE_MS) burstStart = now
      hear(next.value, stream, onEvent)
      heardAt = clock.now()
      if (heardAt - burstStart < BURST_MS && heardAt - yieldedAt < LONGEST_MS) continue
      await yieldToHost()
      heardAt = clock.now()
      burstStart = heardAt
      yieldedAt = heardAt
    }
  } finally {
    stopListening()
  }
}

/** An event that cannot be taken in ends the reading, and so the connection. */
function hear(event: ModelEvent, stream: AsyncIterator<ModelEvent>, onEvent: (event: ModelEvent) => void): void {
  try {
    onEvent(event)
  } catch (error) {
    leaveStream(stream)
    throw error
  }
}

function cutStream(model: Model): ModelError {
  return new ModelError(
    'stream-cut',
    `The answer of ${model.modelId} (${model.provider}) broke off before its end. What had arrived is kept; ask again to retry.`,
    { facts: { provider: model.provider, modelId: model.modelId } },
  )
}
