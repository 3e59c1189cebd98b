import { chainedIterator } from './chained-iterator.ts'
import { type Entry, isEntry } from './entries.ts'
import { describeThrown, toErrorRecord } from './errors.ts'
import { EventQueue } from './event-queue.ts'
import type { TurnEvent } from './events.ts'
import { EMPTY_SNAPSHOT, reduce, reduceLog } from './reduce.ts'
import { isSameEntry } from './same-entry.ts'
import { SessionEntries } from './session-entries.ts'
import type { OpenReply, SessionHead } from './session-store.ts'
import type { SessionStatus, Snapshot } from './snapshot.ts'
import { needsPast, showEarlier, showFrom, tailSnapshot, withEarlier, withPast } from './snapshot-pages.ts'
import { createSubscribers } from './subscribers.ts'
import { tombstonesOf } from './tombstone.ts'
import { UnseenText } from './unseen-text.ts'

/** Parts of a snapshot to change. A key set to `undefined` is taken out. */
export type SnapshotPatch = { readonly [Key in keyof Snapshot]?: Snapshot[Key] | undefined }

/** What a view is told about the session it shows. */
export interface SessionViewOptions {
  readonly start: Partial<Snapshot>
  now(): number
  /** What stands for `idle` while there is more to do: between two turns it must not look as if nothing were going on. */
  busyStatus(): 'running' | 'cancelling' | undefined
}

/** As many messages are shown where there are so many. */
const FEWEST = 10

/** What is known of entries that are taken in. */
export interface LoadOptions {
  readonly open?: OpenReply | undefined
  readonly head?: SessionHead | undefined
}

/** Hears every event that is applied. */
export type EventReader = Pick<EventQueue, 'push' | 'wake'>

/** What a session shows: the log as known here, the snapshot reduced from it, and who listens. */
export class SessionView {
  readonly #options: SessionViewOptions
  readonly #listeners = createSubscribers<void>((error) => this.#warnOnce(error))
  readonly #readers = new Set<EventReader>()
  /** Without the text that nobody has looked at. */
  #snapshot: Snapshot
  readonly #unseen = new UnseenText()
  #isClosed = false
  #isTogether = false
  #hasWarned = false
  /** The log as it is known here. */
  log: SessionEntries = new SessionEntries()
  /** Something happened that only the whole log tells what it means for the state. */
  needsPast = false

  constructor(options: SessionViewOptions) {
    this.#options = options
    this.#snapshot = { ...EMPTY_SNAPSHOT, ...options.start }
  }

  get snapshot(): Snapshot {
    const text = this.#unseen.take()
    // Whoever listens has been told.
    if (text !== undefined) this.#snapshot = reduce(this.#snapshot, text)
    return this.#snapshot
  }

  /** The snapshot's, without making one. */
  get status(): SessionStatus {
    return this.#snapshot.status
  }

  /** Whether a reply is growing. */
  get isGrowing(): boolean {
    return this.#snapshot.open !== undefined
  }

  get entries(): readonly Entry[] {
    return this.log.list
  }

  get lastSequence(): number {
    return this.log.last
  }

  /** The turn that has not ended. */
  get openTurnId(): string | undefined {
    return this.log.openTurnId
  }

  /** Whether a turn of this id has started, as far as the log is known. */
  hasTurn(turnId: string): boolean {
    return this.log.hasTurn(turnId)
  }

  /** Take an event in and tell everybody. */
  apply(event: TurnEvent): void {
    if (isEntry(event)) this.#keep([event])
    for (const reader of this.#readers) reader.push(event)
    if (!this.#isClosed && this.#unseen.keep(event, this.#snapshot.open?.id)) {
      this.#told()
      return
    }
    const next = reduce(this.snapshot, event)
    this.#set(event.type === 'rewound' ? this.#filled(next) : next)
    if (event.type === 'erased') this.replace(tombstonesOf(event, this.entries))
  }

  /**
   * Take stored entries in, without telling event readers: they happened before or elsewhere. With a `head` they are only the
   * end of the log that it is of.
   *
   * A turn that has not ended is one that was cut; `open` is the reply that was growing.
   */
  load(entries: readonly Entry[], change: SnapshotPatch, { open, head }: LoadOptions = {}): void {
    this.#keep(entries)
    if (head !== undefined) this.log.begin(head)
    const loaded = head === undefined ? reduceLog(this.snapshot, entries) : tailSnapshot(this.snapshot, entries, head)
    const cut = this.openTurnId
    this.#set(
      patched(this.#filled(loaded), {
        activity: undefined,
        resumable: cut === undefined ? undefined : true,
        ...(cut !== undefined && cut === open?.turnId && { open: open.message }),
        ...change,
      }),
    )
    // Of what was known before: what was read just now is without it.
    for (const entry of entries) if (entry.type === 'erased') this.replace(tombstonesOf(entry, this.entries))
  }

  /** Forget everything and start over from stored entries; up to sequence `stored` they are the ones that are here. */
  reset(entries: readonly Entry[], stored: number, change: SnapshotPatch): void {
    const { log } = this
    const { from } = this.snapshot.source
    this.log = new SessionEntries()
    this.#snapshot = EMPTY_SNAPSHOT
    // What was shown before stays the same objects, so that nobody has to draw it again.
    const kept = entries.map((entry) => {
      const before = entry.sequence > stored ? undefined : log.at(entry.sequence)
      return before !== undefined && isSameEntry(before, entry) ? before : entry
    })
    const head = kept[0]?.sequence === log.first ? log.head : undefined
    this.needsPast = head !== undefined && head.lastSequence > (kept.at(-1)?.sequence ?? 0)
    this.together(() => {
      this.load(kept, change, head && { head })
      if (from !== undefined && kept.length > 0) this.#set(this.#filled(showFrom(this.snapshot, from)))
    })
  }

  /** Whether so little is shown that more should be read at once. */
  get isShort(): boolean {
    return !this.log.isWhole && this.snapshot.hasEarlier && this.snapshot.messages.length === 0
  }

  /** Whether `count` more messages can be shown once these entries are put before the known ones. */
  canShow(count: number, older: readonly Entry[], isAll: boolean): boolean {
    const isWhole = isAll || this.log.isWhole
    return showEarlier(withEarlier(this.snapshot, older), { count, isWhole }) !== undefined
  }

  /** Put entries before the known ones, and show `count` more messages; `isAll`: nothing stands before them. */
  prepend(older: readonly Entry[], isAll: boolean, count = 0): void {
    const isNew = isAll && !this.log.isWhole
    if (older.length > 0 || isNew) this.log.prepend(older, isAll)
    if (isNew) this.needsPast = false
    const known = withEarlier(this.snapshot, older)
    // Of a log whose beginning is gone, the head knows more.
    const next = isNew && this.log.first === 1 ? withPast(known, this.log.list) : known
    const { isWhole } = this.log
    const shown = (count > 0 && showEarlier(next, { count, isWhole })) || this.#filled(next)
    const isAllShown = isWhole && !shown.hasEarlier && shown.source.from !== undefined
    this.#set(isAllShown ? showFrom(shown, undefined) : shown)
  }

  /** Put other entries in the place of known ones, by sequence, and show what follows from them. */
  replace(changed: ReadonlyMap<number, Entry>): void {
    if (changed.size === 0) return
    const { status, activity, queue, role, storage, resumable, open } = this.snapshot
    const entries = this.entries.map((entry) => changed.get(entry.sequence) ?? entry)
    this.together(() => this.reset(entries, 0, { status, activity, queue, role, storage, resumable, open }))
  }

  /** Change what is not derived from events. */
  patch(change: SnapshotPatch): void {
    this.#set(patched(this.snapshot, change))
  }

  /** Tell listeners once about all that `change` does. */
  together<T>(change: () => T): T {
    if (this.#isTogether) return change()
    const before = this.snapshot
    this.#isTogether = true
    try {
      return change()
    } finally {
      this.#isTogether = false
      if (this.snapshot !== before) this.#listeners.notify()
    }
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener)
  }

  addReader(reader: EventReader): void {
    this.#readers.add(reader)
  }

  events(): AsyncIterable<TurnEvent> {
    const queue = new EventQueue()
    let hasLeft = this.#isClosed
    this.#readers.add(queue)
    const read = async (): Promise<TurnEvent | undefined> => {
      for (;;) {
        const event = queue.shift()
        if (event !== undefined || hasLeft || this.#isClosed) return event
        await queue.changed()
      }
    }
    const leave = async (): Promise<void> => {
      hasLeft = true
      this.#readers.delete(queue)
      queue.wake()
    }
    const iterator = chainedIterator(read, leave, () => (this.#isClosed ? undefined : queue.shift()))
    return { [Symbol.asyncIterator]: () => iterator }
  }

  /** Tell those who read events that something went wrong beside the turn. */
  warn(message: string, error?: unknown): void {
    const turnId = this.openTurnId ?? ''
    const about = error === undefined ? {} : { error: toErrorRecord(error, 'internal') }
    const event = {
      type: 'warning',
      turnId,
      at: this.#options.now(),
      after: this.lastSequence,
      message,
      ...about,
    } as const
    for (const reader of this.#readers) reader.push(event)
  }

  close(): void {
    this.patch({ status: 'closed', activity: undefined })
    this.#isClosed = true
    for (const reader of this.#readers) reader.wake()
    this.#readers.clear()
  }

  #keep(entries: readonly Entry[]): void {
    for (const entry of entries) this.log.keep(entry)
    this.needsPast ||= !this.log.isWhole && entries.some(needsPast)
  }

  /** A rewind may have left behind all that was shown. */
  #filled(snapshot: Snapshot): Snapshot {
    if (!snapshot.hasEarlier || snapshot.messages.length >= FEWEST) return snapshot
    return showEarlier(snapshot, { count: FEWEST, isWhole: this.log.isWhole }) ?? snapshot
  }

  #set(snapshot: Snapshot): void {
    const rest = snapshot.outcome?.kind === 'awaiting' ? 'awaiting' : 'idle'
    const status = snapshot.status === 'idle' ? (this.#options.busyStatus() ?? rest) : snapshot.status
    // Most changes are deltas: nothing is copied for them.
    const next = status === snapshot.status ? snapshot : patched(snapshot, { status })
    if (next === this.#snapshot || this.#isClosed) return
    this.#snapshot = next
    this.#told()
  }

  #told(): void {
    if (!this.#isTogether) this.#listeners.notify()
  }

  /** A listener that throws would do so at every change: saying it once is enough. */
  #warnOnce(error: unknown): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.warn(`A subscriber threw: ${describeThrown(error)}`, error)
  }
}

/** The same snapshot if nothing differs. */
function patched(snapshot: Snapshot, change: SnapshotPatch): Snapshot {
  const before: Readonly<Record<string, unknown>> = { ...snapshot }
  const differing = Object.entries(change).filter(([key, value]) => !Object.is(before[key], value))
  if (differing.length === 0) return snapshot
  const next: Record<string, unknown> = { ...before }
  for (const [key, value] of differing) {
    if (value === undefined) delete next[key]
    else next[key] = value
  }
  // Only keys of a snapshot went in, and only optional ones are ever set to `undefined`.
  return next as unknown as Snapshot
}
