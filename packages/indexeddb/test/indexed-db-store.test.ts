import { indexedDbStore, requestPersistence, storageEstimate } from '@turnloop/indexeddb'
import { expect, test } from 'vitest'

test('a store can be made where there is no IndexedDB', () => {
  expect(indexedDbStore()).toHaveProperty('append')
})

test('without IndexedDB each call says that storage is unavailable', async () => {
  const store = indexedDbStore()
  const calls = [store.list(), store.claim('s'), store.append('s', []), store.remove('s'), store.read('s')]
  for (const call of calls) {
    await expect(call).rejects.toMatchObject({ name: 'StorageError', code: 'storage-unavailable' })
  }
})

test('without a storage manager nothing is promised', async () => {
  expect(await storageEstimate()).toBeUndefined()
  expect(await requestPersistence()).toBe(false)
})
