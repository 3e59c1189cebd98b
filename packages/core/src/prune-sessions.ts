import { checkOptions, isCount, isDelay } from './check-options.ts'
import { type Clock, systemClock } from './clock.ts'
import { TurnloopError } from './errors.ts'
import type { SessionHead, SessionStore } from './session-store.ts'

/** Which sessions go. At least one of `keep` and `olderThanMs`. */
export interface PruneOptions {
  /** So many of the newest stay in any case. Default 0. */
  readonly keep?: number
  /** Only what was last written longer ago goes. Default 0. */
  readonly olderThanMs?: number
  /** Has the last word about one that would go: `true` keeps it. */
  isKept?(head: SessionHead): boolean
  readonly clock?: Clock
}

/** What `pruneSessions` did. */
export interface PruneReport {
  /** The sessions that are gone, newest first. */
  readonly removed: readonly SessionHead[]
  /** Of large values that belonged to no session any more; those of the removed sessions went with them. */
  readonly freedBytes: number
}

/**
 * Remove old sessions from a store, by the app's own rule: nothing else ever does.
 *
 * A session with a turn that has not ended, with inputs that wait, or that some page drives at this moment, stays. One that
 * is open in another page is `lost` there. Rejects with `bad-option`, and with what the store throws: what was removed until
 * then is gone.
 */
export async function pruneSessions(store: SessionStore, options: PruneOptions): Promise<PruneReport> {
  const { keep = 0, olderThanMs = 0, isKept = () => false, clock = systemClock } = options
  checkOptions({ keep, olderThanMs }, { keep: isCount(0), olderThanMs: isDelay(0) }, { where: 'pruneSessions' })
  if (options.keep === undefined && options.olderThanMs === undefined)
    throw new TurnloopError('bad-option', 'pruneSessions: say which sessions go, by keep or olderThanMs.')
  const latest = clock.now() - olderThanMs
  const old = (await store.list()).slice(keep).filter((head) => head.updatedAt <= latest && isAtRest(head))
  const removed: SessionHead[] = []
  for (const head of old) {
    if (isKept(head)) continue
    const lease = await store.lock?.acquire(head.id, { ifFree: true })
    if (store.lock !== undefined && lease === undefined) continue
    try {
      await store.remove(head.id)
      removed.push(head)
    } finally {
      lease?.release()
    }
  }
  return { removed, freedBytes: (await store.blobs?.collect()) ?? 0 }
}

function isAtRest({ openTurnId, queue }: SessionHead): boolean {
  return openTurnId === undefined && queue.length === 0
}
