import { importSession, isTurnloopError, type SessionFile, type SessionStore } from '@turnloop/core'
import { plural } from '../app/format.ts'
import { type Observable, observable } from '../app/observable.ts'
import { goToSession } from '../app/route.ts'
import { toasts } from '../app/toasts.tsx'
import { isRecord } from '../data/is-record.ts'
import { readSessionFiles, SessionFileError, withoutOpenTurn } from './session-file.ts'

/** Why the last file could not be imported, for people; until it is dismissed or another one is. */
export const importTrouble: Observable<string | undefined> = observable<string | undefined>(undefined)

/** Put the sessions of a file beside those that are here, and open the one, if it is one. How it went is shown. Never rejects. */
export async function importFile(file: File, store: SessionStore): Promise<void> {
  importTrouble.set(undefined)
  const ids: string[] = []
  try {
    const found = readSessionFiles(await file.text(), file.name)
    for (const session of found) ids.push(await importOne(session, store))
    if (found.length === 0) throw new SessionFileError(`${file.name} holds no sessions.`)
  } catch (error) {
    importTrouble.set(troubleWords(error, file.name, ids.length))
  }
  const [first] = ids
  if (ids.length === 1 && first !== undefined) goToSession(first)
  if (ids.length > 0) toasts.add({ title: `${plural(ids.length, 'session')} imported.` })
}

async function importOne(file: unknown, store: SessionStore): Promise<string> {
  // What is no session file, importSession refuses; that is looked at first only for its open turn.
  const session = file as SessionFile
  const isLog = isRecord(file) && Array.isArray(file.entries) && file.entries.every(isRecord)
  return importSession(isLog ? withoutOpenTurn(session, Date.now()) : session, { store })
}

function troubleWords(error: unknown, fileName: string, imported: number): string {
  const why =
    error instanceof SessionFileError
      ? error.message
      : `${fileName} could not be imported. ${isTurnloopError(error) ? error.message : 'It could not be read.'}`
  return imported === 0 ? why : `${why} ${plural(imported, 'session')} before that ${imported > 1 ? 'were' : 'was'}.`
}
