/**
 * Lets one page at a time drive a session.
 *
 * A page that dies, or is thrown out of memory, has let go of everything; one that hangs has not.
 */
export interface SessionLock {
  /**
   * Have a session alone. Waits in line until it is free; `undefined` only with `ifFree`.
   *
   * Aborting while it waits rejects with the signal's reason. Rejects with `storage-unavailable` where nothing can be locked.
   */
  acquire(sessionId: string, options?: AcquireOptions): Promise<Lease | undefined>
  /**
   * This page never drives: somebody else, a worker say, does it for it.
   *
   * `acquire` then gives no lease. It sees to it that there is such a driver, and resolves with nothing: with `ifFree` once that
   * has the session open; without it when one has opened the session meanwhile, anew or in the place of another. It rejects
   * where there is none, or no longer.
   */
  readonly isElsewhere?: true
  /** Whether this page drives for another one that never does: `page` is what that is called in `SessionChannel.join`. */
  drivesFor?(page: string): boolean
}

/** How to get a session. */
export interface AcquireOptions {
  /** Do not wait: resolve with `undefined` where somebody has it. */
  readonly ifFree?: boolean
  /** Take it from whoever has it, before everybody who waits. */
  readonly steal?: boolean
  readonly signal?: AbortSignal
}

/** A session that this page has alone. */
export interface Lease {
  /** Resolves when it was taken away: stolen, or let go of because the page is frozen. Not after `release`. */
  readonly lost: Promise<void>
  /** Let the next one have it. Does nothing the second time, or after it was lost. */
  release(): void
}
