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

interface Waiter {
  readonly promise: Promise<IteratorResult<ModelEvent>>
  resolve(result: IteratorResult<ModelEvent>): void
  reject(error: unknown): void
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
  #waiter: Waiter | undefined
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
    if (this.#waiter !== undefined) return this.#waiter.promise.then(this.#again, this.#again)
    const event = this.#ready.shift()
    if (event !== undefined) return Promise.resolve({ done: false, value: event })
    if (this.#state === 'new') this.#start()
    if (this.#state === 'ended') return Promise.resolve(DONE)
    this.#waiter = createWaiter()
    const { promise } = this.#waiter
    this.#pull().catch((thrown: unknown) => this.#fail(thrown))
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

  async #pull(): Promise<void> {
    const reader = await this.#openOnce()
    if (reader === undefined) return
    while (this.#ready.length === 0) {
      const { done, value } = await reader.read()
      if (this.#state === 'ended') return
      if (done) {
        this.#source.atEnd()
        return this.#end()
      }
      this.#ready.push(...this.#source.read(value))
    }
    if (this.#ready.at(-1)?.type === 'finish') this.#letClose(reader)
    this.#deliver()
  }

  async #openOnce(): Promise<ReadableStreamDefaultReader<StreamPart> | undefined> {
    if (this.#reader !== undefined) return this.#reader
    const stream = await this.#source.open(this.#controller.signal)
    if (this.#state === 'ended') {
      // It came too late; nobody reads it.
      cancelQuietly(stream)
      return undefined
    }
    this.#reader = stream.getReader()
    return this.#reader
  }

  #deliver(): void {
    const event = this.#ready.shift()
    if (event === undefined) return
    this.#waiter?.resolve({ done: false, value: event })
    this.#waiter = undefined
  }

  #fail(thrown: unknown): void {
    if (this.#state === 'ended') return
    const waiter = this.#waiter
    this.#waiter = undefined
    this.#stop()
    waiter?.reject(this.#source.toError(thrown))
  }

  #end(): void {
    this.#close()
    this.#waiter?.resolve(DONE)
    this.#waiter = undefined
  }

  #close(): void {
    this.#state = 'ended'
    this.#host.removeEventListener('abort', this.#stop)
  }

  /** The reply is whole: let the server close, so that the connection can be used again, but do not wait for ever. */
  #letClose(reader: ReadableStreamDefaultReader<StreamPart>): void {
    this.#close()
    const timer = setTimeout(() => cancelQuietly(reader), LINGER_MS)
    const stopTimer = (): void => clearTimeout(timer)
    drain(reader).then(stopTimer, stopTimer)
  }
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

function createWaiter(): Waiter {
  let resolve: Waiter['resolve'] = () => {}
  let reject: Waiter['reject'] = () => {}
  const promise = new Promise<IteratorResult<ModelEvent>>((onResult, onError) => {
    resolve = onResult
    reject = onError
  })
  return { promise, resolve, reject }
}

async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done) {}
}

function cancelQuietly(stream: { cancel(): Promise<void> }): void {
  stream.cancel().catch(() => {})
}
