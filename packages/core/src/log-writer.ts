import type { Clock } from './clock.ts'
import type { Entry, EntryDraft } from './entries.ts'
import { deepFreeze } from './json.ts'

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
      const added = numberEntries(drafts, entries.length, clock)
      entries.push(...added)
      return { entries: added, saved: SAVED }
    },
    get lastSequence() {
      return entries.length
    },
  }
}

/** Of what is stored already: nobody has to wait for this very promise. */
export const SAVED: Promise<boolean> = Promise.resolve(true)

/** Give drafts their numbers, after `last`, and freeze them. */
export function numberEntries(drafts: readonly EntryDraft[], last: number, clock: Clock): Entry[] {
  const at = clock.now()
  return drafts.map((draft, index) => deepFreeze({ sequence: last + 1 + index, at, ...draft }))
}
