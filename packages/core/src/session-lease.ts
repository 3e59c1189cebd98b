import type { Clock } from './clock.ts'
import type { AcquireOptions, Lease, SessionLock } from './session-lock.ts'

/** How long a page waits before it steals once more: two pages must not take a session from each other in turns. */
const STEAL_PAUSE_MS = 30_000

/** What a page's lease on a session is made of. */
export interface SessionLeaseOptions {
  readonly sessionId: string
  readonly lock: SessionLock
  readonly clock: Clock
  /** It came, having been waited for or stolen. */
  onGranted(): void
  /** It was taken away. */
  onLost(): void
  /** Nothing can be locked here, and why; without an error: whoever drives for this page has begun anew. */
  onBroken(error: unknown): void
}

/** One page's hold on a session: waits for it, steals it, lets go of it. */
export class SessionLease {
  readonly #options: SessionLeaseOptions
  #lease: Lease | undefined
  #waiting: AbortController | undefined
  /** Counts how often it came and went. */
  term = 0
  #lastStealAt = Number.NEGATIVE_INFINITY
  #stopStealTimer: (() => void) | undefined

  constructor(options: SessionLeaseOptions) {
    this.#options = options
  }

  get isHeld(): boolean {
    return this.#lease !== undefined
  }

  /** Get in line, unless this page has it or waits already. */
  request(): void {
    if (this.#lease === undefined && this.#waiting === undefined) this.#acquire({})
  }

  /** Take it if nobody has it. Nobody is told when it came: the answer says so. */
  async tryNow(): Promise<boolean> {
    if (this.#lease !== undefined) return true
    try {
      const lease = await this.#options.lock.acquire(this.#options.sessionId, { ifFree: true })
      if (lease !== undefined) this.#hold(lease)
      return lease !== undefined
    } catch (error) {
      this.#options.onBroken(error)
      return false
    }
  }

  /** Take it from a page that does not answer, as soon as that is allowed again, if `isWanted` still says so then. */
  steal(isWanted: () => boolean): void {
    if (this.#lease !== undefined || this.#stopStealTimer !== undefined || !isWanted()) return
    const now = this.#options.clock.now()
    const pauseMs = this.#lastStealAt + STEAL_PAUSE_MS - now
    if (pauseMs > 0) {
      this.#stopStealTimer = this.#options.clock.setTimer(() => {
        this.#stopStealTimer = undefined
        this.steal(isWanted)
      }, pauseMs)
      return
    }
    this.#lastStealAt = now
    this.stopWaiting()
    this.#acquire({ steal: true })
  }

  /** Get out of the line. */
  stopWaiting(): void {
    this.#waiting?.abort()
    this.#waiting = undefined
    this.#stopStealTimer?.()
    this.#stopStealTimer = undefined
  }

  release(): void {
    const lease = this.#lease
    this.#lease = undefined
    this.term += 1
    lease?.release()
  }

  #acquire(how: AcquireOptions): void {
    const waiting = new AbortController()
    this.#waiting = waiting
    const { lock, sessionId, onGranted, onBroken } = this.#options
    lock.acquire(sessionId, { ...how, signal: waiting.signal }).then(
      (lease) => {
        // Given up in the moment in which it came.
        if (waiting.signal.aborted) {
          lease?.release()
          return
        }
        this.#waiting = undefined
        if (lease === undefined) {
          onBroken(undefined)
          return
        }
        this.#hold(lease)
        onGranted()
      },
      (error: unknown) => {
        if (waiting.signal.aborted) return
        this.#waiting = undefined
        onBroken(error)
      },
    )
  }

  #hold(lease: Lease): void {
    this.stopWaiting()
    this.#lease = lease
    this.term += 1
    // Owned here: a lock that fails to tell keeps the lease.
    lease.lost
      .then(() => {
        if (this.#lease !== lease) return
        this.#lease = undefined
        this.term += 1
        this.#options.onLost()
      })
      .catch(() => {})
  }
}
