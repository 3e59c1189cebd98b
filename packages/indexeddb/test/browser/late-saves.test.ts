import { manualClock } from '@turnloop/testing'
import { deleteDB, openDB } from 'idb'
import { expect, test, vi } from 'vitest'
import { createLateSaves } from '../../src/late-saves.ts'
import { entryAt, freshName, freshStore } from './databases.ts'

/** A store with one entry, and the fence to write with. */
async function startedStore() {
  const { store, name } = freshStore()
  const { fence } = await store.claim('s')
  await store.append('s', [entryAt(1)], { fence })
  return { store, name, fence }
}

/** How many late saves wait to join their logs. */
async function waitingIn(name: string): Promise<number> {
  const database = await openDB(`${name}-late`)
  const count = await database.count('saves')
  database.close()
  return count
}

test('what joined its log does not wait any more', async () => {
  const { store, name, fence } = await startedStore()
  store.saveNow('s', { entries: [entryAt(2)], fence })
  expect(await waitingIn(name)).toBe(1)
  await store.claim('s')
  expect([await waitingIn(name), (await store.read('s')).length]).toEqual([0, 2])
})

test('nothing is written to a database that is not open', async () => {
  const { store } = freshStore()
  const opens = vi.spyOn(IDBFactory.prototype, 'open')
  store.saveNow('s', { entries: [entryAt(1)], fence: 1 })
  expect(opens).not.toHaveBeenCalled()
})

test('a rewrite leaves nothing of a late save behind', async () => {
  const { store, name, fence } = await startedStore()
  store.saveNow('s', { entries: [entryAt(1), entryAt(2, 'secret')], fence })
  await store.rewrite('s', [entryAt(1, 'erased')])
  expect(await waitingIn(name)).toBe(0)
})

test('a removal leaves nothing of a late save behind', async () => {
  const { store, name, fence } = await startedStore()
  store.saveNow('s', { entries: [entryAt(2, 'secret')], fence })
  await store.remove('s')
  expect(await waitingIn(name)).toBe(0)
})

test('a late save is committed before saveNow returns', async () => {
  const { store, fence } = await startedStore()
  const commits = vi.spyOn(IDBTransaction.prototype, 'commit')
  store.saveNow('s', { entries: [entryAt(2)], fence })
  expect(commits).toHaveBeenCalledTimes(1)
})

test('a store works without the database for late saves', async () => {
  const { open } = IDBFactory.prototype
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(function (this: IDBFactory, name, version) {
    if (name.endsWith('-late')) throw new DOMException('refused', 'UnknownError')
    return open.call(this, name, version)
  })
  const { store, fence } = await startedStore()
  store.saveNow('s', { entries: [entryAt(2)], fence })
  expect(await store.claim('s')).toMatchObject({ lastSequence: 1 })
})

test('a database for late saves that never answers holds nobody up twice', async () => {
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => new EventTarget() as IDBOpenDBRequest)
  const clock = manualClock()
  const saves = createLateSaves(freshName(), clock)
  const first = saves.all()
  await clock.advance(1_000)
  expect(await first).toEqual([])
  expect([await saves.get('s'), clock.pending]).toEqual([undefined, 0])
})

test('late saves that were deleted are made anew', async () => {
  const { store, name, fence } = await startedStore()
  await deleteDB(`${name}-late`)
  await store.claim('another')
  store.saveNow('s', { entries: [entryAt(2)], fence })
  expect(await store.claim('s')).toMatchObject({ lastSequence: 2 })
})
