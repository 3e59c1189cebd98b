import { type AcquireOptions, StorageError } from '@turnloop/core'

/** One session at a host: the pages of it that are shown here, and who waits for what becomes of it. */
interface Seat {
  readonly pages: Set<string>
  /** Those of which the host has not said yet that it has the session open. */
  readonly opening: Set<string>
  readonly waiting: Set<Waiter>
}

interface Waiter {
  resolve(value: undefined): void
  reject(error: unknown): void
}

/** A session, and what this page calls itself in it. */
export type Place = readonly [sessionId: string, page: string]

/** What a page has open at its host. */
export class HostSeats {
  readonly #seats = new Map<string, Seat>()

  /** Each page of each session. */
  all(): readonly Place[] {
    return [...this.#seats].flatMap(([sessionId, { pages }]) => placesOf(sessionId, pages))
  }

  /** The pages of a session of which the host has not said that it has it open. */
  unopened(sessionId: string): readonly Place[] {
    return placesOf(sessionId, this.#seats.get(sessionId)?.opening ?? new Set())
  }

  add(sessionId: string, page: string): void {
    const seat = this.#seats.get(sessionId) ?? { pages: new Set(), opening: new Set(), waiting: new Set() }
    this.#seats.set(sessionId, seat)
    seat.pages.add(page)
    seat.opening.add(page)
  }

  remove(sessionId: string, page: string): void {
    const seat = this.#seats.get(sessionId)
    seat?.pages.delete(page)
    if (seat?.pages.size === 0) this.#seats.delete(sessionId)
  }

  /** The host is gone: a new one has to open everything anew. */
  reopen(): void {
    for (const { pages, opening } of this.#seats.values()) for (const page of pages) opening.add(page)
  }

  /** The host has the session open for a page. */
  noteOpened(sessionId: string, page: string): void {
    const seat = this.#seats.get(sessionId)
    if (seat?.opening.delete(page) && seat.opening.size === 0) this.#settle(seat, ({ resolve }) => resolve(undefined))
  }

  /** What waits for this session, or for any, waits in vain. */
  fail(error: unknown, sessionId?: string): void {
    for (const [id, seat] of this.#seats)
      if (sessionId === undefined || id === sessionId) this.#settle(seat, ({ reject }) => reject(error))
  }

  /** Wait for a session as `SessionLock` says. */
  wait(sessionId: string, { ifFree, signal }: AcquireOptions): Promise<undefined> {
    const seat = this.#seats.get(sessionId)
    return new Promise((resolve, reject) => {
      if (seat === undefined) return reject(notOpen(sessionId))
      if (ifFree && seat.opening.size === 0) return resolve(undefined)
      const waiter = { resolve, reject }
      seat.waiting.add(waiter)
      signal?.addEventListener('abort', () => {
        if (seat.waiting.delete(waiter)) reject(signal.reason)
      })
    })
  }

  #settle(seat: Seat, how: (waiter: Waiter) => void): void {
    const waiters = [...seat.waiting]
    seat.waiting.clear()
    for (const waiter of waiters) how(waiter)
  }
}

function notOpen(sessionId: string): StorageError {
  return new StorageError(
    'storage-unavailable',
    `Session ${sessionId} has no channel to its worker: it could not be joined.`,
  )
}

function placesOf(sessionId: string, pages: ReadonlySet<string>): readonly Place[] {
  return [...pages].map((page) => [sessionId, page])
}
