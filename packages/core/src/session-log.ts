import { ABANDONED, settleBefore } from './abort.ts'
import type { Clock } from './clock.ts'
import { type Entry, type EntryDraft, isNested } from './entries.ts'
import { type Appended, type LogWriter, numberEntries } from './log-writer.ts'
import { RetryPause } from './retry-pause.ts'
import { SaveWaiters } from './save-waiters.ts'
import type { SessionBlobs } from './session-blobs.ts'
import type { SessionRecords } from './session-head.ts'
import type { Claim, QueuedInput, SessionStore } from './session-store.ts'
import type { StorageStatus } from './snapshot.ts'
import { notWhereKnown, type StorageTrouble, tooSlow, toTrouble } from './storage-trouble.ts'
import { type OfTurn, StoredTurns } from './stored-turns.ts'
import { erasedBefore } from './tombstone.ts'

/** What a session log is made of. */
export interface SessionLogOptions {
  readonly sessionId: string
  readonly store: SessionStore
  readonly clock: Clock
  readonly saveTimeoutMs: number
  /** Where large values go before the entry that names them. */
  readonly blobs: SessionBlobs
  /** The session's head and growing reply as they should be stored now. */
  records(): SessionRecords
  /** The entry of a sequence, as it is here. */
  at(sequence: number): Entry | undefined
  /** The inputs that stand in the head. */
  queue(): readonly QueuedInput[]
  onStatus(status: StorageStatus): void
  /** Another writer has taken over: nothing more is written. */
  onStale(): void
}

/**
 * The log of a session that has a store: entries queue in memory and are saved in order, one append at a time.
 *
 * A save that fails or takes longer than `saveTimeoutMs` never breaks anything: entries wait, the status says so, and they
 * are tried again, oldest first, in one append, with growing pauses.
 */
export class SessionLog implements LogWriter {
  readonly #options: SessionLogOptions
  #last = 0
  #storedSequence = 0
  #fence: number | undefined
  #waiting: Entry[] = []
  readonly #waiters = new SaveWaiters()
  readonly #stored = new StoredTurns()
  readonly #pause: RetryPause
  #recordsDirty = false
  #saving: Promise<void> | undefined
  #isSlow = false
  #isHeld = false
  /** The records as they were when the log was sealed. */
  #sealed: SessionRecords | undefined
  #isClosed = false

  constructor(options: SessionLogOptions) {
    this.#options = options
    this.#pause = new RetryPause(options.clock)
  }

  get lastSequence(): number {
    return this.#last
  }

  /** Start after what is stored already, with what of open turns that holds. Only while nothing waits. */
  startAfter(sequence: number, stored: readonly OfTurn[]): void {
    this.#last = sequence
    this.#storedSequence = sequence
    this.#stored.add(stored)
  }

  /** Save what another page has written and could not save any more. */
  adopt(entries: readonly Entry[]): void {
    this.#waiting.push(...entries)
    this.#last = entries.at(-1)?.sequence ?? this.#last
    this.#schedule()
  }

  /** How many entries are not saved yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** What the last claim gave; `undefined` without one that is in force. */
  get fence(): number | undefined {
    return this.#fence
  }

  /** The last sequence that is known to be stored. */
  get storedSequence(): number {
    return this.#storedSequence
  }

  /** Become the writer. Throws what the store throws; entries that wait go out with the new fence. */
  async claim(): Promise<Claim> {
    // From here on the old fence may be void, whether an answer comes or not.
    this.#fence = undefined
    const claim = await this.#options.store.claim(this.#options.sessionId)
    this.#fence = Math.max(this.#fence ?? 0, claim.fence)
    return claim
  }

  append(...drafts: EntryDraft[]): Appended {
    const entries = numberEntries(drafts, this.#last, this.#options.clock)
    this.#last += entries.length
    const turnId = entries[0]?.turnId
    if (this.#isClosed || this.#sealed) return { entries, saved: Promise.resolve(this.#stored.hasNothingOf(turnId)) }
    this.#waiting.push(...entries)
    const saved = this.#whenSaved(this.#last, turnId)
    this.#schedule()
    return { entries, saved }
  }

  /** Save head and growing reply, with the next entries or by themselves. */
  saveRecords(): void {
    if (this.#isClosed || this.#sealed) return
    this.#recordsDirty = true
    this.#schedule()
  }

  /** Whether something of a turn is stored, or may be. */
  mayHold(turnId: string): boolean {
    return !this.#stored.hasNothingOf(turnId)
  }

  /** Save nothing until `release`: somebody is finding out what other writers have stored. */
  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.#schedule()
  }

  /** The store did not answer in time: nobody is asked to wait for it until it does. */
  noteSlow(): void {
    this.#isSlow = true
  }

  /** Try now whatever waits; resolves when nothing waits any more or a save has failed or taken too long. */
  async flush(): Promise<void> {
    this.#pause.stop()
    this.#schedule()
    while (this.#saving !== undefined) await this.#saving
  }

  /** Take nothing more. What waits still goes out, with the records as they are now. */
  seal(): void {
    this.#sealed ??= this.#options.records()
    this.#stored.add([...this.#waiting, ...this.#sealed.head.queue])
  }

  /** Write nothing more. What waits is dropped. */
  close(): void {
    this.#isClosed = true
    this.#pause.stop()
    this.#waiters.settle(Number.POSITIVE_INFINITY, false)
  }

  async #whenSaved(sequence: number, turnId: string | undefined): Promise<boolean> {
    const isStored = this.#waiters.wait(sequence)
    // Between two tries nothing is asked to wait, nor while a store that did not answer is tried again: a store that is
    // down must not slow every step.
    if (this.#pause.isRunning || this.#isSlow) this.#waiters.settle(sequence, false)
    return (await isStored) || this.#stored.hasNothingOf(turnId)
  }

  #schedule(): void {
    if (this.#isHeld || this.#isClosed || !(this.waiting > 0 || this.#recordsDirty)) return
    if (this.#saving !== undefined || this.#pause.isRunning) return
    // One turn of the microtask queue, so that what is appended together is saved together.
    this.#saving = Promise.resolve()
      .then(() => (this.#isHeld ? undefined : this.#save()))
      .finally(() => {
        this.#saving = undefined
        this.#schedule()
      })
  }

  async #save(): Promise<void> {
    const { sessionId, saveTimeoutMs, clock } = this.#options
    const attempt: Attempt = { fresh: [], fence: undefined, isOver: false }
    try {
      const end = await settleBefore(this.#write(attempt), saveTimeoutMs, clock)
      if (end !== ABANDONED) return
      this.noteSlow()
      throw tooSlow(sessionId, saveTimeoutMs)
    } catch (error) {
      this.#failed(toTrouble(error), attempt)
    } finally {
      attempt.isOver = true
    }
  }

  async #write(attempt: Attempt): Promise<void> {
    const { store, sessionId, blobs } = this.#options
    const claim = this.#fence === undefined ? await this.claim() : undefined
    if (attempt.isOver || this.#isHeld || this.#isClosed) return
    if (claim !== undefined) this.#checkLateClaim(claim)
    while (blobs.isLarge(this.#unsaved)) {
      await blobs.keep(this.#unsaved)
      if (attempt.isOver || this.#isHeld || this.#isClosed) return
    }
    const { head, open } = this.#storedRecords()
    const batch = [...this.#waiting]
    attempt.fence = this.#fence
    // Counted as stored from the moment the store is asked.
    attempt.fresh = this.#stored.add([...batch, ...head.queue])
    this.#recordsDirty = false
    const isStrict = batch.some((entry) => entry.type === 'tool-started')
    const append = batch.map((entry) => blobs.storedForm(entry))
    const fence = this.#fence === undefined ? {} : { fence: this.#fence }
    const options = { ...fence, head, open, ...(isStrict && { strict: true }) }
    const rewritten = erasedBefore(batch, this.#options.at).map((entry) => blobs.storedForm(entry))
    await (rewritten.length > 0 && store.rewrite !== undefined
      ? store.rewrite(sessionId, rewritten, { ...options, append })
      : store.append(sessionId, append, options))
    // Also when nobody waits for it any more: a slow store is not one that loses things.
    if (!this.#isClosed) this.#saved(batch)
  }

  get #unsaved(): readonly object[] {
    return [...this.#waiting, ...(this.#sealed?.head.queue ?? this.#options.queue())]
  }

  #storedRecords(): SessionRecords {
    const { blobs, records } = this.#options
    const { head, open } = this.#sealed ?? records()
    return { head: { ...head, queue: head.queue.map((input) => blobs.storedForm(input)) }, open }
  }

  /** Hand the store, before this returns, what waits and the records. Nobody hears what came of it, so it still waits. */
  saveNow(): void {
    const { store, sessionId, blobs } = this.#options
    // An erasure goes out with what it takes out of the log, or not at all.
    const isErasing = this.#waiting.some(({ type }) => type === 'erased')
    if (this.#fence === undefined || this.#isClosed || this.#isHeld || isErasing) return
    const { head, open } = this.#storedRecords()
    if (this.waiting === 0 && !this.#recordsDirty && open === null) return
    const entries = this.#waiting.map((entry) => blobs.storedForm(entry))
    this.#stored.add([...entries, ...head.queue])
    store.saveNow?.(sessionId, { entries, head, open, fence: this.#fence })
  }

  /** Without a fence from the start of a turn, only a log that is still where we think it is may be joined. */
  #checkLateClaim({ lastSequence }: Claim): void {
    // In between lies what a save whose answer was lost may have stored: the store compares it.
    if (lastSequence >= this.storedSequence && lastSequence <= this.#last) return
    throw notWhereKnown(this.#options.sessionId, lastSequence, this.storedSequence)
  }

  #saved(batch: readonly Entry[]): void {
    const last = batch.at(-1)?.sequence ?? 0
    this.#storedSequence = Math.max(this.#storedSequence, last)
    this.#waiting = this.#waiting.filter((entry) => entry.sequence > last)
    this.#waiters.settle(last, true)
    this.#stored.delete(
      batch.flatMap((entry) => (entry.type === 'turn-ended' && !isNested(entry) ? (entry.turnId ?? []) : [])),
    )
    this.#isSlow = false
    this.#pause.reset()
    this.#options.onStatus({ state: 'ready', waiting: 0 })
    this.#schedule()
  }

  #failed(trouble: StorageTrouble, attempt: Attempt): void {
    this.#recordsDirty = true
    if (trouble.isSurelyNotWritten) this.#stored.delete(attempt.fresh)
    if (trouble.isStale) {
      // Our own newer claim made that fence void: nobody else did, and what waits goes out with the new one.
      if (trouble.reason === 'stale-fence' && attempt.fence !== this.#fence) return
      this.close()
      this.#report(trouble)
      this.#options.onStale()
      return
    }
    this.#pause.start(() => this.#schedule())
    this.#waiters.settle(Number.POSITIVE_INFINITY, false)
    this.#report(trouble)
  }

  #report({ isSurelyNotWritten: _surely, isStale: _stale, ...trouble }: StorageTrouble): void {
    this.#options.onStatus({ ...trouble, waiting: this.waiting })
  }
}

/** One try to save, and whether it still counts. `fresh`: turns of which nothing was stored before. */
type Attempt = { fresh: readonly string[]; fence: number | undefined; isOver: boolean }
