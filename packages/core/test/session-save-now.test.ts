import { MemoryStore, messageText, openSession } from '@turnloop/core'
import { assertHistory, deferred } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { faultyStore, hang, loseAnswer, refuse } from './faulty-store.ts'
import { effectTool, kinds, openPage, repeat, until, untilAsked, untilIdle } from './session-setup.ts'
import { openTabs, pageOf } from './tabs-setup.ts'

/** A page whose reply has grown half-way when its store stops answering, as one does that is about to be killed. */
async function growing(store = faultyStore()) {
  const gate = deferred()
  const script = () => ({ text: 'Half of it and the rest.' })
  const page = openPage(script, {
    store,
    beforeEvent: async ({ type }) => {
      if (type === 'text-end') await gate.promise
    },
  })
  page.session.send('Go').catch(() => {})
  await until(page.session, ({ open }) => open !== undefined && messageText(open).endsWith('rest.'))
  await page.session.flush()
  return { ...page, store }
}

test('what waits and the growing reply are stored before it returns', async () => {
  const { session, store } = await growing()
  store.break('append', hang)
  session.saveNow()
  const open = await store.disk.open('s')
  expect(open && messageText(open.message)).toBe('Half of it and the rest.')
  expect(kinds(await store.disk.read('s'))).toEqual(['turn-started', 'message'])
})

test('a page that is killed after it loses nothing of what came before', async () => {
  const store = faultyStore()
  store.break('append', refuse('storage-unavailable'))
  const { session, agent } = openPage(repeat, { store })
  await session.send('One')
  expect(await store.disk.read('s')).toEqual([])
  store.break('append', hang)
  session.saveNow()
  const again = openSession({ agent, store: store.disk, id: 's' })
  await untilIdle(again)
  expect(again.getSnapshot().messages).toEqual(session.getSnapshot().messages)
  assertHistory(again.getSnapshot().messages)
})

test('a page that lives on saves the same once more, and is not overtaken by itself', async () => {
  const store = faultyStore()
  store.breakNext('append', loseAnswer)
  const { session, clock } = openPage(repeat, { store })
  const sent = session.send('One')
  await untilAsked(session)
  session.saveNow()
  session.saveNow()
  await sent
  await clock.advance(60_000)
  expect(session.getSnapshot().storage).toEqual(expect.objectContaining({ state: 'ready', waiting: 0 }))
  expect(await store.disk.read('s')).toEqual(session.getEntries())
})

test('a large value is stored as it is, and stays so', async () => {
  const store = faultyStore()
  store.break('put', hang)
  const { session, clock } = openPage(repeat, { store })
  const data = { base64: btoa('\u00ff'.repeat(75_000)) }
  const sent = session.send([
    { type: 'text', text: 'Look' },
    { type: 'file', mediaType: 'image/png', data },
  ])
  await until(session, ({ messages }) => messages.length > 0)
  session.saveNow()
  store.mend()
  await clock.advance(60_000)
  await sent
  await session.flush()
  expect(session.getSnapshot().storage.state).toBe('ready')
  expect(await store.disk.read('s')).toEqual(session.getEntries())
})

test('with nothing to save the store is left alone', async () => {
  const store = faultyStore()
  const { session } = openPage(repeat, { store })
  await session.send('One')
  await session.flush()
  session.saveNow()
  expect(store.lastSaves).toEqual([])
})

test('a store that cannot do it saves as ever', async () => {
  const store = new MemoryStore()
  Object.defineProperty(store, 'saveNow', { value: undefined })
  const { session } = openPage(repeat, { store })
  await session.send('One')
  session.saveNow()
  await session.flush()
  expect(await store.read('s')).toEqual(session.getEntries())
})

test('a follower writes nothing', async () => {
  const gate = deferred()
  const { pages } = await openTabs([() => ({ text: 'Slow.', gate: gate.promise }), repeat])
  const [driver, follower] = [pageOf(pages, 0), pageOf(pages, 1)]
  const sent = driver.session.send('One')
  await until(follower.session, ({ role, messages }) => role === 'follower' && messages.length === 1)
  follower.session.saveNow()
  gate.resolve()
  expect((await sent).outcome.kind).toBe('completed')
  expect(driver.session.getSnapshot().storage.state).toBe('ready')
})

test('an unsafe call whose start was saved so is not run again', async () => {
  const store = faultyStore()
  const pay = effectTool('pay', 'unsafe')
  const gate = deferred()
  const slow = {
    ...pay.tool,
    execute: (input: unknown, context: never) =>
      Promise.resolve(pay.tool.execute(input, context)).then(() => gate.promise),
  }
  const script = () => ({ calls: [{ name: 'pay' }] })
  const { session } = openPage(script, { store, tools: [slow] })
  session.send('Pay').catch(() => {})
  await until(session, ({ activity }) => activity?.kind === 'tools')
  session.saveNow()
  const { session: again } = openPage(() => 'Fine.', { store: store.disk, tools: [pay.tool] })
  await untilIdle(again)
  expect([pay.runs.length, again.getSnapshot().outcome?.kind]).toEqual([1, 'completed'])
})
