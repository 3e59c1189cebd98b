import { type Clock, type SessionChannel, type SessionLock, type SessionStore, systemClock } from '@turnloop/core'
import { appendEntries } from './append-entries.ts'
import { keyRange, sequenceRange } from './key-range.ts'
import { MIGRATIONS, type SessionDatabase } from './migrations.ts'
import { connectDatabase } from './open-database.ts'
import { toStorageError } from './storage-errors.ts'
import { createNotices } from './store-notices.ts'
import { tabChannel } from './tab-channel.ts'
import { tabLock } from './tab-lock.ts'
import { readTransaction, unwatched, writeTransaction } from './transactions.ts'

/** Options of `indexedDbStore()`. */
export interface IndexedDbStoreOptions {
  /** The database's name. Default `'turnloop'`. */
  name?: string
  /** How long a call waits for the database to open. Default 5,000. */
  openTimeoutMs?: number
  /** Default: the machine's. */
  clock?: Clock
}

/** A store with what tabs and workers share its sessions by, as far as the browser has it. */
export interface IndexedDbStore extends SessionStore {
  readonly lock: SessionLock | undefined
  readonly channel: SessionChannel | undefined
}

/**
 * Keep sessions in IndexedDB, in a page or in a worker.
 *
 * Creating it does nothing yet: the database opens at the first call. Make one per page and share it. Every write
 * resolves when its transaction is complete, so what resolved is readable from every tab; each tab, and each other
 * store of the same name, hears of it through `subscribe`. Tabs that have the same session open share it: one drives, the
 * others follow.
 *
 * Its methods throw `StorageError`: `storage-unavailable` (forbidden here, or not open in time), `newer-version` (a newer
 * version of the page has been here), `blocked-by-other-tab` (a tab with an older version is in the way; a later call
 * may succeed), `quota-exceeded` (with `usedBytes` and `quotaBytes` where the browser tells), `disconnected` (the browser
 * closed the database, and opening it again did not help).
 */
export function indexedDbStore(options: IndexedDbStoreOptions = {}): IndexedDbStore {
  const { name = 'turnloop', openTimeoutMs = 5_000, clock = systemClock } = options
  const connection = connectDatabase({ name, migrations: MIGRATIONS, openTimeoutMs, clock })
  const notices = createNotices(name)

  /** Every access goes through here. `work` may run twice, which each of them bears. */
  const access = async <T>(what: string, work: (database: SessionDatabase) => Promise<T>): Promise<T> => {
    try {
      return await connection.use(work)
    } catch (error) {
      throw await toStorageError(error, what)
    }
  }

  const read = <T>(sessionId: string, work: Parameters<typeof readTransaction<T>>[1]): Promise<T> =>
    access(`Reading session ${sessionId}`, (database) => readTransaction(database, work))

  return {
    claim: (sessionId) => access(`Claiming session ${sessionId}`, (database) => claimSession(database, sessionId)),

    async append(sessionId, entries, appendOptions = {}) {
      const addition = { sessionId, entries, options: appendOptions }
      const durability = appendOptions.strict ? 'strict' : 'relaxed'
      await access(`Saving session ${sessionId}`, (database) =>
        writeTransaction(database, durability, (transaction) => appendEntries(transaction, addition)),
      )
      notices.post(sessionId)
    },

    read: (sessionId, readOptions = {}) =>
      read(sessionId, async (transaction) => {
        const state = await transaction.objectStore('logs').get(sessionId)
        const { from, to } = sequenceRange(readOptions, state?.lastSequence ?? 0)
        return from > to ? [] : transaction.objectStore('entries').getAll(keyRange(sessionId, from, to))
      }),

    head: (sessionId) => read(sessionId, (transaction) => transaction.objectStore('heads').get(sessionId)),

    open: (sessionId) => read(sessionId, (transaction) => transaction.objectStore('opens').get(sessionId)),

    async list() {
      const heads = await access('Listing sessions', (database) =>
        readTransaction(database, (transaction) => transaction.objectStore('heads').getAll()),
      )
      return heads.sort((a, b) => b.updatedAt - a.updatedAt)
    },

    async remove(sessionId) {
      await access(`Removing session ${sessionId}`, (database) => removeSession(database, sessionId))
      notices.post(sessionId)
    },

    subscribe: (onChange) => notices.subscribe(onChange),
    lock: tabLock(name),
    channel: tabChannel(name),
  }
}

function claimSession(database: SessionDatabase, sessionId: string): Promise<{ fence: number; lastSequence: number }> {
  return writeTransaction(database, 'relaxed', async (transaction) => {
    const counters = transaction.objectStore('counters')
    const logs = transaction.objectStore('logs')
    // One count for all sessions: a session that was removed and made again gets no fence that somebody still holds.
    const fence = ((await counters.get('fence')) ?? 0) + 1
    const lastSequence = (await logs.get(sessionId))?.lastSequence ?? 0
    unwatched(counters.put(fence, 'fence'))
    unwatched(logs.put({ fence, lastSequence }, sessionId))
    return { fence, lastSequence }
  })
}

function removeSession(database: SessionDatabase, sessionId: string): Promise<void> {
  return writeTransaction(database, 'relaxed', async (transaction) => {
    unwatched(transaction.objectStore('entries').delete(keyRange(sessionId, 1, Number.POSITIVE_INFINITY)))
    for (const name of ['heads', 'opens', 'logs'] as const) unwatched(transaction.objectStore(name).delete(sessionId))
  })
}
