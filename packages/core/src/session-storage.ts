import { ABANDONED, settleBefore } from './abort.ts'
import type { Clock } from './clock.ts'
import { type Entry, type EntryDraft, isUnreadable } from './entries.ts'
import type { Appended, LogWriter } from './log-writer.ts'
import { createHead } from './session-head.ts'
import { SessionLog } from './session-log.ts'
import type { QueuedInput, SessionStore } from './session-store.ts'
import type { SessionView, SnapshotPatch } from './session-view.ts'
import type { StorageStatus } from './snapshot.ts'
import { StorageReport } from './storage-report.ts'
import { logIsGone, tooSlow, toTrouble, writtenByNewer } from './storage-trouble.ts'
import { readBeyond, readSession, type StoredSession } from './stored-session.ts'

/** How often the growing reply is saved while it streams. */
const OPEN_REPLY_MS = 1000

/** What a session's storage is made of. */
export interface SessionStorageOptions {
  readonly sessionId: string
  readonly store: SessionStore
  readonly clock: Clock
  readonly saveTimeoutMs: number
  readonly view: SessionView
  /** There is nothing by which pages could share the session. */
  readonly isUnshared: boolean
  /** The inputs that have not joined the log yet. */
  queue(): readonly QueuedInput[]
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
  /** What waits in the queue waits for somebody to send something: as it was found, and as it is to be stored. */
  isQueueHeld = false
  /** Of the page that wrote last, as far as was read. */
  fence = 0
  /** Nobody else writes, until `letGo`. */
  #isSole = false
  readonly #status: StorageReport
  #hasLoaded = false
  #cancelOpenSave: (() => void) | undefined
  #catchingUp: Promise<void> | undefined
  #reloading: Promise<void> | undefined

  constructor(options: SessionStorageOptions) {
    this.#options = options
    this.#status = new StorageReport(options.view, options.isUnshared)
    this.#log = this.#createLog()
  }

  /** Read the session into the view, whose status stays `loading`. */
  async load(): Promise<void> {
    try {
      const { store, sessionId } = this.#options
      this.#takeAll(await readSession(store, sessionId), { status: 'loading' })
    } catch (error) {
      this.#reportTrouble(error)
    }
  }

  /**
   * Become the writer and read what other pages have written since. A store that is down holds nobody up for longer than
   * a save may take.
   */
  catchUp(): Promise<void> {
    if (this.#isSole && this.#log.fence !== undefined) return Promise.resolve()
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = undefined
    })
    return this.#catchingUp
  }

  /**
   * Become the only writer, until `letGo`, and read all that others have left, their queue too. What another page showed
   * here and could not save is saved. Resolves with the fence, 0 where the store gave none, and with where its log ended.
   */
  async takeOver(): Promise<{ fence: number; base: number }> {
    await this.caughtUp()
    this.letGo()
    const { view } = this.#options
    if (!this.#log.isClosed) this.#report({ state: 'ready', waiting: this.#log.waiting })
    const catching = this.catchUp()
    this.#isSole = true
    await catching
    const { fence, storedSequence } = this.#log
    this.#log.adopt(view.entries.slice(this.#log.lastSequence))
    return fence === undefined ? { fence: 0, base: view.lastSequence } : { fence, base: storedSequence }
  }

  /** Read what others have stored, as one who only shows it. Tells whether it could be shown. */
  async look(): Promise<boolean> {
    const { store, sessionId, view } = this.#options
    const { lastSequence } = view
    const entries = await this.#bounded(store.read(sessionId, { after: lastSequence })).catch(() => [])
    // Meanwhile this page may have become the writer, or another one may have told it.
    if (this.#isSole || view.lastSequence !== lastSequence || entries.length === 0) return false
    const { status, resumable } = view.snapshot
    view.load(entries, { status: status === 'closed' ? status : 'idle', resumable })
    return true
  }

  /** Others may write from now on. */
  letGo(): void {
    this.#isSole = false
  }

  /** Another page has taken over: write nothing more. */
  drop(): void {
    this.letGo()
    this.#log.close()
    this.isStale = this.#hasLoaded
  }

  /** There turned out to be nothing by which pages could share the session. */
  noteUnshared(): void {
    this.letGo()
    this.#status.noteUnshared()
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
    const { store, sessionId, view } = this.#options
    const { lastSequence } = await log.claim()
    // With entries of our own on top there is nothing to join: the next save finds out which of them came first.
    if (log.waiting > 0) return undefined
    const isMirrored = view.lastSequence > log.lastSequence
    if (!this.#hasLoaded && !isMirrored) return readSession(store, sessionId)
    if (lastSequence < log.storedSequence) throw logIsGone(sessionId)
    if (!this.#isSole && lastSequence === log.storedSequence) return undefined
    const known = isMirrored ? view.entries : log.storedSequence
    const [entries, head] = await Promise.all([
      readBeyond(known, { store, sessionId, lastSequence }),
      this.#isSole ? store.head(sessionId) : undefined,
    ])
    if (log.waiting > 0) return undefined
    if (entries === undefined) this.#show(await store.read(sessionId), 0)
    const isQueueHeld = head?.isQueueHeld === true
    const fence = log.fence ?? 0
    return { entries: entries ?? [], queue: head?.queue ?? [], open: undefined, isQueueHeld, fence, lastSequence }
  }

  #takeAll({ entries, queue, open, ...found }: StoredSession, change: SnapshotPatch): void {
    const { view, onQueue } = this.#options
    view.load(entries, change, open)
    this.#startLog(queue, found.lastSequence ?? view.lastSequence)
    this.#hasLoaded = true
    this.isQueueHeld = found.isQueueHeld
    this.fence = found.fence
    if (queue.length > 0) onQueue(queue)
  }

  #startLog(queue: readonly QueuedInput[], stored: number): void {
    const { openTurnId, entries } = this.#options.view
    this.#log.startAfter(stored, openTurnId === undefined ? queue : [...queue, { turnId: openTurnId }])
    this.#log.adopt(entries.slice(stored))
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
    const { store, sessionId, queue } = this.#options
    const entries = await this.#bounded(store.read(sessionId))
    const { storedSequence } = this.#log
    // A log that somebody erased is no reason to take the conversation off the screen: it goes on in memory.
    if ((entries.at(-1)?.sequence ?? 0) < storedSequence) {
      this.isStale = false
      return
    }
    this.#log = this.#createLog()
    this.isStale = false
    this.#show(entries, storedSequence)
    this.#startLog(queue(), entries.length)
  }

  /** Forget what another page showed here beyond sequence `base`: it was never stored. */
  forget(base: number): void {
    this.#show(this.#options.view.entries.slice(0, base), base)
  }

  /** Show these entries and nothing else; up to sequence `known` they are the ones that are here. */
  #show(entries: readonly Entry[], known: number): void {
    const { view } = this.#options
    const { queue, role } = view.snapshot
    view.reset(entries, known, {
      status: 'idle',
      queue,
      role,
      storage: this.#status.toStatus({ state: 'ready', waiting: 0 }),
    })
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

  /** Save what waits; resolves when it is saved, or when that has failed or taken too long. */
  async flush(): Promise<void> {
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
    const { sessionId, store, clock, saveTimeoutMs, view, queue } = this.#options
    const log: SessionLog = new SessionLog({
      sessionId,
      store,
      clock,
      saveTimeoutMs,
      records: () =>
        createHead(sessionId, {
          fence: log.fence,
          view,
          queue: queue(),
          isQueueHeld: this.isQueueHeld,
          lastSequence: log.lastSequence,
        }),
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
    // What was saved is what the store holds: from here on it is known, although it was never read.
    this.#hasLoaded ||= status.state === 'ready'
    this.#status.report(status)
  }

  #reportTrouble(error: unknown): void {
    const { state, reason, message, isStale } = toTrouble(error)
    if (isStale) this.#log.close()
    this.#report({ state, reason, message, waiting: this.#log.waiting })
  }
}
