import type { BlobStore, CollectOptions } from '@turnloop/core'
import type { SessionDatabase } from './migrations.ts'
import { readTransaction, type StoreName, storeOf, type WriteTransaction, writeTransaction } from './transactions.ts'

const DAY_MS = 86_400_000
const BLOB_STORES: readonly StoreName[] = ['blobs', 'links']

/** Does something with the open database; `what` says what, for the error. */
export type Access = <T>(what: string, work: (database: SessionDatabase) => Promise<T>) => Promise<T>

/** Bytes in stores of their own; `undefined` where this page cannot hash, because it came without https. */
export function createBlobs(access: Access): BlobStore | undefined {
  if (globalThis.crypto?.subtle === undefined) return undefined
  const write = <T>(
    what: string,
    work: (transaction: WriteTransaction) => Promise<T>,
    stores: readonly StoreName[] = BLOB_STORES,
  ): Promise<T> => access(what, (database) => writeTransaction(database, { stores }, work))

  return {
    async put(sessionId, bytes) {
      const copy = new Uint8Array(bytes)
      // Before the transaction: it would end while it waits for anything but its own requests.
      const hash = await sha256(copy)
      await write(`Saving ${copy.byteLength} bytes for session ${sessionId}`, async (transaction) => {
        const isKnown = (await storeOf(transaction, 'blobs').getKey(hash)) !== undefined
        if (!isKnown) transaction.objectStore('blobs').put(copy, hash)
        hold(transaction, sessionId, { hash, byteLength: copy.byteLength })
      })
      return hash
    },
    get: (hash) =>
      access(`Reading bytes ${hash}`, (database) =>
        readTransaction(database, ['blobs'], (transaction) => transaction.objectStore('blobs').get(hash)),
      ),
    async link(sessionId, hashes) {
      const wanted = [...hashes]
      await write(`Linking bytes to session ${sessionId}`, async (transaction) => {
        const links = storeOf(transaction, 'links').index('hash')
        for (const hash of wanted) {
          const link = await links.get(hash)
          if (link !== undefined) hold(transaction, sessionId, link)
        }
      })
    },
    async retain(sessionId, hashes, options) {
      const kept = new Set(hashes)
      return write(`Dropping bytes of session ${sessionId}`, (transaction) =>
        dropLinks(transaction, sessionId, { ...options, isKept: (hash) => kept.has(hash) }),
      )
    },
    collect: ({ minAgeMs = DAY_MS } = {}) =>
      write('Collecting bytes', (transaction) => collect(transaction, minAgeMs), [...BLOB_STORES, 'logs', 'heads']),
  }
}

/** Let a session hold what it holds no longer. Resolves with how many bytes that freed. */
export async function dropLinks(
  transaction: WriteTransaction,
  sessionId: string,
  { minAgeMs = 0, isKept = () => false }: CollectOptions & { isKept?(hash: string): boolean } = {},
): Promise<number> {
  const links = storeOf(transaction, 'links')
  const latest = Date.now() - minAgeMs
  let freed = 0
  for (const { hash, byteLength, since } of await links.getAll(linksOf(sessionId))) {
    if (isKept(hash) || since > latest) continue
    transaction.objectStore('links').delete([sessionId, hash])
    if ((await links.index('hash').count(hash)) > 0) continue
    transaction.objectStore('blobs').delete(hash)
    freed += byteLength
  }
  return freed
}

function hold(
  transaction: WriteTransaction,
  sessionId: string,
  { hash, byteLength }: { hash: string; byteLength: number },
): void {
  // Named again, it is young again.
  transaction.objectStore('links').put({ hash, byteLength, since: Date.now() }, [sessionId, hash])
}

async function collect(transaction: WriteTransaction, minAgeMs: number): Promise<number> {
  const sessions = new Set((await storeOf(transaction, 'links').getAllKeys()).map(([sessionId]) => sessionId))
  let freed = 0
  for (const sessionId of sessions) {
    const log = await storeOf(transaction, 'logs').get(sessionId)
    const head = await storeOf(transaction, 'heads').getKey(sessionId)
    const isKnown = head !== undefined || (log?.lastSequence ?? 0) > 0
    if (!isKnown) freed += await dropLinks(transaction, sessionId, { minAgeMs })
  }
  return freed
}

/** The links of one session: an array sorts after every text. */
function linksOf(sessionId: string): IDBKeyRange {
  return IDBKeyRange.bound([sessionId], [sessionId, []])
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
