import type { Entry } from './entries.ts'
import type { OpenReply, QueuedInput, SessionStore } from './session-store.ts'

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
}

/** Read a session as a whole. */
export async function readSession(store: SessionStore, sessionId: string): Promise<StoredSession> {
  const [entries, head, open] = await Promise.all([store.read(sessionId), store.head(sessionId), store.open(sessionId)])
  return { entries, queue: head?.queue ?? [], open, isQueueHeld: head?.isQueueHeld === true, fence: head?.fence ?? 0 }
}

/**
 * Read what a log that ends at `lastSequence` holds beyond what is known: so many entries, or those that another page has
 * shown here. `undefined` where the log is not the one that these belong to.
 */
export async function readBeyond(
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

/** Whether an entry that was read again is still the one that is here: the log may have been erased and begun anew. */
export function isSameEntry(known: Entry | undefined, read: Entry | undefined): boolean {
  return known?.type === read?.type && known?.at === read?.at && known?.turnId === read?.turnId
}
