import { type Entry, type JsonObject, MemoryStore } from '@turnloop/core'
import { storeContract } from '@turnloop/testing'
import { expect, test } from 'vitest'

function entryAt(sequence: number, patch: JsonObject): Entry {
  return { sequence, at: 1, type: 'state-changed', patch }
}

// Two sessions of one page share a store in memory: that is its second connection.
let shared = new MemoryStore()
const cases = storeContract({
  createStore: async () => {
    shared = new MemoryStore()
    return shared
  },
  reopen: async () => shared,
  without: ['usage'],
})
for (const { name, run } of cases) test(name, run)

test('the contract names each case it cannot run, and why', () => {
  const reasons = storeContract({ createStore: async () => new MemoryStore(), without: ['subscribe', 'usage'] })
    .filter((one) => one.skipped !== undefined)
    .map((one) => one.skipped)
  expect(new Set(reasons)).toEqual(
    new Set(['no "reopen" was given', 'the store has no "subscribe"', 'the store has no "usage"']),
  )
})

test('entries that came frozen are kept as the same objects', async () => {
  const store = new MemoryStore()
  const entry = Object.freeze(entryAt(1, Object.freeze({ note: Object.freeze([1, 2]) })))
  await store.append('s', [entry])
  const [read] = await store.read('s')
  expect(read).toBe(entry)
})

test('an entry frozen only on top is copied', async () => {
  const store = new MemoryStore()
  const note = ['inner']
  await store.append('s', [Object.freeze(entryAt(1, { note }))])
  note.push('added later')
  expect(await store.read('s')).toEqual([entryAt(1, { note: ['inner'] })])
})

test('what was copied comes back frozen throughout', async () => {
  const store = new MemoryStore()
  await store.append('s', [entryAt(1, { deep: [1] })])
  const [read] = await store.read('s')
  expect(Object.isFrozen(read)).toBe(true)
  expect(read?.type === 'state-changed' && Object.isFrozen(read.patch.deep)).toBe(true)
})

test('a subscriber that throws starves neither the write nor the others', async () => {
  const store = new MemoryStore()
  const heard: string[] = []
  store.subscribe(() => {
    throw new Error('listener')
  })
  store.subscribe((sessionId) => heard.push(sessionId))
  await store.append('s', [entryAt(1, {})])
  expect(heard).toEqual(['s'])
})
