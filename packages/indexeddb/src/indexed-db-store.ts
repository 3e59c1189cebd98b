import {
  type BlobStore,
  type Clock,
  type SessionChannel,
  type SessionLock,
  type SessionStore,
  systemClock,
} from '@turnloop/core'
import { type Access, createBlobs } from './blobs.ts'
import { type DataMark, localMark, watchEviction } from './data-mark.ts'
import { createLateSaves, type LateSaves } from './late-saves.ts'
import { createLogWriter } from './log-writer.ts'
import { MIGRATIONS, type SessionDatabase } from './migrations.ts'
import { connectDatabase } from './open-database.ts'
import { onPageLeave } from './page-leave.ts'
import { requestPersistence, storeUsage } from './quota.ts'
import { joinAllLate, listHeads, readEntries, readRecord } from './session-transactions.ts'
import { toStorageError } from './storage-errors.ts'
import { createNotices } from './store-notices.ts'
import { tabChannel } from './tab-channel.ts'
import { tabLock } from './tab-lock.ts'

/** Options of `indexedDbStore()`. */
export interface IndexedDbStoreOptions {
  /** The database's name. Default `'turnloop'`. */
  name?: string
  /** How long a call waits for the database to open. Default 5,000. */
  openTimeoutMs?: number
  /** Called once when the database turns out to have been deleted, by the browser or by hand, since it held sessions. */
  onEvicted?(): void
  /** Remembers that the database held sessions. Default: an item in `localStorage`, where there is such a thing. */
  mark?: DataMark
  /** Default: the machine's. */
  clock?: Clock
}

/** A store with what tabs and workers share its sessions by, as far as the browser has it. */
export interface IndexedDbStore extends Required<Omit<SessionStore, 'lock' | 'channel' | 'blobs'>> {
  readonly lock: SessionLock | undefined
  readonly channel: SessionChannel | undefined
  readonly blobs: BlobStore | undefined
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
  const { name = 'turnloop', openTimeoutMs = 5_000, clock = systemClock, mark = localMark(name) } = options
  const eviction = watchEviction(mark, () => options.onEvicted?.())
  const late = createLateSaves(name, clock)
  const onOpened = (database: SessionDatabase): Promise<void> => joinLateSaves(database, late)
  const connection = connectDatabase({
    name,
    migrations: MIGRATIONS,
    openTimeoutMs,
    clock,
    onOpened,
    onCreated: eviction.onCreated,
  })
  const notices = createNotices(name, clock)

  /** Every access goes through here. `work` may run twice, which each of them bears. */
  const access: Access = async (what, work) => {
    try {
      return await connection.use(work)
    } catch (error) {
      throw await toStorageError(error, what)
    }
  }
  const writer = createLogWriter({
    late,
    access,
    onWritten(sessionId) {
      mark.set(true)
      notices.post(sessionId)
    },
    onRemoved(sessionId, isEmpty) {
      if (isEmpty) mark.set(false)
      notices.post(sessionId)
    },
  })

  return {
    ...writer,
    read: (sessionId, readOptions = {}) =>
      access(readingOf(sessionId), (database) => readEntries(database, sessionId, readOptions)),
    head: (sessionId) => access(readingOf(sessionId), (database) => readRecord(database, 'heads', sessionId)),
    open: (sessionId) => access(readingOf(sessionId), (database) => readRecord(database, 'opens', sessionId)),
    list: () => access('Listing sessions', listHeads),
    blobs: createBlobs(access),

    async usage() {
      // To find out whether the database is still there. Whatever is wrong with it, the browser's figures can be told.
      await connection.use(async () => {}).catch(() => {})
      return { ...(await storeUsage()), ...(eviction.isFound() && { wasEvicted: true }) }
    },
    requestPersistence,

    subscribe: (onChange) => notices.subscribe(onChange),
    whenLeaving: (listener) => onPageLeave(listener),
    lock: tabLock(name),
    channel: tabChannel(name),
  }
}

function readingOf(sessionId: string): string {
  return `Reading session ${sessionId}`
}

async function joinLateSaves(database: SessionDatabase, late: LateSaves): Promise<void> {
  const saves = await late.all()
  if (saves.length === 0) return
  await joinAllLate(database, saves)
  for (const { sessionId } of saves) await late.remove(sessionId)
}
