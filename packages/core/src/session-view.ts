import { chainedIterator } from './chained-iterator.ts'
import { type Entry, isEntry, isNested } from './entries.ts'
import { describeThrown, toErrorRecord } from './errors.ts'
import { EventQueue } from './event-queue.ts'
import type { TurnEvent } from './events.ts'
import { EMPTY_SNAPSHOT, reduce, reduceLog } from './reduce.ts'
import { isSameEntry } from './same-entry.ts'
import type { OpenReply } from './session-store.ts'
import type { Snapshot } from './snapshot.ts'
import { createSubscribers } from './subscribers.ts'

/** Parts of a snapshot to change. A key set to `undefined` is taken out. */
export type SnapshotPatch = { readonly [Key in keyof Snapshot]?: Snapshot[Key] | undefined }

/** What a view is told about the session it shows. */
export interface SessionViewOptions {
  readonly start: Partial<Snapshot>
  now(): number
  /** What stands for `idle` while there is more to do: between two turns it must not look as if nothing were going on. */
  busyStatus(): 'running' | 'cancelling' | undefined
}

/** Hears every event that is applied. */
export type EventReader = Pick<EventQueue, 'push' | 'wake'>

/** What a session shows: the log as known here, the snapshot reduced from it, and who listens. */
export class SessionView {
  readonly #options: SessionViewOptions
  readonly #entries: Entry[] = []
  readonly #turnIds = new Set<string>()
  /** The turn of each user message. */
  readonly #inputs = new Map<string, string>()
  readonly #listeners = createSubscribers<void>((error) => this.#warnOnce(error))
  readonly #readers = new Set<EventReader>()
  #snapshot: Snapshot
  #isClosed = false
  #isTogether = false
  #hasWarned = false
  /** The turn that started last. */
  lastTurnId: string | undefined
  /** The turn that has not ended. */
  openTurnId: string | undefined

  constructor(options: SessionViewOptions) {
    this.#options = options
    this.#snapshot = { ...EMPTY_SNAPSHOT, ...options.start }
  }

  get snapshot(): Snapshot {
    return this.#snapshot
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  get lastSequence(): number {
    return this.#entries.at(-1)?.sequence ?? 0
  }

  /** How many turns have started. */
  get turns(): number {
    return this.#turnIds.size
  }

  /** Whether the input of this id is in the log. */
  hasInput(id: string): boolean {
    return this.#inputs.has(id)
  }

  /** The turn that an input has joined. */
  turnOfInput(id: string): string | undefined {
    return this.#inputs.get(id)
  }

  /** Whether a turn of this id has started. */
  hasTurn(turnId: string): boolean {
    return this.#turnIds.has(turnId)
  }

  /** Take an event in and tell everybody. */
  apply(event: TurnEvent): void {
    if (isEntry(event)) this.#keep(event)
    for (const reader of this.#readers) reader.push(event)
    this.#set(reduce(this.#snapshot, event))
  }

  /**
   * Take stored entries in, without telling event readers: they happened before or elsewhere.
   *
   * A turn that has not ended is one that was cut; `open` is the reply that was growing.
   */
  load(entries: readonly Entry[], change: SnapshotPatch, open?: OpenReply): void {
    for (const entry of entries) this.#keep(entry)
    const cut = this.openTurnId
    this.#set(
      patched(reduceLog(this.#snapshot, entries), {
        activity: undefined,
        resumable: cut === undefined ? undefined : true,
        ...(cut !== undefined && cut === open?.turnId && { open: open.message }),
        ...change,
      }),
    )
  }

  /** Forget everything and start over from stored entries; up to sequence `stored` they are the ones that are here. */
  reset(entries: readonly Entry[], stored: number, change: SnapshotPatch): void {
    const known = this.#entries.slice(0, stored)
    this.#entries.length = 0
    this.#turnIds.clear()
    this.#inputs.clear()
    this.lastTurnId = undefined
    this.openTurnId = undefined
    this.#snapshot = EMPTY_SNAPSHOT
    // What was shown before stays the same objects, so that nobody has to draw it again.
    const kept = entries.map((entry, index) => {
      const before = known[index]
      return before !== undefined && isSameEntry(before, entry) ? before : entry
    })
    this.load(kept, change)
  }

  /** Change what is not derived from events. */
  patch(change: SnapshotPatch): void {
    this.#set(patched(this.#snapshot, change))
  }

  /** Tell listeners once about all that `change` does. */
  together<T>(change: () => T): T {
    if (this.#isTogether) return change()
    const before = this.#snapshot
    this.#isTogether = true
    try {
      return change()
    } finally {
      this.#isTogether = false
      if (this.#snapshot !== before) this.#listeners.notify()
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

  #keep(entry: Entry): void {
    this.#entries.push(entry)
    if (isNested(entry)) return
    if (entry.type === 'turn-started' && entry.turnId !== undefined) {
      this.#turnIds.add(entry.turnId)
      this.lastTurnId = entry.turnId
      this.openTurnId = entry.turnId
    }
    if (entry.type === 'message' && entry.message.role === 'user')
      this.#inputs.set(entry.message.id, entry.turnId ?? '')
    if (entry.type === 'turn-ended' && entry.turnId === this.openTurnId) this.openTurnId = undefined
  }

  #set(snapshot: Snapshot): void {
    const rest = snapshot.outcome?.kind === 'awaiting' ? 'awaiting' : 'idle'
    const status = snapshot.status === 'idle' ? (this.#options.busyStatus() ?? rest) : snapshot.status
    const next = patched(snapshot, { status })
    if (next === this.#snapshot || this.#isClosed) return
    this.#snapshot = next
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
