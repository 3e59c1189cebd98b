import { type IDBPObjectStore, type IDBPTransaction, type StoreNames, unwrap, wrap } from 'idb'
import type { SessionDatabase, SessionSchema } from './migrations.ts'

/** A store of the database. */
export type StoreName = StoreNames<SessionSchema>

/** A transaction that writes. As the browser has it: wrapped, each request would cost twice as much. */
export type WriteTransaction = IDBTransaction

/** A transaction that reads. */
export type ReadTransaction = IDBPTransaction<SessionSchema, StoreName[], 'readonly'>

/** What a session's log is made of. Bytes are left out, so that large ones hold no append up. */
export const LOG_STORES: readonly StoreName[] = ['entries', 'heads', 'opens', 'logs']

/** Which stores a transaction is about, and whether what it writes must survive a power cut. */
export interface WriteScope {
  readonly stores: readonly StoreName[]
  readonly durability?: 'strict' | 'relaxed'
}

/**
 * Run `work` in one transaction and resolve with its answer once all of it is stored; if it throws, none of it is.
 *
 * `work` may wait for requests of its transaction and for nothing else, or the browser commits behind its back. What it
 * waits for it asks of `storeOf`; what it only wants done, of the transaction itself, which fails as a whole if a request
 * does. Rejects with the reason of the transaction where it has one.
 */
export async function writeTransaction<T>(
  database: SessionDatabase,
  { stores, durability = 'relaxed' }: WriteScope,
  work: (transaction: WriteTransaction) => Promise<T>,
): Promise<T> {
  const transaction = unwrap(database).transaction(stores, 'readwrite', { durability })
  const completed = completion(transaction)
  unwatched(completed)
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
  stores: readonly StoreName[],
  work: (transaction: ReadTransaction) => Promise<T>,
): Promise<T> {
  const transaction: ReadTransaction = database.transaction([...stores], 'readonly')
  unwatched(transaction.done)
  return work(transaction)
}

/** A store of a transaction that writes, with promises. */
export function storeOf<Name extends StoreName>(
  transaction: WriteTransaction,
  name: Name,
): IDBPObjectStore<SessionSchema, StoreName[], Name, 'readwrite'> {
  // idb has no words for a store of which it did not open the transaction itself.
  return wrap(transaction.objectStore(name)) as unknown as IDBPObjectStore<
    SessionSchema,
    StoreName[],
    Name,
    'readwrite'
  >
}

/** Take a promise whose failure is heard of elsewhere: a request's, through its transaction. */
function unwatched(request: Promise<unknown>): void {
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
