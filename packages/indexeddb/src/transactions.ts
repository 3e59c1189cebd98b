import { type IDBPTransaction, type StoreNames, unwrap } from 'idb'
import type { SessionDatabase, SessionSchema } from './migrations.ts'

type StoreName = StoreNames<SessionSchema>

/** A transaction that may write to every store. */
export type WriteTransaction = IDBPTransaction<SessionSchema, StoreName[], 'readwrite'>

/** A transaction that may read every store. */
export type ReadTransaction = IDBPTransaction<SessionSchema, StoreName[], 'readonly'>

const ALL_STORES: StoreName[] = ['entries', 'heads', 'opens', 'logs', 'counters']

/**
 * Run `work` in one transaction and resolve with its answer once all of it is stored; if it throws, none of it is.
 *
 * `work` may wait for requests of its transaction and for nothing else, or the browser commits behind its back. It
 * hands requests that it does not wait for to `unwatched`. Rejects with the reason of the transaction where it has one.
 */
export async function writeTransaction<T>(
  database: SessionDatabase,
  durability: 'strict' | 'relaxed',
  work: (transaction: WriteTransaction) => Promise<T>,
): Promise<T> {
  const transaction: WriteTransaction = database.transaction(ALL_STORES, 'readwrite', { durability })
  const completed = completion(unwrap(transaction))
  unwatched(completed)
  unwatched(transaction.done)
  try {
    const answer = await work(transaction)
    // Without this the browser commits only after the page has heard of every request: too late for a page that goes.
    transaction.commit()
    await completed
    return answer
  } catch (error) {
    abort(transaction)
    // What failed here may have failed because the whole transaction did; then only the transaction knows why.
    throw transaction.error ?? error
  }
}

/** Run `work` in one transaction that reads. The same rules apply. */
export async function readTransaction<T>(
  database: SessionDatabase,
  work: (transaction: ReadTransaction) => Promise<T>,
): Promise<T> {
  const transaction: ReadTransaction = database.transaction(ALL_STORES, 'readonly')
  unwatched(transaction.done)
  return work(transaction)
}

/** Take a promise whose failure is heard of elsewhere: a request's, through its transaction. */
export function unwatched(request: Promise<unknown>): void {
  request.catch(() => {})
}

/**
 * Resolves when the transaction is complete and rejects when it is aborted; then its `error` says why.
 *
 * idb's `done` also listens to `error` events, which come before the transaction has its reason, and so may turn a full
 * disk into a plain AbortError.
 */
function completion(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => reject(new DOMException('The transaction was aborted.', 'AbortError')))
  })
}

function abort(transaction: WriteTransaction): void {
  try {
    transaction.abort()
  } catch {
    // It has ended already.
  }
}
