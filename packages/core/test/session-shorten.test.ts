import { autoCompaction, MemoryStore, openSession, pruneSessions } from '@turnloop/core'
import { manualClock } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { isSummaryRequest } from './compacted-setup.ts'
import { type FaultyStore, faultyStore, refuse } from './faulty-store.ts'
import { openPage, repeat, shown, until, untilAsked } from './session-setup.ts'

const filler = 'words and words '.repeat(60)

/** A session of six turns, the first of them compacted away. */
async function compacted(store: MemoryStore | FaultyStore = new MemoryStore()) {
  const page = openPage((request, index) => (isSummaryRequest(request) ? 'Goals: help.' : `Reply ${index} ${filler}`), {
    store,
    compaction: autoCompaction({ window: 100_000 }),
  })
  for (const turn of [0, 1, 2, 3, 4, 5]) await page.session.send(`Question ${turn}`)
  await page.session.compact()
  return { ...page, store }
}

test('what a compaction hides is dropped, and what is shown stays the same', async () => {
  const { session, store, model } = await compacted(new MemoryStore())
  const before = session.getSnapshot().messages
  const size = JSON.stringify(await store.list()).length
  const report = await session.shorten()
  expect(report).toMatchObject({ messages: expect.any(Number), entries: expect.any(Number) })
  expect([report.messages > 4, report.freedBytes > 4 * filler.length, size > 0]).toEqual([true, true, true])
  expect(session.getSnapshot().messages).toEqual(before)
  await session.send('More')
  expect(model.violations).toEqual([])
  expect(await session.shorten()).toEqual({ messages: 0, entries: 0, freedBytes: 0 })
})

test('a shortened compaction cannot be taken back, and says so', async () => {
  const { session } = await compacted()
  await session.shorten()
  await expect(session.undoCompaction()).rejects.toMatchObject({ code: 'shortened' })
})

test('a checkpoint that has been shortened can be neither gone back to nor branched from', async () => {
  const { session } = await compacted()
  const checkpoints = await session.checkpoints()
  await session.shorten()
  const [start, reply] = checkpoints
  if (start === undefined || reply === undefined) throw new Error('no checkpoints')
  for (const to of [session.rewind(reply), session.fork(reply)])
    await expect(to).rejects.toMatchObject({ code: 'shortened' })
  await session.rewind(start)
  expect(session.getSnapshot().messages).toEqual([])
})

test('what a rewind left behind is dropped too, and the rest loads as it was', async () => {
  const store = new MemoryStore()
  const { session, agent } = openPage(repeat, { store })
  await session.send('One')
  const end = (await session.checkpoints()).at(-1)
  await session.send(`Two ${filler}`)
  if (end !== undefined) await session.rewind(end)
  expect((await session.shorten()).messages).toBe(2)
  expect(JSON.stringify(await store.read('s'))).not.toContain('words and words')
  await session.close()
  const again = openSession({ agent, store, id: 's' })
  await again.checkpoints()
  expect(shown(again)).toEqual(['user: One', 'assistant: You said One'])
})

test('what went out of sight lately stays', async () => {
  const { session, clock } = await compacted()
  await clock.advance(1000)
  expect((await session.shorten({ olderThanMs: 2000 })).messages).toBe(0)
  await clock.advance(1000)
  expect((await session.shorten({ olderThanMs: 2000 })).messages).toBeGreaterThan(4)
})

test('a store that fails to shorten loses nothing, and is tried again', async () => {
  const store = faultyStore()
  const { session } = await compacted(store)
  const before = await store.disk.read('s')
  const seen = shown(session)
  store.break('rewrite', refuse('disconnected'))
  await expect(session.shorten()).rejects.toMatchObject({ code: 'disconnected' })
  expect(await store.disk.read('s')).toEqual(before)
  store.mend()
  await session.flush()
  expect(await store.disk.read('s')).toEqual(session.getEntries())
  expect(shown(session)).toEqual(seen)
})

/** A store with sessions of the ages 3, 2, 1 and 0 seconds, by name. */
async function aged() {
  const store = new MemoryStore()
  const clock = manualClock()
  for (const id of ['three', 'two', 'one', 'none']) {
    const page = openPage(repeat, { store, id, clock })
    await page.session.send('Hello')
    await page.session.close()
    await clock.advance(1000)
  }
  return { store, clock }
}

const ids = (heads: readonly { readonly id: string }[]): string[] => heads.map(({ id }) => id)

test('all but the newest sessions go, and the rest stays whole', async () => {
  const { store, clock } = await aged()
  const { removed } = await pruneSessions(store, { keep: 3, clock })
  expect([ids(removed), ids(await store.list())]).toEqual([['three'], ['none', 'one', 'two']])
})

test('old sessions go, except those that the app keeps', async () => {
  const { store, clock } = await aged()
  const { removed } = await pruneSessions(store, { olderThanMs: 2500, isKept: ({ id }) => id === 'three', clock })
  expect(ids(removed)).toEqual(['two'])
})

test('a session with a turn that has not ended stays', async () => {
  const store = new MemoryStore()
  const { session } = openPage([{ text: 'Never.', gate: new Promise<void>(() => {}) }], { store })
  session.send('One').catch(() => {})
  await untilAsked(session)
  await session.flush()
  expect((await pruneSessions(store, { keep: 0 })).removed).toEqual([])
  await until(session, ({ storage }) => storage.state === 'ready')
})

test('without a rule nothing is removed', async () => {
  await expect(pruneSessions(new MemoryStore(), {})).rejects.toMatchObject({ code: 'bad-option' })
})
