import { type Clock, type Session, type StorageStatus, systemClock } from '@turnloop/core'
import { createFrameScheduler, type FrameScheduler } from '../frame-scheduler.ts'
import type { Readable } from '../use-selected.ts'
import { isNoted, type Note } from './notes.ts'
import { type Moment, SnapshotRing } from './snapshot-ring.ts'
import type { Step, Trace } from './trace.ts'

/** Older notes are let go of: the log still tells what their turns did. */
const MOST_NOTES = 1_000

/** Options of a recorder. */
export interface RecorderOptions {
  /** How many snapshots are kept. */
  readonly snapshots: number
  readonly clock?: Clock
}

/**
 * Hears what happens in a session and no log keeps, from `start()` on.
 *
 * It keeps snapshots, and tells its own listeners once a frame, only while there are listeners: with the panel closed an
 * event costs a look at its type, and nothing is held but the last thousand notes.
 */
export class SessionRecorder implements Readable<Trace> {
  readonly #session: Session
  readonly #clock: Clock
  readonly #ring: SnapshotRing
  readonly #frame: FrameScheduler
  readonly #listeners = new Set<() => void>()
  readonly #noted: Note[] = []
  #hasNews = false
  #storage: StorageStatus
  #turnId: string | undefined
  #trace: Trace

  constructor(session: Session, { snapshots, clock = systemClock }: RecorderOptions) {
    this.#session = session
    this.#clock = clock
    this.#ring = new SnapshotRing(snapshots)
    this.#frame = createFrameScheduler(() => this.#publish(), clock)
    const snapshot = session.getSnapshot()
    this.#storage = snapshot.storage
    this.#trace = { snapshot, entries: [], count: 0, notes: [], steps: [] }
  }

  readonly getSnapshot = (): Trace => this.#trace

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0) this.#open()
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#frame.cancel()
    }
  }

  /** Begin to listen; the returned function ends it. May be called again after that. */
  start(): () => void {
    const unsubscribe = this.#session.subscribe(() => this.#changed())
    const events = this.#session.events()[Symbol.asyncIterator]()
    // The reader ends with its session, or is left; it has nobody to tell of more than that.
    this.#hear(events).catch(() => {})
    return () => {
      unsubscribe()
      this.#frame.cancel()
      events.return?.()?.catch(() => {})
    }
  }

  async #hear(events: AsyncIterator<Parameters<typeof isNoted>[0]>): Promise<void> {
    for (let next = await events.next(); !next.done; next = await events.next())
      if (isNoted(next.value)) this.#note(next.value)
  }

  #note(note: Note): void {
    this.#noted.push(note)
    // In portions: to drop the first of a list moves all of it.
    if (this.#noted.length > MOST_NOTES * 1.25) this.#noted.splice(0, this.#noted.length - MOST_NOTES)
    this.#hasNews = true
    if (this.#listeners.size > 0) this.#frame.request()
  }

  #changed(): void {
    const snapshot = this.#session.getSnapshot()
    this.#turnId = snapshot.turn?.id ?? this.#turnId
    if (snapshot.storage !== this.#storage) this.#noteStorage(snapshot.storage)
    if (this.#listeners.size === 0) return
    this.#ring.add(snapshot, this.#clock.now())
    this.#frame.request()
  }

  #noteStorage(storage: StorageStatus): void {
    this.#storage = storage
    const after = this.#session.getEntries().at(-1)?.sequence ?? 0
    this.#note({ type: 'storage', turnId: this.#turnId, at: this.#clock.now(), after, storage })
  }

  #open(): void {
    // What was kept when the panel was last open is not what came before this.
    this.#ring.clear()
    this.#ring.add(this.#session.getSnapshot(), this.#clock.now())
    this.#hasNews = true
    this.#trace = this.#next()
  }

  #publish(): void {
    const next = this.#next()
    if (next === this.#trace) return
    this.#trace = next
    for (const listener of [...this.#listeners]) listener()
  }

  #next(): Trace {
    const before = this.#trace
    const snapshot = this.#session.getSnapshot()
    const entries = this.#session.getEntries()
    const isSame = snapshot === before.snapshot && entries === before.entries && entries.length === before.count
    if (isSame && !this.#hasNews) return before
    const notes = this.#hasNews ? [...this.#noted] : before.notes
    this.#hasNews = false
    const steps =
      snapshot === before.snapshot && before.steps.length > 0 ? before.steps : this.#ring.moments.map(toStep)
    return { snapshot, entries, count: entries.length, notes, steps }
  }
}

/** By the moment, so that a step is the same object as long as its moment is. */
const stepsOf = new WeakMap<Moment, Step>()

function toStep(moment: Moment): Step {
  const { number, at, snapshot, changed } = moment
  const known = stepsOf.get(moment)
  if (known !== undefined) return known
  const label = changed.length === 0 ? 'as it was found' : changed.join(', ')
  const step = { key: `${number}`, at, label, read: () => snapshot }
  stepsOf.set(moment, step)
  return step
}
