import { ABANDONED, settleBefore } from './abort.ts'
import type { Clock } from './clock.ts'
import type { Entry, EntryDraft } from './entries.ts'
import { StorageError, type TurnloopErrorCode, toErrorRecord } from './errors.ts'
import { deepFreeze } from './json.ts'
import type { AppendOptions, Claim, OpenReply, SessionHead, SessionStore } from './session-store.ts'
import type { StorageStatus } from './snapshot.ts'

/** What appending gave: the entries at once, and whether they are kept. */
export interface Appended {
  /** Numbered and frozen: the very objects that are stored. */
  readonly entries: readonly Entry[]
  /**
   * Never rejects. `true` when they are stored, or when this log stores nothing at all of their turn, so that no reload
   * could contradict what happens next; `false` when saving failed or took too long.
   */
  readonly saved: Promise<boolean>
}

/** The one writer of a log. Numbers entries at once; saves them behind. */
export interface LogWriter {
  append(...drafts: EntryDraft[]): Appended
  /** The sequence of the last entry. */
  readonly lastSequence: number
}

/** A log that lives in memory only: of a turn without a session. */
export function createMemoryLog(clock: Clock): LogWriter & { readonly entries: readonly Entry[] } {
  const entries: Entry[] = []
  return {
    entries,
    append(...drafts) {
      const added = number(drafts, entries.length, clock)
      entries.push(...added)
      return { entries: added, saved: SAVED }
    },
    get lastSequence() {
      return entries.length
    },
  }
}

const SAVED = Promise.resolve(true)

function number(drafts: readonly EntryDraft[], last: number, clock: Clock): Entry[] {
  const at = clock.now()
  return drafts.map((draft, index) => deepFreeze({ sequence: last + 1 + index, at, ...draft }))
}

/** What a session log is made of. */
export interface SessionLogOptions {
  readonly sessionId: string
  readonly store: SessionStore
  readonly clock: Clock
  readonly saveTimeoutMs: number
  /** The session's head and growing reply as they should be stored now. */
  records(): { head: SessionHead; open: OpenReply | null }
  onStatus(status: StorageStatus): void
  /** Another writer has taken over: nothing more is written. */
  onStale(): void
}

/**
 * The log of a session that has a store: entries queue in memory and are saved in order, one append at a time.
 *
 * A failing save never breaks anything: entries wait, the status says so, and they are tried again, oldest first, in one
 * append, with growing pauses.
 */
export class SessionLog implements LogWriter {
  readonly #options: SessionLogOptions
  #last = 0
  #fence: number | undefined
  #waiting: Entry[] = []
  #waiters: { sequence: number; settle(outcome: 'stored' | 'failed'): void }[] = []
  /** Turns of which something is stored, or may be: a save whose answer was lost may have happened. */
  readonly #touched = new Set<string>()
  #recordsDirty = false
  #saving: Promise<void> | undefined
  #failures = 0
  #cancelRetry: (() => void) | undefined
  #closed = false

  constructor(options: SessionLogOptions) {
    this.#options = options
  }

  get lastSequence(): number {
    return this.#last
  }

  /** Start after what is stored already. Only while nothing waits. */
  startAfter(sequence: number): void {
    this.#last = sequence
  }

  /** Whether some entries are not saved yet. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0 || this.#recordsDirty
  }

  /** Become the writer. Throws what the store throws; entries that wait go out with the new fence. */
  async claim(): Promise<Claim> {
    const claim = await this.#options.store.claim(this.#options.sessionId)
    this.#fence = claim.fence
    return claim
  }

  append(...drafts: EntryDraft[]): Appended {
    const entries = number(drafts, this.#last, this.#options.clock)
    this.#last += entries.length
    if (this.#closed) return { entries, saved: NOT_SAVED }
    this.#waiting.push(...entries)
    const saved = this.#whenSaved(this.#last, entries[0]?.turnId)
    this.#schedule()
    return { entries, saved }
  }

  /** Save head and growing reply, with the next entries or by themselves. */
  saveRecords(): void {
    if (this.#closed) return
    this.#recordsDirty = true
    this.#schedule()
  }

  /** Try now whatever waits; resolves when nothing waits any more or a save has failed. */
  async flush(): Promise<void> {
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    if (this.isWaiting) this.#schedule()
    while (this.#saving !== undefined) await this.#saving
  }

  /** Mark that something of a turn is stored outside the entries: its input, in the queue. */
  touch(turnId: string): void {
    this.#touched.add(turnId)
  }

  /** Write nothing more. What waits is dropped. */
  close(): void {
    this.#closed = true
    this.#cancelRetry?.()
    this.#settleWaiters(Number.POSITIVE_INFINITY, 'failed')
  }

  async #whenSaved(sequence: number, turnId: string | undefined): Promise<boolean> {
    const outcome = new Promise<'stored' | 'failed'>((settle) => {
      this.#waiters.push({ sequence, settle })
    })
    // Between two tries nothing is asked to wait: a store that is down must not slow every step.
    if (this.#cancelRetry !== undefined) this.#settleWaiters(sequence, 'failed')
    const { saveTimeoutMs, clock } = this.#options
    const result = await settleBefore(outcome, saveTimeoutMs, clock)
    if (result === 'stored') return true
    if (result === ABANDONED) this.#report('degraded', 'storage-unavailable', 'Saving takes unusually long.')
    return turnId !== undefined && !this.#touched.has(turnId)
  }

  #schedule(): void {
    if (this.#saving !== undefined || this.#cancelRetry !== undefined || this.#closed) return
    // One turn of the microtask queue, so that what is appended together is saved together.
    this.#saving = Promise.resolve()
      .then(() => this.#save())
      .finally(() => {
        this.#saving = undefined
        if (this.isWaiting) this.#schedule()
      })
  }

  async #save(): Promise<void> {
    const batch = [...this.#waiting]
    const withRecords = this.#recordsDirty || batch.length > 0
    this.#recordsDirty = false
    const touchedNow = this.#touch(batch)
    try {
      if (this.#fence === undefined) await this.#claimLate()
      await this.#options.store.append(this.#options.sessionId, batch, this.#appendOptions(batch, withRecords))
      this.#saved(batch)
    } catch (error) {
      this.#recordsDirty ||= withRecords
      this.#failed(error, touchedNow)
    }
  }

  #appendOptions(batch: readonly Entry[], withRecords: boolean): AppendOptions {
    return {
      ...(this.#fence !== undefined && { fence: this.#fence }),
      ...(withRecords && this.#options.records()),
      ...(batch.some((entry) => entry.type === 'tool-started') && { strict: true }),
    }
  }

  /** The first claim failed when the session was opened: only a log that is still where we think it is may be joined. */
  async #claimLate(): Promise<void> {
    const { lastSequence } = await this.claim()
    const expected = (this.#waiting[0]?.sequence ?? this.#last + 1) - 1
    if (lastSequence === expected) return
    throw new StorageError(
      'conflict',
      `Session ${this.#options.sessionId} has ${lastSequence} stored entries that this page has not read.`,
    )
  }

  /** Count the batch's turns as stored from the moment the store is asked; returns those that were not before. */
  #touch(batch: readonly Entry[]): readonly string[] {
    const turnIds = new Set(batch.flatMap((entry) => entry.turnId ?? []))
    const fresh = [...turnIds].filter((turnId) => !this.#touched.has(turnId))
    for (const turnId of fresh) this.#touched.add(turnId)
    return fresh
  }

  #saved(batch: readonly Entry[]): void {
    this.#failures = 0
    this.#waiting.splice(0, batch.length)
    const last = batch.at(-1)?.sequence
    if (last !== undefined) this.#settleWaiters(last, 'stored')
    for (const entry of batch) if (entry.type === 'turn-ended') this.#touched.delete(entry.turnId ?? '')
    this.#report('ready')
  }

  #failed(error: unknown, touchedNow: readonly string[]): void {
    const { code, message } = toErrorRecord(error, 'storage-unavailable')
    if (code === 'stale-fence' || code === 'conflict') {
      this.close()
      this.#report('lost', code, message)
      this.#options.onStale()
      return
    }
    if (SURELY_NOT_WRITTEN.has(code)) for (const turnId of touchedNow) this.#touched.delete(turnId)
    this.#failures += 1
    this.#settleWaiters(Number.POSITIVE_INFINITY, 'failed')
    this.#report(STATE_OF[code] ?? 'degraded', code, message)
    const pauseMs = Math.min(1000 * 2 ** (this.#failures - 1), MAX_PAUSE_MS)
    this.#cancelRetry = this.#options.clock.setTimer(() => {
      this.#cancelRetry = undefined
      this.#schedule()
    }, pauseMs)
  }

  #settleWaiters(upTo: number, outcome: 'stored' | 'failed'): void {
    const done = this.#waiters.filter((waiter) => waiter.sequence <= upTo)
    this.#waiters = this.#waiters.filter((waiter) => waiter.sequence > upTo)
    for (const waiter of done) waiter.settle(outcome)
  }

  #report(state: StorageStatus['state'], reason?: TurnloopErrorCode, message?: string): void {
    const waiting = this.#waiting.length
    this.#options.onStatus({ state, waiting, ...(reason && { reason }), ...(message && { message }) })
  }
}

const NOT_SAVED = Promise.resolve(false)

const MAX_PAUSE_MS = 30_000

/** Refused before anything could be written, unlike a connection that was lost in between. */
const SURELY_NOT_WRITTEN: ReadonlySet<string> = new Set<TurnloopErrorCode>([
  'quota-exceeded',
  'not-cloneable',
  'blocked-by-other-tab',
  'newer-version',
  'storage-unavailable',
])

const STATE_OF: { readonly [Code in TurnloopErrorCode]?: StorageStatus['state'] } = {
  'quota-exceeded': 'full',
  'storage-unavailable': 'blocked',
  'blocked-by-other-tab': 'blocked',
  'newer-version': 'blocked',
}
