import type { Entry, Snapshot } from '@turnloop/core'
import type { Note } from './notes.ts'

/** What the views look at: a session as it goes on, or a recording up to where it is played. A new object after each change. */
export interface Trace {
  readonly snapshot: Snapshot
  /** The log, the same list as long as it only grows; `count` of it is to be looked at. */
  readonly entries: readonly Entry[]
  readonly count: number
  /** The same list until another one is heard. Empty for a recording. */
  readonly notes: readonly Note[]
  /** The snapshots that can be compared, oldest first; the same list until there is another. */
  readonly steps: readonly Step[]
}

/** A snapshot that can be looked at. */
export interface Step {
  readonly key: string
  /** Epoch ms. */
  readonly at: number
  /** What made it, or what it changed. */
  readonly label: string
  read(): Snapshot
}
