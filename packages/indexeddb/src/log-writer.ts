import type { AppendOptions, SessionStore } from '@turnloop/core'
import { type Addition, appendEntries } from './append-entries.ts'
import type { Access } from './blobs.ts'
import type { LateSaves } from './late-saves.ts'
import { claimSession, removeSession } from './session-transactions.ts'
import { LOG_STORES, writeTransaction } from './transactions.ts'

/** What a log writer is given. */
export interface LogWriterOptions {
  readonly late: LateSaves
  readonly access: Access
  /** A session was written, and all of it is stored. */
  onWritten(sessionId: string): void
  /** A session was removed; `isEmpty`: and no other is left. */
  onRemoved(sessionId: string, isEmpty: boolean): void
}

/** The methods of a store that change sessions. */
export type LogWriter = Required<Pick<SessionStore, 'claim' | 'append' | 'saveNow' | 'rewrite' | 'remove'>>

/** Create them. Together they number their writes, so that a late save can be told from one that was overtaken. */
export function createLogWriter({ late, access, onWritten, onRemoved }: LogWriterOptions): LogWriter {
  let serial = 0
  const write = async (task: string, addition: Addition): Promise<void> => {
    serial += 1
    const { strict, fence } = addition.options
    const scope = { stores: LOG_STORES, durability: strict ? 'strict' : 'relaxed' } as const
    // Who has no claim has no late saves either.
    const numbered = { ...addition, ...(fence !== undefined && { serial }) }
    await access(`${task} session ${addition.sessionId}`, (database) =>
      writeTransaction(database, scope, (transaction) => appendEntries(transaction, numbered)),
    )
    onWritten(addition.sessionId)
  }
  return {
    async claim(sessionId) {
      const save = await late.get(sessionId)
      const claim = await access(`Claiming session ${sessionId}`, (database) => claimSession(database, sessionId, save))
      if (save !== undefined) await late.remove(sessionId)
      return claim
    },

    append: (sessionId, entries, options: AppendOptions = {}) => write('Saving', { sessionId, entries, options }),

    saveNow(sessionId, save) {
      try {
        late.put({ ...save, sessionId, serial })
      } catch {
        // Nobody is there to be told, and nothing was written.
      }
    },

    async rewrite(sessionId, rewritten, { append: entries = [], ...options } = {}) {
      // It may hold what is being erased.
      await late.remove(sessionId)
      await write('Rewriting', { sessionId, entries, rewritten, options })
    },

    async remove(sessionId) {
      await late.remove(sessionId)
      const isEmpty = await access(`Removing session ${sessionId}`, (database) => removeSession(database, sessionId))
      onRemoved(sessionId, isEmpty)
    },
  }
}
