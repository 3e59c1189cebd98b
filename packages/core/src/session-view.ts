import { type Entry, isEntry } from './entries.ts'
import { EventQueue } from './event-queue.ts'
import type { TurnEvent } from './events.ts'
import { EMPTY_SNAPSHOT, reduce } from './reduce.ts'
import type { Snapshot } from './snapshot.ts'
import { createSubscribers } from './subscribers.ts'

/** What a session shows: the log as known here, the snapshot reduced from it, and who listens. */
export class SessionView {
  readonly #entries: Entry[] = []
  readonly #listeners = createSubscribers<void>()
  readonly #readers = new Set<EventQueue>()
  #snapshot: Snapshot
  #isClosed = false
  /** Turns started so far. */
  turns = 0
  /** The turn that has not ended. */
  openTurnId: string | undefined

  constructor(start: Partial<Snapshot>) {
    this.#snapshot = { ...EMPTY_SNAPSHOT, ...start }
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

  /** Take an event in and tell everybody. */
  apply(event: TurnEvent): void {
    if (isEntry(event)) this.#keep(event)
    for (const reader of this.#readers) reader.push(event)
    this.#set(reduce(this.#snapshot, event))
  }

  /** Take stored entries in, without telling event readers: they happened before or elsewhere. */
  load(entries: readonly Entry[], change: Partial<Snapshot> = {}): void {
    let snapshot = this.#snapshot
    for (const entry of entries) {
      this.#keep(entry)
      snapshot = reduce(snapshot, entry)
    }
    this.#set({ ...snapshot, ...change })
  }

  /** Forget everything and start over from stored entries. */
  reset(entries: readonly Entry[], change: Partial<Snapshot>): void {
    this.#entries.length = 0
    this.turns = 0
    this.openTurnId = undefined
    this.#snapshot = { ...EMPTY_SNAPSHOT, ...change }
    this.load(entries, change)
  }

  /** Change what is not derived from events. A key set to `undefined` is taken out. */
  patch(change: { [Key in keyof Snapshot]?: Snapshot[Key] | undefined }): void {
    const next: Record<string, unknown> = { ...this.#snapshot }
    for (const [key, value] of Object.entries(change)) {
      if (value === undefined) delete next[key]
      else next[key] = value
    }
    // Only keys of a snapshot went in, and only optional ones are ever set to `undefined`.
    this.#set(next as unknown as Snapshot)
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener)
  }

  events(): AsyncIterable<TurnEvent> {
    const queue = new EventQueue()
    let hasLeft = this.#isClosed
    this.#readers.add(queue)
    const next = async (): Promise<IteratorResult<TurnEvent>> => {
      for (;;) {
        const event = queue.shift()
        if (event !== undefined) return { done: false, value: event }
        if (hasLeft || this.#isClosed) return { done: true, value: undefined }
        await queue.changed()
      }
    }
    const leave = async (): Promise<IteratorResult<TurnEvent>> => {
      hasLeft = true
      this.#readers.delete(queue)
      queue.wake()
      return { done: true, value: undefined }
    }
    return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
  }

  close(): void {
    this.#isClosed = true
    this.patch({ status: 'closed' })
    for (const reader of this.#readers) reader.wake()
    this.#readers.clear()
  }

  #keep(entry: Entry): void {
    this.#entries.push(entry)
    if (entry.path !== undefined) return
    if (entry.type === 'turn-started') {
      this.turns += 1
      this.openTurnId = entry.turnId
    }
    if (entry.type === 'turn-ended' && entry.turnId === this.openTurnId) this.openTurnId = undefined
  }

  #set(snapshot: Snapshot): void {
    if (snapshot === this.#snapshot) return
    this.#snapshot = snapshot
    this.#listeners.notify()
  }
}
