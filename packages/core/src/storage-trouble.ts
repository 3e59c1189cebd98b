import { isTurnloopError, StorageError, type TurnloopErrorCode, toErrorRecord } from './errors.ts'
import type { SessionStore } from './session-store.ts'
import type { StorageStatus } from './snapshot.ts'

/** What a store that failed, or did not answer, means for the session. */
export interface StorageTrouble extends Pick<StorageStatus, 'usedBytes' | 'quotaBytes' | 'path'> {
  readonly state: StorageStatus['state']
  readonly reason: TurnloopErrorCode
  readonly message: string
  /** Refused before anything could be written, unlike a connection that was lost in between. */
  readonly isSurelyNotWritten: boolean
  /** Another writer was here: what this one numbers is void. */
  readonly isStale: boolean
}

/** Read what a store threw. */
export function toTrouble(error: unknown): StorageTrouble {
  const { code, message, facts = {} } = toErrorRecord(error, 'storage-unavailable')
  const { usedBytes, quotaBytes, path } = facts
  return {
    state: STATE_OF[code] ?? 'degraded',
    reason: code,
    message,
    ...(typeof usedBytes === 'number' && { usedBytes }),
    ...(typeof quotaBytes === 'number' && { quotaBytes }),
    ...(typeof path === 'string' && { path }),
    // An error that is none of the port's says nothing about what was done before it.
    isSurelyNotWritten: isTurnloopError(error) && SURELY_NOT_WRITTEN.has(code),
    isStale: code === 'stale-fence' || code === 'conflict',
  }
}

/** The error that stands for a store that has not answered in time. What it was asked may happen yet. */
export function tooSlow(sessionId: string, limitMs: number): StorageError {
  return new StorageError(
    'disconnected',
    `The store of session ${sessionId} has not answered for ${limitMs} ms. The conversation goes on in memory meanwhile.`,
    { facts: { sessionId, limitMs } },
  )
}

/** The error of a log that does not end where this page thinks. */
export function notWhereKnown(sessionId: string, stored: number, known: number): StorageError {
  return new StorageError(
    'conflict',
    `Session ${sessionId} has ${stored} stored entries, and this page knows ${known}.`,
  )
}

/** The error of an edit that a store cannot make, or that would miss what is not saved yet. */
export function cannotRewrite(sessionId: string, store: Pick<SessionStore, 'rewrite'>): StorageError {
  const why = store.rewrite === undefined ? 'has no rewrite()' : 'cannot be reached, and not everything is saved'
  return new StorageError(
    'storage-unavailable',
    `Nothing of session ${sessionId} was erased: its store ${why}. See snapshot.storage.`,
    { facts: { sessionId } },
  )
}

/** The error of an erasure that every page knows of, and the store does not yet. */
export function notErasedYet(sessionId: string, { reason, message }: StorageStatus): StorageError {
  return new StorageError(
    reason ?? 'storage-unavailable',
    `What was erased of session ${sessionId} is gone here, and not yet from its store, which is tried again. ` +
      `See snapshot.storage.${message === undefined ? '' : ` ${message}`}`,
    { facts: { sessionId } },
  )
}

/** The error of a log that somebody has erased while it was open here. */
export function logIsGone(sessionId: string): StorageError {
  return new StorageError(
    'conflict',
    `The stored log of session ${sessionId} is gone. The conversation goes on in memory.`,
  )
}

/** The error of a log that this version can only read. */
export function writtenByNewer(sessionId: string): StorageError {
  return new StorageError(
    'newer-version',
    `Session ${sessionId} was written by a newer version of this page. Reload it.`,
  )
}

const SURELY_NOT_WRITTEN: ReadonlySet<TurnloopErrorCode> = new Set([
  'conflict',
  'stale-fence',
  'quota-exceeded',
  'not-cloneable',
  'blocked-by-other-tab',
  'newer-version',
  'storage-unavailable',
])

const STATE_OF: { readonly [Code in TurnloopErrorCode]?: StorageStatus['state'] } = {
  conflict: 'lost',
  'stale-fence': 'lost',
  'quota-exceeded': 'full',
  'storage-unavailable': 'blocked',
  'blocked-by-other-tab': 'blocked',
  'newer-version': 'blocked',
}
