import { indexedDbStore } from '@turnloop/indexeddb'
import { openDB } from 'idb'
import { expect, test, vi } from 'vitest'
import { entryAt, freshStore } from './databases.ts'

const bytes = Uint8Array.from([1, 2, 3])

function blobsOf(store: ReturnType<typeof freshStore>['store']) {
  if (store.blobs === undefined) throw new Error('This page cannot hash.')
  return store.blobs
}

test('bytes are stored as Uint8Array, never as Blob', async () => {
  const { store, name } = freshStore()
  const hash = await blobsOf(store).put('s', bytes)
  const database = await openDB(name)
  const stored: unknown = await database.get('blobs', hash)
  database.close()
  expect(Object.prototype.toString.call(stored)).toBe('[object Uint8Array]')
})

test('the same bytes are written once', async () => {
  const { store } = freshStore()
  await blobsOf(store).put('a', bytes)
  const puts = vi.spyOn(IDBObjectStore.prototype, 'put')
  await blobsOf(store).put('b', bytes)
  expect(puts.mock.contexts.map((target) => target instanceof IDBObjectStore && target.name)).toEqual(['links'])
})

test('bytes that fill the disk leave no link behind', async () => {
  const { store } = freshStore()
  await store.list()
  vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementationOnce(function (this: IDBTransaction) {
    Object.defineProperty(this, 'error', { value: new DOMException('', 'QuotaExceededError') })
    this.abort()
  })
  await expect(blobsOf(store).put('s', bytes)).rejects.toMatchObject({ code: 'quota-exceeded' })
  expect(await blobsOf(store).retain('s', [])).toBe(0)
})

test('reading and listing sessions touches no bytes', async () => {
  const { store } = freshStore()
  await blobsOf(store).put('s', bytes)
  await store.append('s', [entryAt(1)])
  const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction')
  await Promise.all([store.read('s'), store.list(), store.head('s'), store.append('s', [entryAt(2)])])
  const names = transactions.mock.calls.flatMap(([stores]) => (typeof stores === 'string' ? [stores] : [...stores]))
  expect(names).toContain('entries')
  expect(names).not.toContain('blobs')
})

test('a page that cannot hash has no blobs', async () => {
  // As where a page is not served securely. No engine says that it may be absent.
  vi.spyOn(Crypto.prototype, 'subtle', 'get').mockReturnValue(undefined as unknown as SubtleCrypto)
  const store = indexedDbStore({ name: 'never opened' })
  expect(store.blobs).toBeUndefined()
})
