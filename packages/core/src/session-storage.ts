import { ABANDONED, settleBefore } from './abort.ts'
import type { Clock } from './clock.ts'
import { type Entry, type EntryDraft, isUnreadable } from './entries.ts'
import { StorageError } from './errors.ts'
import type { Appended, LogWriter } from './log-writer.ts'
import { createHead } from './session-head.ts'
import { SessionLog } from './session-log.ts'
import type { OpenReply, QueuedInput, SessionStore } from './session-store.ts'
import type { SessionView, SnapshotPatch } from './session-view.ts'
import type { StorageStatus } from './snapshot.ts'
import { tooSlow, toTrouble } from './storage-trouble.ts'

/** How often the growing reply is saved while it streams. */
const OPEN_REPLY_MS = 1000

/** What a session's storage is made of. */
export interface SessionStorageOptions {
  readonly sessionId: string
  readonly store: SessionStore
  readonly clock: Clock
  readonly saveTimeoutMs: number
  readonly view: SessionView
  /** The inputs that have not joined the log yet. */
  queue(): readonly QueuedInput[]
  /** Whether the growing reply may be stored: not before it was judged. */
  keepsOpen(): boolean
  /** Inputs that were found waiting in the store. */
  onQueue(inputs: readonly QueuedInput[]): void
  /** Another page has taken over. */
  onStale(): void
}

/**
 * A session's place in its store: loads it, keeps up with what other pages wrote, and writes.
 *
 * Nothing here throws: a store that is down is a `storage` status, and the conversation goes on in memory.
 */
export class SessionStorage {
  readonly #options: SessionStorageOptions
  #log: SessionLog
  /** The log holds what this version cannot read: it is shown as far as that goes, and nothing is written. */
  isReadOnly = false
  /** Another page has taken over, and what it wrote has not been read yet. */
  isStale = false
  #hasLoaded = false
  #cancelOpenSave: (() => void) | undefined
  #catchingUp: Promise<void> | undefined
  #reloading: Promise<void> | undefined

  constructor(options: SessionStorageOptions) {
    this.#options = options
    this.#log = this.#createLog()
  }

  /** Read the session into the view, whose status stays `loading`. */
  async load(): Promise<void> {
    try {
      this.#takeAll(await this.#readAll(), { status: 'loading' })
    } catch (error) {
      this.#reportTrouble(error)
    }
  }

  /**
   * Become the writer and read what other pages have written since. A store that is down holds nobody up for longer than
   * a save may take.
   */
  catchUp(): Promise<void> {
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined
    })
    return this.#catchingUp
  }

  /** Resolves when no catching up is under way. */
  async caughtUp(): Promise<void> {
    await this.#catchingUp
  }

  async #catchUp(): Promise<void> {
    const { view } = this.#options
    // From the first moment: what is saved before it is known where the log ends would only be refused.
    this.#log.hold()
    try {
      await this.reload()
      this.#log.hold()
      if (this.#log.isClosed) return
      const found = await this.#bounded(this.#findNews(this.#log))
      const { status, activity } = view.snapshot
      if (found !== undefined) this.#takeAll(found, { status, activity })
    } catch (error) {
      this.#reportTrouble(error)
    } finally {
      this.#log.release()
    }
  }

  async #findNews(log: SessionLog): Promise<StoredSession | undefined> {
    const { store, sessionId } = this.#options
    const { lastSequence } = await log.claim()
    // With entries of our own on top there is nothing to join: the next save finds out which of them came first.
    if (log.waiting > 0 || (this.#hasLoaded && lastSequence === log.storedSequence)) return undefined
    if (lastSequence < log.storedSequence) throw logIsGone(sessionId)
    const found = this.#hasLoaded
      ? { entries: await store.read(sessionId, { after: log.storedSequence }), queue: [], open: undefined }
      : await this.#readAll()
    return log.waiting > 0 ? undefined : found
  }

  async #readAll(): Promise<StoredSession> {
    const { store, sessionId } = this.#options
    const [entries, head, open] = await Promise.all([
      store.read(sessionId),
      store.head(sessionId),
      store.open(sessionId),
    ])
    return { entries, queue: head?.queue ?? [], open }
  }

  #takeAll({ entries, queue, open }: StoredSession, change: SnapshotPatch): void {
    const { view, onQueue } = this.#options
    view.load(entries, change, open)
    this.#startLog(queue)
    this.#hasLoaded = true
    if (queue.length > 0) onQueue(queue)
  }

  #startLog(queue: readonly QueuedInput[]): void {
    const { openTurnId, lastSequence, entries } = this.#options.view
    this.#log.startAfter(lastSequence, openTurnId === undefined ? queue : [...queue, { turnId: openTurnId }])
    if (!entries.some(isUnreadable)) return
    this.isReadOnly = true
    this.#log.close()
    this.#reportTrouble(writtenByNewer(this.#options.sessionId))
  }

  /** After another page has taken over: forget what this page had beyond the store, and show what is stored. */
  async reload(): Promise<void> {
    if (!this.isStale) return
    this.#reloading ??= this.#readAgain().finally(() => {
      this.#reloading = undefined
    })
    await this.#reloading
  }

  async #readAgain(): Promise<void> {
    const { store, sessionId, view, queue } = this.#options
    const entries = await this.#bounded(store.read(sessionId))
    const { storedSequence } = this.#log
    // A log that somebody erased is no reason to take the conversation off the screen: it goes on in memory.
    if ((entries.at(-1)?.sequence ?? 0) < storedSequence) {
      this.isStale = false
      return
    }
    this.#log = this.#createLog()
    this.isStale = false
    const shown = { status: 'idle', queue: view.snapshot.queue, storage: { state: 'ready', waiting: 0 } } as const
    view.reset(entries, storedSequence, shown)
    this.#startLog(queue())
  }

  /** The writer of one run. A run that outlives this page's turn as the writer writes nothing more. */
  createWriter(): LogWriter {
    const log = this.#log
    return {
      append: (...drafts) => this.#append(log, drafts),
      get lastSequence() {
        return log.lastSequence
      },
    }
  }

  append(...drafts: EntryDraft[]): Appended {
    return this.#append(this.#log, drafts)
  }

  #append(log: SessionLog, drafts: readonly EntryDraft[]): Appended {
    const appended = log.append(...drafts)
    if (log === this.#log) for (const entry of appended.entries) this.#options.view.apply(entry)
    return appended
  }

  /** Whether something of a turn is stored, or may be. */
  mayHold(turnId: string): boolean {
    return this.#log.mayHold(turnId)
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

  /** Save what waits, the growing reply too; resolves when it is saved, or when that has failed or taken too long. */
  async flush(): Promise<void> {
    if (this.#options.view.snapshot.open !== undefined) this.saveRecords()
    await this.caughtUp()
    await this.#log.flush()
  }

  /** Take nothing more; what waits can still be flushed. */
  seal(): void {
    this.#log.seal()
  }

  /** Write nothing more. */
  close(): void {
    this.#cancelOpenSave?.()
    this.#log.close()
  }

  #createLog(): SessionLog {
    const { sessionId, store, clock, saveTimeoutMs, view, queue, keepsOpen } = this.#options
    const log: SessionLog = new SessionLog({
      sessionId,
      store,
      clock,
      saveTimeoutMs,
      records: () => {
        const { head, open } = createHead(sessionId, { view, queue: queue(), lastSequence: log.lastSequence })
        return { head, open: keepsOpen() ? open : null }
      },
      onStatus: (status) => this.#report(status),
      onStale: () => this.#becomeStale(),
    })
    return log
  }

  #becomeStale(): void {
    // What was never read cannot be joined: the page keeps its own conversation, and the status says that it is alone.
    if (!this.#hasLoaded) return
    this.isStale = true
    this.#options.onStale()
  }

  async #bounded<T>(answer: Promise<T>): Promise<T> {
    const { sessionId, clock, saveTimeoutMs } = this.#options
    const settled = await settleBefore(answer, saveTimeoutMs, clock)
    if (settled !== ABANDONED) return settled
    this.#log.noteSlow()
    throw tooSlow(sessionId, saveTimeoutMs)
  }

  #report(status: StorageStatus): void {
    const { view } = this.#options
    // What was saved is what the store holds: from here on it is known, although it was never read.
    this.#hasLoaded ||= status.state === 'ready'
    const { storage } = view.snapshot
    if (storage.state === 'memory' || isSame(storage, status)) return
    view.patch({ storage: status })
    if (storage.state === 'ready') view.warn(`The conversation is not being saved: ${status.message ?? status.state}`)
  }

  #reportTrouble(error: unknown): void {
    const { state, reason, message, isStale } = toTrouble(error)
    if (isStale) this.#log.close()
    this.#report({ state, reason, message, waiting: this.#log.waiting })
  }
}

interface StoredSession {
  readonly entries: readonly Entry[]
  readonly queue: readonly QueuedInput[]
  readonly open: OpenReply | undefined
}

function isSame(a: StorageStatus, b: StorageStatus): boolean {
  return a.state === b.state && a.waiting === b.waiting && a.reason === b.reason && a.message === b.message
}

function logIsGone(sessionId: string): StorageError {
  return new StorageError(
    'conflict',
    `The stored log of session ${sessionId} is gone. The conversation goes on in memory.`,
  )
}

function writtenByNewer(sessionId: string): StorageError {
  return new StorageError(
    'newer-version',
    `Session ${sessionId} was written by a newer version of this page. Reload it.`,
  )
}
