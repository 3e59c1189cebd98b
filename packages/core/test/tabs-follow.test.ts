import { deferred } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { repeat, shown, until, untilAsked, untilIdle } from './session-setup.ts'
import { diskFaults, growing, openTab, openTabs, pageOf } from './tabs-setup.ts'

test('a tab shows what is said in the other, and what is answered', async () => {
  const { disk, pages } = await openTabs([repeat, repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  await a.session.send('one')
  await until(b.session, ({ messages, status }) => messages.length === 2 && status === 'idle')
  expect(b.session.getEntries()).toEqual(await disk.read('s'))
  await b.session.send('two')
  await until(a.session, ({ messages, status }) => messages.length === 4 && status === 'idle')
  expect([shown(a.session), a.model.requests.length]).toEqual([shown(b.session), 1])
  expect(await diskFaults(disk)).toEqual([])
})

test('the text of the driver grows in a follower', async () => {
  const gate = deferred()
  const { pages } = await openTabs([repeat, repeat], {
    beforeEvent: (_event, { event }) => (event === 5 ? gate.promise : undefined),
  })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const turn = a.session.send('one two three four')
  await untilAsked(b.session)
  await a.clock.advance(20)
  expect([growing(b), b.session.getSnapshot().role, b.session.getSnapshot().status]).toEqual([
    'You said one',
    'follower',
    'running',
  ])
  expect(a.session.getSnapshot().role).toBe('driver')
  gate.resolve()
  await turn
  const { role } = await until(b.session, ({ role: now, status }) => status === 'idle' && now === 'driver')
  expect([role, shown(b.session)]).toEqual(['driver', shown(a.session)])
})

test('two tabs that send at once are answered one after the other', async () => {
  const { disk, pages } = await openTabs([repeat, repeat, repeat])
  const results = await Promise.all(pages.map(({ session }, index) => session.send(`word ${index}`)))
  expect(results.map(({ text }) => text)).toEqual(['You said word 0', 'You said word 1', 'You said word 2'])
  const requests = pages.reduce((sum, { model }) => sum + model.requests.length, 0)
  expect([requests, await diskFaults(disk)]).toEqual([3, []])
  for (const { session } of pages) {
    await until(session, ({ messages, status }) => messages.length === 6 && status === 'idle')
    expect(session.getEntries()).toEqual(await disk.read('s'))
  }
})

test('a tab that opens in the middle of a turn shows it and leaves it alone', async () => {
  const gate = deferred()
  const { tabs, pages } = await openTabs([repeat], {
    beforeEvent: (_event, { event }) => (event === 5 ? gate.promise : undefined),
  })
  const a = pageOf(pages, 0)
  const turn = a.session.send('one two three four')
  await untilAsked(a.session)
  await a.clock.advance(20)
  await a.session.flush()
  const b = openTab(tabs)
  await until(b.session, ({ open, status }) => open !== undefined && status !== 'loading')
  expect([growing(b), b.session.getSnapshot().status, b.session.getSnapshot().resumable]).toEqual([
    'You said one',
    'running',
    undefined,
  ])
  gate.resolve()
  expect((await turn).text).toBe('You said one two three four')
  await untilIdle(b.session)
  expect([b.model.requests.length, shown(b.session)]).toEqual([0, shown(a.session)])
})

test('a follower sends, and is given the result', async () => {
  const gate = deferred()
  const { pages } = await openTabs([
    (request, index) => (index === 0 ? { text: 'First.', gate: gate.promise } : repeat(request)),
    repeat,
  ])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const first = a.session.send('one')
  await untilAsked(b.session)
  const second = b.session.send('two')
  await until(b.session, ({ queue }) => queue.length === 1)
  gate.resolve()
  expect([(await first).text, (await second).text]).toEqual(['First.', 'You said two'])
  expect((await second).messages).toHaveLength(4)
  expect([a.model.requests.length, b.model.requests.length]).toEqual([2, 0])
})

test('Stop from a follower stops the turn', async () => {
  const { pages } = await openTabs([[{ text: 'Never.', hang: 'until-abort' }], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const turn = a.session.send('one')
  await untilAsked(b.session)
  await b.session.cancel()
  expect((await turn).outcome.kind).toBe('cancelled')
  expect((await untilIdle(b.session)).outcome?.kind).toBe('cancelled')
})
