import type { AcquireOptions, Lease, SessionLock } from '@turnloop/core'
import { type Deferred, deferred } from './deferred.ts'

/** The locks that pages in one process share, each through a lock of its own. */
export interface MemoryLocks {
  /** The lock of one page. */
  open(page: LockingPage): SessionLock
  /** A page is gone: what it had is free, and it waits for nothing. */
  drop(page: LockingPage): void
  /** Take from a page what it has, as a browser does that freezes it: it is told. */
  revoke(page: LockingPage): void
}

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

/** Create the locks of a few pages in one process. Who waits longest is next; who steals goes before everybody. */
export function memoryLocks(): MemoryLocks {
  const holders = new Map<string, Claim>()
  const lines = new Map<string, Waiter[]>()
  const lineOf = (sessionId: string): Waiter[] => {
    const line = lines.get(sessionId) ?? []
    lines.set(sessionId, line)
    return line
  }
  const next = (sessionId: string): void => {
    if (!holders.has(sessionId)) lineOf(sessionId).shift()?.grant()
  }
  const take = (sessionId: string, page: LockingPage): Lease => {
    const claim = { page, lost: deferred() }
    holders.set(sessionId, claim)
    const release = (): void => {
      if (holders.get(sessionId) !== claim) return
      holders.delete(sessionId)
      next(sessionId)
    }
    return { lost: claim.lost.promise, release }
  }
  const lose = (sessionId: string, isTold: boolean): void => {
    const claim = holders.get(sessionId)
    holders.delete(sessionId)
    if (isTold) claim?.page.run(claim.lost.resolve)
  }

  const acquire = (page: LockingPage, sessionId: string, options: AcquireOptions): Promise<Lease | undefined> => {
    const { ifFree = false, steal = false, signal } = options
    return new Promise((resolve, reject) => {
      const grant = (): void => {
        const lease = take(sessionId, page)
        page.run(() => resolve(lease))
      }
      if (steal) lose(sessionId, true)
      if (!holders.has(sessionId)) grant()
      else if (ifFree) page.run(() => resolve(undefined))
      else {
        const line = lineOf(sessionId)
        const waiter = { page, grant }
        line.push(waiter)
        signal?.addEventListener('abort', () => {
          const at = line.indexOf(waiter)
          // Too late where it is on its way already: it comes, and is to be released.
          if (at < 0) return
          line.splice(at, 1)
          reject(signal.reason)
        })
      }
    })
  }

  const free = (page: LockingPage, isTold: boolean): void => {
    for (const [sessionId, claim] of [...holders]) {
      if (claim.page !== page) continue
      lose(sessionId, isTold)
      next(sessionId)
    }
  }

  return {
    open: (page) => ({ acquire: (sessionId, options = {}) => acquire(page, sessionId, options) }),
    drop(page) {
      for (const line of lines.values()) line.splice(0, line.length, ...line.filter((waiter) => waiter.page !== page))
      free(page, false)
    },
    revoke: (page) => free(page, true),
  }
}
