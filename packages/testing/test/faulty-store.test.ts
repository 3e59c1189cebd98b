import { type Entry, MemoryStore } from '@turnloop/core'
import { deferred, faultyStore, storeContract, storeFaults } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'

const { refuse, loseAnswer, hang, hangAfter, throwForeign, waitFor, tear } = storeFaults

function entriesTo(last: number): Entry[] {
  return Array.from({ length: last }, (_, index) => ({
    sequence: index + 1,
    at: 1,
    type: 'state-changed',
    patch: {},
  }))
}

describe('without faults it keeps the contract of a store', () => {
  const cases = storeContract({
    createStore: async () => faultyStore(new MemoryStore()),
    without: ['subscribe', 'usage'],
  })
  for (const { name, run } of cases) test(name, run)
})

test('a refused write stores nothing', async () => {
  const store = faultyStore()
  store.break('append', refuse('quota-exceeded'))
  await expect(store.append('s', entriesTo(1))).rejects.toMatchObject({ code: 'quota-exceeded' })
  expect([await store.disk.read('s'), store.appends.length]).toEqual([[], 1])
})

test('a lost answer comes after the write', async () => {
  const store = faultyStore()
  store.breakNext('append', loseAnswer, throwForeign)
  await expect(store.append('s', entriesTo(1))).rejects.toMatchObject({ code: 'disconnected' })
  await expect(store.append('s', entriesTo(2))).rejects.toThrow(TypeError)
  await store.append('s', entriesTo(3))
  expect(await store.disk.read('s')).toHaveLength(3)
})

test('the chosen append goes wrong, and no other', async () => {
  const store = faultyStore()
  store.breakAt('append', 2, refuse('disconnected'))
  await store.append('s', entriesTo(1))
  await expect(store.append('s', entriesTo(2))).rejects.toMatchObject({ code: 'disconnected' })
  await store.append('s', entriesTo(2))
  expect([await store.disk.read('s').then((log) => log.length), store.calls.append]).toEqual([2, 3])
})

test('a torn write leaves its first half', async () => {
  const store = faultyStore()
  store.breakNext('append', tear)
  await expect(store.append('s', entriesTo(3))).rejects.toMatchObject({ code: 'disconnected' })
  expect(await store.disk.read('s')).toHaveLength(2)
})

test('what hangs does not answer, and may have been done', async () => {
  const store = faultyStore()
  store.breakNext('append', hang, hangAfter)
  const answers: string[] = []
  store.append('s', entriesTo(1)).then(() => answers.push('first'))
  store.append('s', entriesTo(2)).then(() => answers.push('second'))
  await store.append('s', entriesTo(3))
  expect([answers, (await store.disk.read('s')).length]).toEqual([[], 3])
})

test('a delayed call is done when its gate opens', async () => {
  const store = faultyStore()
  const gate = deferred()
  store.breakNext('append', waitFor(gate.promise))
  const saving = store.append('s', entriesTo(1))
  expect(await store.disk.read('s')).toEqual([])
  gate.resolve()
  await saving
  expect(await store.disk.read('s')).toHaveLength(1)
})

test('what was mended works again', async () => {
  const store = faultyStore()
  store.break('read', refuse('storage-unavailable'))
  store.breakNext('read', hang)
  store.mend()
  expect(await store.read('s')).toEqual([])
})
