import { type AcquireOptions, type Lease, type SessionLock, StorageError } from '@turnloop/core'
import { shareName } from './tab-channel.ts'

/**
 * Locks sessions by the Web Locks of the browser, across tabs and workers; `undefined` where there are none.
 *
 * A browser may freeze a hidden page without taking its locks. So, when that is announced, what is held is let go of, and
 * told as lost; what is waited for is waited for anew once the page goes on.
 */
export function tabLock(database: string): SessionLock | undefined {
  const locks = globalThis.navigator?.locks
  if (locks === undefined) return undefined
  const page = new PageLife()
  return {
    acquire: (sessionId, options = {}) => acquireIn({ locks, page, name: shareName(database, sessionId) }, options),
  }
}

interface Where {
  readonly locks: LockManager
  readonly page: PageLife
  readonly name: string
}

async function acquireIn(where: Where, options: AcquireOptions): Promise<Lease | undefined> {
  const { signal } = options
  for (;;) {
    await where.page.running()
    signal?.throwIfAborted()
    const attempt = new AbortController()
    const stop = (): void => attempt.abort(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    const leave = where.page.onFreeze(() => attempt.abort(FROZEN))
    try {
      return await request(where, options, attempt.signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (!attempt.signal.aborted) throw unavailable(where.name, error)
    } finally {
      leave()
      signal?.removeEventListener('abort', stop)
    }
  }
}

const FROZEN = 'the page was frozen'

/** Ask for the lock. A request that steals, or does not wait, cannot be taken back. */
function request(where: Where, options: AcquireOptions, signal: AbortSignal): Promise<Lease | undefined> {
  const { ifFree = false, steal = false } = options
  const mode = steal ? { steal } : ifFree ? { ifAvailable: true } : { signal }
  return new Promise((resolve, reject) => {
    let tellLost = (): void => {}
    const granted = (lock: Lock | null): Promise<void> | undefined => {
      if (lock === null) {
        resolve(undefined)
        return undefined
      }
      return new Promise((release) => {
        const lost = new Promise<void>((tell) => {
          tellLost = tell
        })
        const leave = where.page.onFreeze(() => {
          release()
          tellLost()
        })
        const letGo = (): void => {
          leave()
          release()
        }
        resolve({ lost, release: letGo })
      })
    }
    // It rejects where it was not granted, and where it was stolen.
    where.locks.request(where.name, mode, granted).catch((error: unknown) => {
      tellLost()
      reject(error)
    })
  })
}

function unavailable(name: string, cause: unknown): StorageError {
  return new StorageError('storage-unavailable', `The lock ${name} cannot be had here.`, { cause })
}

/** Whether the page is frozen, as the page lifecycle events say. A worker is frozen with its page, and not told. */
class PageLife {
  readonly #listeners = new Set<() => void>()
  #isFrozen = false
  #resume: (() => void) | undefined

  /** Resolves while the page is not frozen. */
  running(): Promise<void> {
    if (!this.#isFrozen) return Promise.resolve()
    return new Promise((resolve) => {
      const before = this.#resume
      this.#resume = () => {
        before?.()
        resolve()
      }
    })
  }

  /** Call back when the page is about to be frozen; the returned function takes it back. */
  onFreeze(listener: () => void): () => void {
    if (this.#listeners.size === 0) this.#watch(true)
    this.#listeners.add(listener)
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0 && !this.#isFrozen) this.#watch(false)
    }
  }

  #watch(isOn: boolean): void {
    const page = globalThis.document
    if (page === undefined) return
    const change = isOn ? page.addEventListener.bind(page) : page.removeEventListener.bind(page)
    change('freeze', this.#freeze)
    change('resume', this.#unfreeze)
  }

  readonly #freeze = (): void => {
    this.#isFrozen = true
    for (const listener of [...this.#listeners]) {
      this.#listeners.delete(listener)
      listener()
    }
  }

  readonly #unfreeze = (): void => {
    this.#isFrozen = false
    if (this.#listeners.size === 0) this.#watch(false)
    this.#resume?.()
    this.#resume = undefined
  }
}
