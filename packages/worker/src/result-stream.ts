import { STREAM_WINDOW } from './protocol.ts'

/** How a stream reaches its worker. */
export interface StreamEnds {
  /** That many more chunks have been read. */
  readonly ack: (count: number) => void
  /** Nobody reads on. */
  readonly leave: () => void
}

/**
 * A streamed result as the page reads it: chunks in order, then the end or the failure.
 *
 * A chunk is acknowledged when it is taken, so a reader that pauses makes the tool pause. Leaving early asks the tool to stop.
 */
export class ResultStream implements AsyncIterableIterator<unknown> {
  readonly #ends: StreamEnds
  readonly #chunks: unknown[] = []
  readonly #readers: { resolve(step: IteratorResult<unknown>): void; reject(error: unknown): void }[] = []
  #closed: { readonly error?: unknown } | undefined
  #unacknowledged = 0

  constructor(ends: StreamEnds) {
    this.#ends = ends
  }

  /** A chunk has come. */
  push(value: unknown): void {
    if (this.#closed) return
    const reader = this.#readers.shift()
    if (!reader) this.#chunks.push(value)
    else reader.resolve(this.#take(value))
  }

  /** No more chunks come; with `error` because it failed. Chunks that came before are read first. */
  close(failure: { readonly error?: unknown } = {}): void {
    this.#closed ??= failure
    for (const { resolve, reject } of this.#readers.splice(0)) {
      if ('error' in failure) reject(failure.error)
      else resolve(DONE)
    }
  }

  async next(): Promise<IteratorResult<unknown>> {
    if (this.#chunks.length > 0) return this.#take(this.#chunks.shift())
    const closed = this.#closed
    if (!closed) return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }))
    // Thrown once, as a generator would.
    this.#closed = {}
    if ('error' in closed) throw closed.error
    return DONE
  }

  async return(): Promise<IteratorResult<unknown>> {
    if (!this.#closed) this.#ends.leave()
    this.#chunks.length = 0
    this.close()
    return DONE
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #take(value: unknown): IteratorResult<unknown> {
    this.#unacknowledged += 1
    // In halves of the window: one message for several chunks, and the worker never runs dry.
    if (this.#unacknowledged >= STREAM_WINDOW / 2 && !this.#closed) {
      this.#ends.ack(this.#unacknowledged)
      this.#unacknowledged = 0
    }
    return { done: false, value }
  }
}

const DONE: IteratorResult<unknown> = { done: true, value: undefined }
