import { type Agent, openSession, type SessionFile, type SessionStore } from '@turnloop/core'
import { plural } from '../app/format.ts'
import { saveFile } from '../app/save-file.ts'
import { toasts } from '../app/toasts.tsx'
import { BUNDLE_FORMAT, dayOf, type SessionBundle, sessionFileName } from './session-file.ts'

/** Where sessions are read from. */
export interface SessionHome {
  readonly agent: Agent
  readonly store: SessionStore
}

/** Save what a session is exported as. Failures are shown; never rejects. */
export async function saveSession(exported: Promise<SessionFile>, kind: 'whole' | 'redacted' = 'whole'): Promise<void> {
  try {
    const file = await exported
    save(file, sessionFileName(kind === 'whole' ? file.title : 'redacted session', dayOf(file.exportedAt)))
  } catch (error) {
    toasts.add({ title: error instanceof Error ? error.message : 'The session could not be exported.' })
  }
}

/** Save all sessions in one file. Those that cannot be read are left out, and told of. */
export async function exportAll(sessionIds: readonly string[], home: SessionHome): Promise<void> {
  const sessions: SessionFile[] = []
  let failed = 0
  for (const sessionId of sessionIds) {
    try {
      sessions.push(await readSession(sessionId, home))
    } catch {
      failed += 1
    }
  }
  const exportedAt = Date.now()
  const bundle: SessionBundle = { format: BUNDLE_FORMAT, version: 1, exportedAt, sessions }
  save(bundle, sessionFileName('sessions', dayOf(exportedAt)))
  if (failed > 0)
    toasts.add({
      title: `${plural(failed, 'session')} could not be read and ${failed > 1 ? 'are' : 'is'} not in the file.`,
    })
}

/** Read a stored session whether or not it is shown. Nothing of it is gone on with. */
export async function readSession(sessionId: string, { agent, store }: SessionHome): Promise<SessionFile> {
  const session = openSession({ agent, store, id: sessionId, resume: 'manual' })
  try {
    return await session.export()
  } finally {
    await session.close({ running: 'leave' })
  }
}

function save(content: SessionFile | SessionBundle, name: string): void {
  saveFile(new Blob([JSON.stringify(content, null, 1)], { type: 'application/json' }), name)
}
