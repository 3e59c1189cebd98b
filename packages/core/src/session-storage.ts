import { ABANDONED, settleBefore } from './abort.ts'
import type { Clock } from './clock.ts'
import type { EntryDraft } from './entries.ts'
import { toErrorRecord } from './errors.ts'
import { createHead } from './session-head.ts'
import { type Appended, type LogWriter, SessionLog } from './session-log.ts'
import type { QueuedInput, SessionStore } from './session-store.ts'
import type { SessionView } from './session-view.ts'
import type { StorageStatus } from './snapshot.ts'
import { findOpenTurn } from './turn-fold.ts'

/** How often the growing reply is saved while it streams. */
const OPEN_REPLY_MS = 1000

/** What a session's storage is made of. */
export interface SessionStorageOptions {
  readonly sessionId: string
  readonly store: SessionStore
  readonly clock: Clock
  readonly saveTimeoutMs: number
  readonly view: SessionView
  queue(): readonly QueuedInput[]
  /** Another page has taken over. */
  onStale(): void
}

/**
 * A session's place in its store: loads it, keeps up with what other pages wrote, and writes.
 *
 * Nothing here throws: a store that is down is a `storage` status, and the conversation goes on in memory.
 */
export class SessionStorage implements LogWriter {
  readonly #options: SessionStorageOptions
  #log: SessionLog
  #hasLoaded = false
  #isStale = false
  #cancelOpenSave: (() => void) | undefined
  #reloading: Promise<void> | undefined

  constructor(options: SessionStorageOptions) {
    this.#options = options
    this.#log = this.#createLog()
  }

  get lastSequence(): number {
    return this.#log.lastSequence
  }

  /** Read the session into the view, which stays `loading`; resolves with the inputs that were waiting. */
  async load(): Promise<readonly QueuedInput[]> {
    const { store, sessionId, view } = this.#options
    try {
      const [entries, head, open] = await Promise.all([
        store.read(sessionId),
        store.head(sessionId),
        store.open(sessionId),
      ])
      const cut = findOpenTurn(entries)
      view.load(entries, {
        status: 'loading',
        ...(cut !== undefined && { resumable: true }),
        ...(cut !== undefined && open?.turnId === cut.turnId && { open: open.message }),
      })
      this.#log.startAfter(view.lastSequence)
      this.#hasLoaded = true
      return head?.queue ?? []
    } catch (error) {
      this.#reportDown(error)
      return []
    }
  }

  /** Become the writer and read what other pages have written since. A store that is down holds nobody up. */
  async catchUp(): Promise<void> {
    const { store, sessionId, view, clock, saveTimeoutMs } = this.#options
    try {
      await this.reload()
      const claim = await settleBefore(this.#log.claim(), saveTimeoutMs, clock)
      if (claim === ABANDONED || claim.lastSequence <= view.lastSequence || this.#log.isWaiting) return
      const { status } = view.snapshot
      view.load(await store.read(sessionId, { after: view.lastSequence }), { status })
      this.#log.startAfter(view.lastSequence)
      this.#hasLoaded = true
    } catch (error) {
      this.#reportDown(error)
    }
  }

  /** After another page has taken over: forget what this page had beyond the store, and show what is stored. */
  async reload(): Promise<void> {
    // What was never read cannot be joined: the page keeps its own conversation, and the status says that it is alone.
    if (!this.#isStale || !this.#hasLoaded) return
    this.#reloading ??= this.#readAgain().finally(() => {
      this.#reloading = undefined
    })
    await this.#reloading
  }

  async #readAgain(): Promise<void> {
    const { store, sessionId, view, queue } = this.#options
    const entries = await store.read(sessionId)
    this.#log = this.#createLog()
    this.#isStale = false
    view.reset(entries, { status: 'idle', queue: queue(), storage: { state: 'ready', waiting: 0 } })
    this.#log.startAfter(view.lastSequence)
  }

  append(...drafts: EntryDraft[]): Appended {
    const appended = this.#log.append(...drafts)
    for (const entry of appended.entries) this.#options.view.apply(entry)
    return appended
  }

  /** Save head and growing reply soon. */
  saveRecords(): void {
    this.#log.saveRecords()
  }

  /** Save the growing reply within a second, if there is one. */
  saveOpenSoon(): void {
    const { view, clock } = this.#options
    if (this.#cancelOpenSave !== undefined || view.snapshot.open === undefined) return
    this.#cancelOpenSave = clock.setTimer(() => {
      this.#cancelOpenSave = undefined
      if (view.snapshot.open !== undefined) this.saveRecords()
    }, OPEN_REPLY_MS)
  }

  /** Mark that something of a turn is stored outside its entries. */
  touch(turnId: string): void {
    this.#log.touch(turnId)
  }

  async flush(): Promise<void> {
    await this.#log.flush()
  }

  /** Write nothing more. */
  close(): void {
    this.#cancelOpenSave?.()
    this.#log.close()
  }

  #createLog(): SessionLog {
    const { sessionId, store, clock, saveTimeoutMs, view, queue } = this.#options
    return new SessionLog({
      sessionId,
      store,
      clock,
      saveTimeoutMs,
      records: () => createHead(sessionId, { view, queue: queue(), lastSequence: this.#log.lastSequence }),
      onStatus: (status) => this.#report(status),
      onStale: () => {
        this.#isStale = true
        this.#options.onStale()
      },
    })
  }

  #report(status: StorageStatus): void {
    const { storage } = this.#options.view.snapshot
    const isNoNews = storage.state === 'ready' && status.state === 'ready'
    if (storage.state !== 'memory' && !isNoNews) this.#options.view.patch({ storage: status })
  }

  #reportDown(error: unknown): void {
    const { code, message } = toErrorRecord(error, 'storage-unavailable')
    this.#report({ state: 'blocked', reason: code, message, waiting: 0 })
  }
}
