import type { Entry } from './entries.ts'
import { isSameEntry } from './same-entry.ts'
import { type SessionEntries, startsTurn } from './session-entries.ts'
import type { SessionLog } from './session-log.ts'
import type { OpenReply, QueuedInput, SessionHead, SessionStore } from './session-store.ts'
import { logIsGone } from './storage-trouble.ts'

/** What a store holds of a session, or of it what is not known yet. */
export interface StoredSession {
  readonly entries: readonly Entry[]
  readonly queue: readonly QueuedInput[]
  readonly open: OpenReply | undefined
  readonly isQueueHeld: boolean
  /** Of the page that wrote last; 0 where none is known. */
  readonly fence: number
  /** The entries are only the end of the log that this head is of. */
  readonly head?: SessionHead
  /** Where the log ends. Default: where its entries do. */
  readonly lastSequence?: number
  /** The log is not the one that is shown: these are all its entries. */
  readonly isOther?: boolean
}

/** As many entries are read at first; a session that has no more is read as a whole. */
const TAIL = 200

/** Read a session: as a whole, or of a long one the head and whole turns at the end of its log. */
export async function readSession(store: SessionStore, sessionId: string): Promise<StoredSession> {
  const [end, head, open] = await Promise.all([
    store.read(sessionId, { limit: TAIL }),
    store.head(sessionId),
    store.open(sessionId),
  ])
  const records = { ...recordsOf(head), open }
  if (end.length !== TAIL || end[0]?.sequence === 1) return { ...records, entries: end }
  const known = end.at(-1)?.sequence ?? 0
  // Another page has written since: what the head tells of is in the log by now.
  const news = head !== undefined && known < head.lastSequence ? await store.read(sessionId, { after: known }) : []
  const first = end[0]?.sequence ?? 1
  const isHeaded = head !== undefined && known + news.length >= head.lastSequence
  if (!isHeaded) return { ...records, entries: await store.read(sessionId) }
  const start = end.findIndex(startsTurn)
  const older = start < 0 ? await readBefore(store, sessionId, first) : undefined
  const entries = [...(older?.entries ?? []), ...end.slice(Math.max(start, 0)), ...news]
  return { ...records, entries, ...(older?.isAll ? {} : { head }) }
}

/** Entries right before others, and whether nothing stands before them. */
export interface EarlierEntries {
  readonly entries: readonly Entry[]
  readonly isAll: boolean
}

/** Read what stands in a log right before a sequence, whole turns of it: `limit` entries, more or less. */
export async function readBefore(
  store: SessionStore,
  sessionId: string,
  before: number,
  limit: number = TAIL,
): Promise<EarlierEntries> {
  let entries: readonly Entry[] = []
  for (;;) {
    const older = await store.read(sessionId, { before: entries[0]?.sequence ?? before, limit })
    entries = [...older, ...entries]
    if (older.length < limit || older[0]?.sequence === 1) return { entries, isAll: true }
    const start = entries.findIndex(startsTurn)
    if (start >= 0) return { entries: entries.slice(start), isAll: false }
  }
}

/**
 * Read what a log that ends at `lastSequence` holds beyond what is known: so many entries, or those that another page has
 * shown here. `undefined` where the log is not the one that these belong to.
 */
async function readBeyond(
  known: number | KnownEntries,
  { store, sessionId, lastSequence }: { store: SessionStore; sessionId: string; lastSequence: number },
): Promise<readonly Entry[] | undefined> {
  const isCount = typeof known === 'number'
  const shared = isCount ? known : Math.min(known.last, lastSequence)
  if (isCount || shared === 0) return shared < lastSequence ? store.read(sessionId, { after: shared }) : []
  // With the last that both have: where that is the same, so is all before it.
  const entries = await store.read(sessionId, { after: shared - 1 })
  return isSameEntry(known.at(shared), entries[0]) ? entries.slice(1) : undefined
}

type KnownEntries = Pick<SessionEntries, 'last' | 'at'>

/** What is known of a session, and by whom. */
export interface Known {
  readonly store: SessionStore
  readonly sessionId: string
  readonly view: { readonly log: KnownEntries; readonly lastSequence: number }
  readonly log: SessionLog
  /** What is known was read, or is surely stored. */
  readonly hasLoaded: boolean
  /** Nobody else writes now: the queue is this page's as well. */
  isSole(): boolean
}

/**
 * Become the writer and read what is not known; `undefined` where that is nothing, or where entries of this page wait to be
 * saved. Throws `conflict` where the log has been erased.
 */
export async function findNews({ log, store, sessionId, view, ...known }: Known): Promise<StoredSession | undefined> {
  const { lastSequence } = await log.claim()
  // With entries of our own on top there is nothing to join: the next save finds out which of them came first.
  if (log.waiting > 0) return undefined
  const isMirrored = view.lastSequence > log.lastSequence
  if (!known.hasLoaded && !isMirrored) return readSession(store, sessionId)
  if (lastSequence < log.storedSequence) throw logIsGone(sessionId)
  const isSole = known.isSole()
  // What a driver has made this page forget is stored all the same.
  const count = Math.min(log.storedSequence, view.lastSequence)
  if (!isSole && lastSequence === count) return undefined
  const [beyond, head] = await Promise.all([
    readBeyond(isMirrored ? view.log : count, { store, sessionId, lastSequence }),
    isSole ? store.head(sessionId) : undefined,
  ])
  const entries = beyond ?? (await store.read(sessionId))
  if (log.waiting > 0) return undefined
  return {
    ...recordsOf(head),
    entries,
    open: undefined,
    lastSequence,
    fence: log.fence ?? 0,
    isOther: beyond === undefined,
  }
}

/** Read what is stored after what is shown. */
export function readNext({ store, sessionId, view }: Pick<Known, 'store' | 'sessionId' | 'view'>): Promise<Entry[]> {
  return store.read(sessionId, { after: view.lastSequence })
}

function recordsOf(head: SessionHead | undefined): Pick<StoredSession, 'queue' | 'isQueueHeld' | 'fence'> {
  return { queue: head?.queue ?? [], isQueueHeld: head?.isQueueHeld === true, fence: head?.fence ?? 0 }
}
