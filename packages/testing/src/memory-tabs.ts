import { type BlobStore, MemoryStore, type SessionChannel, type SessionLock, type SessionStore } from '@turnloop/core'
import { MemoryLocks } from './memory-lock.ts'

/** Pages of one browser, in one process: they share a disk, locks and a channel. */
export interface MemoryTabs {
  readonly disk: SessionStore
  open(): MemoryTab
}

/** What one page has of the browser, and what can happen to it. */
export interface MemoryTab {
  /** Give it to `openSession`. */
  readonly store: SessionStore & { readonly lock: SessionLock; readonly channel: SessionChannel }
  /** The page is gone: from now on nothing it asked for is answered, nothing it says is heard, its locks are free. */
  crash(): void
  /**
   * The page stands still: what it asks for, says and hears waits, and it keeps its locks. With `letsGo` it is told first,
   * as by the `freeze` event, and loses them.
   */
  freeze(options?: { letsGo?: boolean }): void
  /** All that waited happens now, in order. */
  thaw(): void
}

/** Options of `memoryTabs()`. */
export interface MemoryTabsOptions {
  /** Default: a new `MemoryStore`. */
  disk?: SessionStore
  /** Which messages are lost on the way. Default: none. */
  loses?(message: unknown): boolean
  /** Runs a delivery some time later; those of one page in order. Default: as a microtask. */
  schedule?(task: () => void): void
}

/**
 * Create pages that share everything but their memory, for tests of sessions in several tabs.
 *
 * Messages arrive as copies, those of one page in order. A page that has crashed goes on in the test's process, but nothing
 * it does leaves it any more.
 */
export function memoryTabs(options: MemoryTabsOptions = {}): MemoryTabs {
  // Not the function itself: a browser calls it as the window's alone.
  const { disk = new MemoryStore(), loses = () => false, schedule = (task) => queueMicrotask(task) } = options
  const locks = new MemoryLocks()
  const lines = new Map<string, Set<Line>>()

  const open = (): MemoryTab => {
    const page = new Page(schedule)
    const channel: SessionChannel = {
      join(sessionId, onMessage) {
        const line = { page, onMessage }
        const all = lines.get(sessionId) ?? new Set()
        lines.set(sessionId, all.add(line))
        return {
          post(message) {
            if (!all.has(line) || loses(message)) return
            const copy = structuredClone(message)
            page.act(() => {
              for (const other of all) if (other !== line) other.page.run(() => other.onMessage(structuredClone(copy)))
            })
          },
          leave: () => void all.delete(line),
        }
      },
    }
    return {
      store: { ...storeOf(disk, page), lock: locks.open(page), channel },
      crash() {
        page.isGone = true
        locks.drop(page)
      },
      freeze({ letsGo = false } = {}) {
        if (letsGo) locks.revoke(page)
        page.isFrozen = true
      },
      thaw: () => page.thaw(),
    }
  }
  return { disk, open }
}

interface Line {
  readonly page: Page
  readonly onMessage: (message: unknown) => void
}

/** What decides when things happen in a page. */
class Page {
  isGone = false
  isFrozen = false
  readonly #waiting: (() => void)[] = []
  readonly #coming: (() => void)[] = []
  readonly #schedule: (task: () => void) => void

  constructor(schedule: (task: () => void) => void) {
    this.#schedule = schedule
  }

  /** Something comes to the page: later, or once it has thawed; in order, whatever the schedule. */
  run(callback: () => void): void {
    this.#coming.push(callback)
    this.#schedule(() => this.act(this.#coming.shift() ?? (() => {})))
  }

  /** Something the page does, or that has reached it: now, or once it has thawed. */
  act(callback: () => void): void {
    if (this.isGone) return
    if (this.isFrozen) this.#waiting.push(callback)
    else callback()
  }

  thaw(): void {
    this.isFrozen = false
    for (const callback of this.#waiting.splice(0)) this.act(callback)
  }

  /** Ask the world outside for something. */
  call<T>(ask: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.act(() => {
        ask().then(
          (value) => this.act(() => resolve(value)),
          (error: unknown) => this.act(() => reject(error)),
        )
      })
    })
  }
}

function storeOf(disk: SessionStore, page: Page): SessionStore {
  const { blobs } = disk
  return {
    claim: (id) => page.call(() => disk.claim(id)),
    append: (id, entries, options) => page.call(() => disk.append(id, entries, options)),
    read: (id, options) => page.call(() => disk.read(id, options)),
    head: (id) => page.call(() => disk.head(id)),
    open: (id) => page.call(() => disk.open(id)),
    list: () => page.call(() => disk.list()),
    remove: (id) => page.call(() => disk.remove(id)),
    ...(disk.saveNow && { saveNow: (id, save) => page.act(() => disk.saveNow?.(id, save)) }),
    ...(disk.rewrite && {
      rewrite: (id, entries, options) => page.call(async () => disk.rewrite?.(id, entries, options)),
    }),
    ...(blobs && { blobs: blobsOf(blobs, page) }),
  }
}

function blobsOf(blobs: BlobStore, page: Page): BlobStore {
  return {
    put: (id, bytes) => page.call(() => blobs.put(id, bytes)),
    get: (hash) => page.call(() => blobs.get(hash)),
    link: (id, hashes) => page.call(() => blobs.link(id, hashes)),
    retain: (id, hashes, options) => page.call(() => blobs.retain(id, hashes, options)),
    collect: (options) => page.call(() => blobs.collect(options)),
  }
}
