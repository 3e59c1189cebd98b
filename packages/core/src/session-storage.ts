import { ABANDONED, settleBefore } from './abort.ts'
import { EarlierPages } from './earlier-pages.ts'
import { type Entry, type EntryDraft, isUnreadable } from './entries.ts'
import type { Appended, LogWriter } from './log-writer.ts'
import { SaveSoon } from './save-soon.ts'
import type { SessionBlobs } from './session-blobs.ts'
import { createHead } from './session-head.ts'
import { SessionLog } from './session-log.ts'
import type { QueuedInput, SessionStore } from './session-store.ts'
import type { SnapshotPatch } from './session-view.ts'
import type { StorageStatus } from './snapshot.ts'
import type { SessionStorageOptions } from './storage-options.ts'
import { StorageReport } from './storage-report.ts'
import { tooSlow, toTrouble, writtenByNewer } from './storage-trouble.ts'
import { findNews, readNext, readSession, type StoredSession } from './stored-session.ts'

/** A session's place in its store. Nothing here throws: of a store that is down the status tells, and memory goes on. */
export class SessionStorage {
  readonly #options: SessionStorageOptions
  #log: SessionLog
  /** The log holds what this version cannot read: it is shown as far as that goes, and nothing is written. */
  isReadOnly = false
  /** Another page has taken over, and what it wrote has not been read yet. */
  isStale = false
  /** What waits in the queue waits for somebody to send something: as it was found, and is stored. Only who drives writes. */
  isQueueHeld = false
  isShared = false
  fence = 0
  #isSole = false
  readonly status: StorageReport
  /** What stands before the part of the log that was read first. */
  readonly earlier: EarlierPages
  readonly store: SessionStore
  readonly blobs: SessionBlobs
  #hasLoaded = false
  readonly #openSave: SaveSoon
  readonly #stopListening: (() => void) | undefined
  #catchingUp: Promise<void> | undefined
  #reloading: Promise<void> | undefined

  constructor(options: SessionStorageOptions) {
    this.#options = options
    this.store = options.store
    this.blobs = options.blobs
    this.status = new StorageReport(options, { ...options, retry: () => this.flush() })
    this.#log = this.#createLog()
    const onRead = (entries: readonly Entry[]): void => this.#checkReadable(entries.some(isUnreadable))
    this.earlier = new EarlierPages({ ...options, onRead, bounded: (answer) => this.#bounded(answer) })
    this.#openSave = new SaveSoon(options.clock, () => {
      if (options.view.isGrowing) this.saveRecords()
    })
    this.#stopListening = options.store.whenLeaving?.(() => this.#log.saveNow())
  }

  /** Read the session into the view, whose status stays `loading`: a long one from its end, as much as is worth showing. */
  async load(): Promise<void> {
    try {
      const { sessionId, view } = this.#options
      this.#takeAll(await readSession(this.store, sessionId), { status: 'loading' })
      // It never rejects, and nobody waits for it.
      if (view.lastSequence === 0) void this.status.findEviction()
      if (view.isShort) await this.earlier.show(1)
    } catch (error) {
      this.#reportTrouble(error)
    }
  }

  /**
   * Become the writer and read what other pages have written since, and what was not worth reading before: a turn is asked
   * with all of it. A store that is down holds nobody up for longer than a save may take.
   */
  catchUp(): Promise<void> {
    if (this.#isSole && this.#log.fence !== undefined) return this.earlier.all().catch(() => {})
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined
    })
    return this.#catchingUp
  }

  /**
   * Become the only writer, until `letGo`, and read all that others have left, their queue too. Resolves with what begins
   * that time, once other drivers are not heard any more: it saves what another page showed here and could not save, and
   * returns the fence, 0 where the store gave none, and where its log ended.
   */
  async takeOver(): Promise<() => { fence: number; base: number }> {
    await this.caughtUp()
    this.#isSole = false
    const { view } = this.#options
    if (!this.#log.isClosed) this.#report({ state: 'ready', waiting: this.#log.waiting })
    const catching = this.catchUp()
    this.#isSole = true
    await catching
    return () => {
      const { fence, storedSequence, lastSequence } = this.#log
      this.#log.adopt(view.log.after(lastSequence))
      return fence === undefined ? { fence: 0, base: view.lastSequence } : { fence, base: storedSequence }
    }
  }

  /** Read what others have stored, as one who only shows it. Tells whether there was something. */
  async look(): Promise<boolean> {
    const entries = await this.#bounded(readNext(this.#options)).catch(() => [])
    // Meanwhile this page may have become the writer, or another one may have told it.
    return !this.#isSole && this.status.showNext(entries)
  }

  /** Others may write from now on: nothing is written here before the next `takeOver`, not even by what a run left behind. */
  letGo(): void {
    this.#isSole = false
    const { storedSequence } = this.#log
    this.#log.close()
    this.#log = this.#createLog()
    this.#log.startAfter(storedSequence, [])
  }

  /** Another page has taken over: write nothing more. */
  drop(): void {
    this.#isSole = false
    this.#log.close()
    this.isStale = this.#hasLoaded
  }

  /** Resolves when no catching up is under way. */
  caughtUp(): Promise<void> {
    return this.#catchingUp ?? Promise.resolve()
  }

  async #catchUp(): Promise<void> {
    const { view } = this.#options
    // From the first moment: what is saved before it is known where the log ends would only be refused.
    this.#log.hold()
    try {
      await this.reload()
      this.#log.hold()
      if (this.#log.isClosed) return
      const known = { ...this.#options, log: this.#log, hasLoaded: this.#hasLoaded, isSole: () => this.#isSole }
      const found = await this.#bounded(findNews(known))
      const { status, activity } = view.snapshot
      if (found !== undefined) this.#takeAll(found, { status, activity })
      await this.earlier.all()
    } catch (error) {
      this.#reportTrouble(error)
    } finally {
      this.#log.release()
    }
  }

  #takeAll({ entries, queue, open, head, ...found }: StoredSession, change: SnapshotPatch): void {
    const { view, onQueue } = this.#options
    if (found.isOther) this.status.show([], 0)
    view.load(entries, change, { open, head })
    this.#startLog(queue, found.lastSequence ?? view.lastSequence)
    this.#hasLoaded = true
    this.isQueueHeld = found.isQueueHeld
    this.fence = found.fence
    if (queue.length > 0) onQueue(queue)
  }

  #startLog(queue: readonly QueuedInput[], stored: number): void {
    const { openTurnId, log } = this.#options.view
    this.#log.startAfter(stored, openTurnId === undefined ? queue : [...queue, { turnId: openTurnId }])
    this.#log.adopt(log.after(stored))
    this.#checkReadable(log.hasUnreadable)
  }

  #checkReadable(hasUnreadable: boolean): void {
    if (this.isReadOnly || !hasUnreadable) return
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
    const { store, sessionId, queue } = this.#options
    const entries = await this.#bounded(store.read(sessionId))
    const { storedSequence } = this.#log
    const last = entries.at(-1)?.sequence ?? 0
    this.isStale = false
    // A log that somebody erased is no reason to take the conversation off the screen: it goes on in memory.
    if (last < storedSequence) return
    this.#log = this.#createLog()
    this.status.show(entries, storedSequence)
    this.#startLog(queue(), last)
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
    if (log !== this.#log) return appended
    for (const entry of appended.entries) this.#options.view.apply(entry)
    this.status.count(log.waiting)
    return appended
  }

  /** Whether something of a turn is stored, or may be. */
  mayHold(turnId: string): boolean {
    return this.#log.mayHold(turnId)
  }

  get log(): SessionLog {
    return this.#log
  }

  /** Save head and growing reply soon. */
  saveRecords(): void {
    if (this.#isSole || !this.isShared) this.#log.saveRecords()
  }

  /** Save the growing reply within a second, if there is one. */
  saveOpenSoon(): void {
    if (this.#options.view.isGrowing) this.#openSave.request()
  }

  /** Save what waits, the growing reply too; resolves when it is saved, or when that has failed or taken too long. */
  async flush(): Promise<void> {
    if (this.#options.view.isGrowing) this.saveRecords()
    await this.caughtUp()
    await this.#log.flush()
  }

  /** Take nothing more; what waits can still be flushed. */
  seal(): void {
    this.#log.seal()
  }

  /** Write nothing more. */
  close(): void {
    this.#openSave.cancel()
    this.#stopListening?.()
    this.#log.close()
  }

  #createLog(): SessionLog {
    const { sessionId, view, queue, keepsOpen } = this.#options
    const log: SessionLog = new SessionLog({
      ...this.#options,
      at: (sequence) => view.log.at(sequence),
      records: () => {
        const { fence, lastSequence } = log
        const now = { fence, view, queue: queue(), isQueueHeld: this.isQueueHeld, lastSequence }
        const records = createHead(sessionId, now)
        return keepsOpen() ? records : { ...records, open: null }
      },
      onStatus: (status) => this.#report(status.state === 'ready' ? this.status.noteSaved(status) : status),
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
    // What was saved is what the store holds: from here on it is known, although it was never read.
    this.#hasLoaded ||= status.state === 'ready'
    this.status.report(status)
  }

  #reportTrouble(error: unknown): void {
    const { isStale, isSurelyNotWritten: _surely, ...trouble } = toTrouble(error)
    if (isStale) this.#log.close()
    this.#report({ ...trouble, waiting: this.#log.waiting })
  }
}
