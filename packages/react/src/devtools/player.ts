import { type Clock, systemClock } from '@turnloop/core'
import type { Readable } from '../use-selected.ts'
import type { Recording } from './recording.ts'
import type { Trace } from './trace.ts'

/** Where a recording stands. A new object after each change. */
export interface PlayState {
  readonly position: number
  readonly isPlaying: boolean
  /** How many times as fast as it was recorded. */
  readonly speed: number
  readonly trace: Trace
}

/** What the player is made with. */
export interface PlayerOptions {
  /** How many snapshots can be compared. */
  readonly snapshots: number
  readonly clock?: Clock
}

/** Nobody wants to wait for what a person thought about: longer pauses are shortened to this, in ms of the recording. */
export const LONGEST_PAUSE_MS = 2_000

/** Plays a recording entry by entry, with the pauses that there were between them. */
export class Player implements Readable<PlayState> {
  readonly recording: Recording
  readonly #snapshots: number
  readonly #clock: Clock
  readonly #listeners = new Set<() => void>()
  #state: PlayState
  #disarm = (): void => {}

  constructor(recording: Recording, { snapshots, clock = systemClock }: PlayerOptions) {
    this.recording = recording
    this.#snapshots = snapshots
    this.#clock = clock
    this.#state = { position: recording.length, isPlaying: false, speed: 1, trace: this.#traceAt(recording.length) }
  }

  readonly getSnapshot = (): PlayState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Play on to the end; from the start, where it stands at the end. */
  play(): void {
    const position = this.#state.position >= this.recording.length ? 0 : this.#state.position
    this.#set({ ...this.#to(position), isPlaying: position < this.recording.length })
    this.#arm()
  }

  pause(): void {
    this.#disarm()
    this.#set({ isPlaying: false })
  }

  /** Go to the state after so many entries, and stay there. */
  seek(position: number): void {
    this.pause()
    this.#set(this.#to(Math.max(0, Math.min(this.recording.length, position))))
  }

  setSpeed(speed: number): void {
    this.#set({ speed })
    if (this.#state.isPlaying) this.#arm()
  }

  #arm(): void {
    this.#disarm()
    const { position, isPlaying, speed } = this.#state
    if (!isPlaying) return
    const { entries } = this.recording.file
    const [before, next] = [entries[position - 1], entries[position]]
    if (next === undefined) {
      this.#set({ isPlaying: false })
      return
    }
    const pause = before === undefined ? 0 : Math.max(0, Math.min(next.at - before.at, LONGEST_PAUSE_MS))
    this.#disarm = this.#clock.setTimer(() => this.#advance(), pause / speed)
  }

  #advance(): void {
    this.#set(this.#to(this.#state.position + 1))
    this.#arm()
  }

  #to(position: number): Pick<PlayState, 'position' | 'trace'> {
    return { position, trace: this.#traceAt(position) }
  }

  #traceAt(position: number): Trace {
    const { recording } = this
    return {
      snapshot: recording.at(position),
      entries: recording.file.entries,
      count: position,
      notes: [],
      steps: recording.steps(position, this.#snapshots),
    }
  }

  #set(change: Partial<PlayState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of [...this.#listeners]) listener()
  }
}
