import type { Entry } from './entries.ts'
import { isSameEntry } from './same-entry.ts'
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
  /** Where the log ends. Default: where its entries do. */
  readonly lastSequence?: number
  /** The log is not the one that is shown: these are all its entries. */
  readonly isOther?: boolean
}

/** Read a session as a whole. */
export async function readSession(store: SessionStore, sessionId: string): Promise<StoredSession> {
  const [entries, head, open] = await Promise.all([store.read(sessionId), store.head(sessionId), store.open(sessionId)])
  return { ...recordsOf(head), entries, open }
}

/**
 * Read what a log that ends at `lastSequence` holds beyond what is known: so many entries, or those that another page has
 * shown here. `undefined` where the log is not the one that these belong to.
 */
async function readBeyond(
  known: number | readonly Entry[],
  { store, sessionId, lastSequence }: { store: SessionStore; sessionId: string; lastSequence: number },
): Promise<readonly Entry[] | undefined> {
  const isCount = typeof known === 'number'
  const shared = isCount ? known : Math.min(known.length, lastSequence)
  if (isCount || shared === 0) return shared < lastSequence ? store.read(sessionId, { after: shared }) : []
  // With the last that both have: where that is the same, so is all before it.
  const entries = await store.read(sessionId, { after: shared - 1 })
  return isSameEntry(known[shared - 1], entries[0]) ? entries.slice(1) : undefined
}

/** What is known of a session, and by whom. */
export interface Known {
  readonly store: SessionStore
  readonly sessionId: string
  readonly view: { readonly entries: readonly Entry[]; readonly lastSequence: number }
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
  if (!isSole && lastSequence === log.storedSequence) return undefined
  const [beyond, head] = await Promise.all([
    readBeyond(isMirrored ? view.entries : log.storedSequence, { store, sessionId, lastSequence }),
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
