import {
  EMPTY_SNAPSHOT,
  type Entry,
  isTurnloopError,
  reduce,
  replay,
  type SessionFile,
  type Snapshot,
} from '@turnloop/core'
import { entryWords } from './entry-words.ts'
import type { Step } from './trace.ts'

/** So far apart are snapshots kept, to go back to: the rest is played again. */
const APART = 128

/** A session file that can be looked at after any of its entries. No model is asked and no tool runs. */
export class Recording {
  readonly file: SessionFile
  readonly #kept = new Map<number, Snapshot>([[0, EMPTY_SNAPSHOT]])
  #last: { position: number; snapshot: Snapshot } = { position: 0, snapshot: EMPTY_SNAPSHOT }

  constructor(file: SessionFile) {
    this.file = file
  }

  get length(): number {
    return this.file.entries.length
  }

  /** The snapshot after so many entries. A step on costs that step; a step back, or a leap, up to 128 more. */
  at(position: number): Snapshot {
    const target = Math.max(0, Math.min(this.length, Math.floor(position)))
    let { position: at, snapshot } = this.#nearest(target)
    while (at < target) {
      const entry = this.file.entries[at]
      if (entry !== undefined) snapshot = reduce(snapshot, entry)
      at += 1
      if (at % APART === 0) this.#kept.set(at, snapshot)
    }
    this.#last = { position: target, snapshot }
    return snapshot
  }

  #nearest(target: number): { position: number; snapshot: Snapshot } {
    if (this.#last.position <= target && target - this.#last.position < APART) return this.#last
    for (let position = target - (target % APART); position > 0; position -= APART) {
      const snapshot = this.#kept.get(position)
      if (snapshot !== undefined) return { position, snapshot }
    }
    return this.#last.position <= target ? this.#last : { position: 0, snapshot: EMPTY_SNAPSHOT }
  }

  /** What can be compared: the snapshots after the last `count` entries up to a position, made when they are read. */
  steps(position: number, count: number): Step[] {
    const from = Math.max(0, position - count)
    return this.file.entries.slice(from, position).map((entry, index) => this.#step(entry, from + index + 1))
  }

  #step(entry: Entry, position: number): Step {
    return {
      key: `${position}`,
      at: entry.at,
      get label() {
        return entryWords(entry)
      },
      read: () => this.at(position),
    }
  }
}

/** Read an exported session. Rejects with an error whose message says in words what is wrong with the text. */
export async function readRecording(text: string): Promise<Recording> {
  const file = parse(text)
  try {
    for await (const _ of replay(file)) break
    const recording = new Recording(file)
    // Played once to its end: an entry that cannot be read is found here rather than half-way.
    recording.at(recording.length)
    return recording
  } catch (error) {
    if (isTurnloopError(error)) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`The file looks like an exported session, but one of its entries cannot be played: ${why}`)
  }
}

function parse(text: string): SessionFile {
  try {
    // What it is, replay() checks.
    const file: SessionFile = JSON.parse(text)
    return file
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`This is no JSON, and so no exported session: ${why}`)
  }
}
