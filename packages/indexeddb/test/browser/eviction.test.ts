import { indexedDbStore } from '@turnloop/indexeddb'
import { deleteDB } from 'idb'
import { expect, test, vi } from 'vitest'
import { entryAt, freshName, freshStore } from './databases.ts'

test('a store that was deleted since it held sessions says so, once', async () => {
  const { store, name } = freshStore()
  await store.append('s', [entryAt(1)])
  await deleteDB(name)
  const onEvicted = vi.fn()
  const next = indexedDbStore({ name, onEvicted })
  expect(await next.usage()).toMatchObject({ wasEvicted: true })
  await next.list()
  expect(onEvicted).toHaveBeenCalledTimes(1)
})

test('a store that is used for the first time was not evicted', async () => {
  const { store } = freshStore()
  expect(await store.usage()).not.toHaveProperty('wasEvicted')
})

test('a store that is there was not evicted', async () => {
  const { store, name } = freshStore()
  await store.append('s', [entryAt(1)])
  expect(await indexedDbStore({ name }).usage()).not.toHaveProperty('wasEvicted')
})

test('a store whose sessions were all removed has nothing to miss', async () => {
  const { store, name } = freshStore()
  await store.append('s', [entryAt(1)])
  await store.remove('s')
  await deleteDB(name)
  expect(await indexedDbStore({ name }).usage()).not.toHaveProperty('wasEvicted')
})

test('a mark of the page’s own is used instead', async () => {
  const name = freshName()
  const mark = { get: () => true, set: vi.fn() }
  const store = indexedDbStore({ name, mark })
  expect(await store.usage()).toMatchObject({ wasEvicted: true })
  await store.append('s', [entryAt(1)])
  await store.remove('s')
  expect(mark.set.mock.calls).toEqual([[true], [false]])
})

test('a page without localStorage works all the same', async () => {
  vi.stubGlobal('localStorage', undefined)
  const { store } = freshStore()
  await store.append('s', [entryAt(1)])
  expect(await store.usage()).not.toHaveProperty('wasEvicted')
})
