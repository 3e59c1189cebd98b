import type { ModelEvent } from '@turnloop/core'
import type { StreamPart } from './spec-versions.ts'

/** Where the events of one reply come from. */
export interface EventSource {
  /** Ask the model. Called once, when the first event is wanted. */
  open(signal: AbortSignal): Promise<ReadableStream<StreamPart>>
  read(part: StreamPart): readonly ModelEvent[]
  /** The stream ended without a finish. May throw. */
  atEnd(): void
  /** Turn anything thrown by the above, or by the stream, into what the reader throws. */
  toError(thrown: unknown): unknown
}

/** How long a server may take to close its stream after the finish before we do. */
const LINGER_MS = 1_000

/**
 * Reads one reply: an iterator that asks when it is first asked, reads a part when an event is wanted, and ends after
 * `finish`.
 *
 * Aborting and `return()` end it at once, whatever the stream is doing: a pending `next()` resolves as done and the
 * connection is closed. Written by hand since a generator stuck in a read answers neither.
 */
export class EventReader implements AsyncIterableIterator<ModelEvent> {
  readonly #source: EventSource
  readonly #host: AbortSignal
  readonly #controller = new AbortController()
  #ready: ModelEvent[] = []
  #reader: ReadableStreamDefaultReader<StreamPart> | undefined
  #waiting: Promise<IteratorResult<ModelEvent>> | undefined
  #resolve: ((result: IteratorResult<ModelEvent>) => void) | undefined
  #reject: ((error: unknown) => void) | undefined
  #state: 'new' | 'open' | 'ended' = 'new'

  constructor(source: EventSource, signal: AbortSignal) {
    this.#source = source
    this.#host = signal
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    // Overlapping calls are answered one after the other.
    if (this.#waiting !== undefined) return this.#waiting.then(this.#again, this.#again)
    const event = this.#ready.shift()
    if (event !== undefined) return Promise.resolve({ done: false, value: event })
    if (this.#state === 'new') this.#start()
    if (this.#state === 'ended') return Promise.resolve(DONE)
    this.#waiting = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    const promise = this.#waiting
    if (this.#reader === undefined) this.#open().then(this.#pull, this.#fail)
    else this.#pull()
    return promise
  }

  return(): Promise<IteratorResult<ModelEvent>> {
    this.#stop()
    return Promise.resolve(DONE)
  }

  readonly #again = (): Promise<IteratorResult<ModelEvent>> => this.next()

  readonly #stop = (): void => {
    this.#ready = []
    if (this.#state === 'ended') return
    this.#end()
    // The reader first: it closes the connection even where the signal is ignored.
    if (this.#reader !== undefined) cancelQuietly(this.#reader)
    this.#controller.abort(this.#host.reason)
  }

  #start(): void {
    this.#state = 'open'
    if (this.#host.aborted) this.#stop()
    else this.#host.addEventListener('abort', this.#stop, { once: true })
  }

  async #open(): Promise<void> {
    const stream = await this.#source.open(this.#controller.signal)
    // If it came too late, nobody reads it.
    if (this.#state === 'ended') cancelQuietly(stream)
    else this.#reader = stream.getReader()
  }

  readonly #pull = (): void => {
    this.#reader?.read().then(this.#take, this.#fail)
  }

  readonly #take = ({ done, value }: ReadableStreamReadResult<StreamPart>): void => {
    if (this.#state === 'ended') return
    try {
      if (!done) this.#hear(this.#source.read(value))
      else {
        this.#source.atEnd()
        this.#end()
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  #hear([event, ...more]: readonly ModelEvent[]): void {
    if (event === undefined) {
      this.#pull()
      return
    }
    this.#ready = more
    if ((more.at(-1) ?? event).type === 'finish') this.#letClose()
    this.#settle()?.({ done: false, value: event })
  }

  readonly #fail = (thrown: unknown): void => {
    if (this.#state === 'ended') return
    const reject = this.#reject
    this.#settle()
    this.#stop()
    reject?.(this.#source.toError(thrown))
  }

  #end(): void {
    this.#close()
    this.#settle()?.(DONE)
  }

  /** Nobody waits any more, once what this returns is called. */
  #settle(): ((result: IteratorResult<ModelEvent>) => void) | undefined {
    const resolve = this.#resolve
    this.#waiting = undefined
    this.#resolve = undefined
    this.#reject = undefined
    return resolve
  }

  #close(): void {
    this.#state = 'ended'
    this.#host.removeEventListener('abort', this.#stop)
  }

  /** The reply is whole: let the server close, so that the connection can be used again, but do not wait for ever. */
  #letClose(): void {
    const reader = this.#reader
    this.#close()
    if (reader === undefined) return
    const timer = setTimeout(() => cancelQuietly(reader), LINGER_MS)
    const stopTimer = (): void => clearTimeout(timer)
    drain(reader).then(stopTimer, stopTimer)
  }
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done) {}
}

function cancelQuietly(stream: { cancel(): Promise<void> }): void {
  stream.cancel().catch(() => {})
}
