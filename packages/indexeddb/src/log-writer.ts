import type { SessionStore } from '@turnloop/core'
import { appendEntries, rewriteEntries } from './append-entries.ts'
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
  return {
    async claim(sessionId) {
      const save = await late.get(sessionId)
      const claim = await access(`Claiming session ${sessionId}`, (database) => claimSession(database, sessionId, save))
      if (save !== undefined) await late.remove(sessionId)
      return claim
    },

    async append(sessionId, entries, options = {}) {
      serial += 1
      // Who has no claim has no late saves either.
      const addition = { sessionId, entries, options, ...(options.fence !== undefined && { serial }) }
      const scope = { stores: LOG_STORES, durability: options.strict ? 'strict' : 'relaxed' } as const
      await access(`Saving session ${sessionId}`, (database) =>
        writeTransaction(database, scope, (transaction) => appendEntries(transaction, addition)),
      )
      onWritten(sessionId)
    },

    saveNow(sessionId, save) {
      try {
        late.put({ ...save, sessionId, serial })
      } catch {
        // Nobody is there to be told, and nothing was written.
      }
    },

    async rewrite(sessionId, entries, options = {}) {
      // It may hold what is being erased.
      await late.remove(sessionId)
      await access(`Rewriting entries of session ${sessionId}`, (database) =>
        writeTransaction(database, { stores: LOG_STORES }, (transaction) =>
          rewriteEntries(transaction, { sessionId, entries, options }),
        ),
      )
      onWritten(sessionId)
    },

    async remove(sessionId) {
      await late.remove(sessionId)
      const isEmpty = await access(`Removing session ${sessionId}`, (database) => removeSession(database, sessionId))
      onRemoved(sessionId, isEmpty)
    },
  }
}
