import type { AcquireOptions, Lease, SessionLock } from '@turnloop/core'
import { type Deferred, deferred } from './deferred.ts'

/** A page, as far as locks go: it hears of what it gets, and loses, when it runs. */
export interface LockingPage {
  /** Run a callback in the page, as soon as it runs; never in one that is gone. */
  run(callback: () => void): void
}

interface Claim {
  readonly page: LockingPage
  readonly lost: Deferred<void>
}

interface Waiter {
  readonly page: LockingPage
  grant(): void
}

/** The locks of a few pages in one process. Who waits longest is next; who steals goes before everybody. */
export class MemoryLocks {
  readonly #holders = new Map<string, Claim>()
  readonly #lines = new Map<string, Waiter[]>()

  /** The lock of one page. */
  open(page: LockingPage): SessionLock {
    return { acquire: (sessionId, options = {}) => this.#acquire(page, sessionId, options) }
  }

  /** A page is gone: what it had is free, and it waits for nothing. */
  drop(page: LockingPage): void {
    for (const line of this.#lines.values()) {
      line.splice(0, line.length, ...line.filter((waiter) => waiter.page !== page))
    }
    this.#free(page, false)
  }

  /** Take from a page what it has, as a browser does that freezes it: it is told. */
  revoke(page: LockingPage): void {
    this.#free(page, true)
  }

  #acquire(page: LockingPage, sessionId: string, options: AcquireOptions): Promise<Lease | undefined> {
    const { ifFree = false, steal = false, signal } = options
    return new Promise((resolve, reject) => {
      const grant = (): void => {
        const lease = this.#take(sessionId, page)
        page.run(() => resolve(lease))
      }
      if (steal) this.#lose(sessionId, true)
      if (!this.#holders.has(sessionId)) grant()
      else if (ifFree) page.run(() => resolve(undefined))
      else this.#wait(sessionId, { page, grant }, { signal, reject })
    })
  }

  #wait(
    sessionId: string,
    waiter: Waiter,
    { signal, reject }: { signal: AbortSignal | undefined; reject(reason: unknown): void },
  ): void {
    const line = this.#lines.get(sessionId) ?? []
    this.#lines.set(sessionId, line)
    line.push(waiter)
    signal?.addEventListener('abort', () => {
      const at = line.indexOf(waiter)
      // Too late where it is on its way already: it comes, and is to be released.
      if (at < 0) return
      line.splice(at, 1)
      reject(signal.reason)
    })
  }

  #take(sessionId: string, page: LockingPage): Lease {
    const claim = { page, lost: deferred() }
    this.#holders.set(sessionId, claim)
    const release = (): void => {
      if (this.#holders.get(sessionId) !== claim) return
      this.#holders.delete(sessionId)
      this.#next(sessionId)
    }
    return { lost: claim.lost.promise, release }
  }

  #lose(sessionId: string, isTold: boolean): void {
    const claim = this.#holders.get(sessionId)
    this.#holders.delete(sessionId)
    if (isTold) claim?.page.run(claim.lost.resolve)
  }

  #next(sessionId: string): void {
    if (!this.#holders.has(sessionId)) this.#lines.get(sessionId)?.shift()?.grant()
  }

  #free(page: LockingPage, isTold: boolean): void {
    for (const [sessionId, claim] of [...this.#holders]) {
      if (claim.page !== page) continue
      this.#lose(sessionId, isTold)
      this.#next(sessionId)
    }
  }
}
