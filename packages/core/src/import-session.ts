import { type Clock, systemClock } from './clock.ts'
import { randomId } from './random-id.ts'
import { checkSessionFile, type SessionFile } from './session-file.ts'
import type { SessionStore } from './session-store.ts'
import { writeSession } from './session-travel.ts'

/** Where an imported session goes. */
export interface ImportOptions {
  readonly store: SessionStore
  /** Default: a new one, so that nothing is overwritten. */
  readonly id?: string
  readonly clock?: Clock
}

/**
 * Put the session of a file into a store; resolves with its id, to be opened with. A turn that the file cuts short waits to be
 * resumed, or is resumed, as `openSession` says.
 *
 * Rejects with `bad-input` for what is no session file, with `conflict` where the store has a session of that id.
 */
export async function importSession(file: SessionFile, options: ImportOptions): Promise<string> {
  checkSessionFile(file)
  const { store, id = randomId(), clock = systemClock } = options
  const { title, entries } = file
  const now = clock.now()
  const mark = { sequence: entries.length + 1, at: now, type: 'session-changed' } as const
  await writeSession(title === undefined ? entries : [...entries, { ...mark, title }], { id, store, now })
  return id
}
