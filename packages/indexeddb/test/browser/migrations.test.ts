import { indexedDbStore } from '@turnloop/indexeddb'
import { openDB } from 'idb'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../src/migrations.ts'
import { entryAt, freshName } from './databases.ts'

const HEAD = { id: 's', createdAt: 1, updatedAt: 1, lastSequence: 2, turns: 1, state: {}, usage: {}, queue: [] }

/** A database as the first version left it, with a session in it. */
async function databaseOfVersion1(): Promise<string> {
  const name = freshName()
  const database = await openDB(name, 1, {
    upgrade(fresh) {
      for (const store of ['entries', 'heads', 'opens', 'logs', 'counters']) fresh.createObjectStore(store)
    },
  })
  await database.put('entries', entryAt(1), ['s', 1])
  await database.put('entries', entryAt(2), ['s', 2])
  await database.put('heads', HEAD, 's')
  await database.put('logs', { lastSequence: 2, fence: 7 }, 's')
  await database.put('opens', { turnId: 't' }, 's')
  await database.put('counters', 7, 'fence')
  database.close()
  return name
}

test('an upgrade from the first version keeps every session', async () => {
  const store = indexedDbStore({ name: await databaseOfVersion1() })
  expect([await store.read('s'), await store.list()]).toEqual([[entryAt(1), entryAt(2)], [HEAD]])
})

test('a claim from before an upgrade holds, and the next is higher', async () => {
  const store = indexedDbStore({ name: await databaseOfVersion1() })
  await store.append('s', [entryAt(3)], { fence: 7 })
  expect(await store.claim('s')).toEqual({ fence: 8, lastSequence: 3 })
})

test('a growing reply from before an upgrade goes with the next append, after a claim too', async () => {
  const store = indexedDbStore({ name: await databaseOfVersion1() })
  const { fence } = await store.claim('s')
  expect(await store.open('s')).toEqual({ turnId: 't' })
  await store.append('s', [entryAt(3)], { fence, open: null })
  expect(await store.open('s')).toBeUndefined()
})

test('an upgraded database has room for bytes', async () => {
  const store = indexedDbStore({ name: await databaseOfVersion1() })
  const hash = await store.blobs?.put('s', Uint8Array.from([1]))
  await store.remove('s')
  expect(await store.blobs?.get(hash ?? '')).toBeUndefined()
})

test('each version has its step, and none was taken away', () => {
  expect(MIGRATIONS).toHaveLength(2)
})
