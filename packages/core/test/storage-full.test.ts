import { StorageError } from '@turnloop/core'
import { expect, test } from 'vitest'
import { faultyStore, refuse } from './faulty-store.ts'
import { collect } from './loop-setup.ts'
import { openPage, type PageOptions, repeat, until } from './session-setup.ts'
import { warnings } from './turn-setup.ts'

/** A page on a disk without room. */
function onFullDisk(options: PageOptions = {}) {
  const store = faultyStore()
  store.break('append', refuse('quota-exceeded'))
  return { ...openPage(repeat, { store, ...options }), store }
}

test('a full disk is told with its figures, from the store', async () => {
  const { session, store } = onFullDisk()
  Object.assign(store, { usage: async () => ({ usedBytes: 9, quotaBytes: 10 }) })
  expect((await session.send('One')).outcome.kind).toBe('completed')
  const { storage } = await until(session, ({ storage: { usedBytes } }) => usedBytes !== undefined)
  expect(storage).toMatchObject({ state: 'full', reason: 'quota-exceeded', usedBytes: 9, quotaBytes: 10 })
})

test('the figures stay while it is tried again, and go with the trouble', async () => {
  const { session, store, clock } = onFullDisk()
  const facts = { usedBytes: 9, quotaBytes: 10 }
  store.break('append', async () => Promise.reject(new StorageError('quota-exceeded', 'Full.', { facts })))
  await session.send('One')
  store.break('append', refuse('quota-exceeded'))
  await clock.advance(10_000)
  expect(session.getSnapshot().storage).toMatchObject({ state: 'full', usedBytes: 9 })
  store.mend()
  await session.flush()
  expect(session.getSnapshot().storage).toEqual(expect.not.objectContaining({ usedBytes: 9 }))
})

test('the app makes room once, and what waits is saved at once, in one write', async () => {
  let calls = 0
  const { session, store } = onFullDisk({
    makeRoom: () => {
      calls += 1
      store.mend()
    },
  })
  await session.send('One')
  const { storage } = await until(session, ({ storage: { state } }) => state === 'ready')
  expect([calls, storage.waiting, await store.disk.read('s')]).toEqual([1, 0, session.getEntries()])
})

test('room that is not enough is asked for once, and tried with growing pauses', async () => {
  let calls = 0
  const { session, store, clock } = onFullDisk({ makeRoom: () => (calls += 1) })
  await session.send('One')
  const before = store.appends.length
  await clock.advance(300_000)
  expect([calls, store.appends.length - before < 16]).toEqual([1, true])
})

test('a makeRoom that throws is a warning', async () => {
  const { session } = onFullDisk({ makeRoom: () => Promise.reject(new Error('no')) })
  const heard = collect(session.events())
  await session.send('One')
  await session.close()
  expect(warnings(await heard)).toContain('makeRoom failed.')
})

test('freeing space and a flush save what waits, without waiting for the pause', async () => {
  const { session, store } = onFullDisk()
  await session.send('One')
  expect(session.getSnapshot().storage.waiting).toBe(session.getEntries().length)
  store.mend()
  await session.flush()
  expect(session.getSnapshot().storage).toMatchObject({ state: 'ready', waiting: 0 })
})

test.each([
  ['not-cloneable', 'degraded', { path: 'entries[0].data' }],
  ['blocked-by-other-tab', 'blocked', {}],
  ['storage-unavailable', 'blocked', {}],
  ['disconnected', 'degraded', {}],
] as const)('a store that says %s is shown as %s, and recovers', async (code, state, facts) => {
  const { session, store, clock } = onFullDisk()
  store.break('append', async () => Promise.reject(new StorageError(code, 'No.', { facts })))
  expect((await session.send('One')).outcome.kind).toBe('completed')
  expect(session.getSnapshot().storage).toMatchObject({ state, reason: code, ...facts })
  store.mend()
  await clock.advance(2000)
  expect(session.getSnapshot().storage).toMatchObject({ state: 'ready', waiting: 0 })
})
