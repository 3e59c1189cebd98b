import { MemoryStore } from '@turnloop/core'
import { deafTool, deferred } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { faultyStore } from './faulty-store.ts'
import {
  effectTool,
  kinds,
  openGated,
  openPage,
  repeat,
  text,
  until,
  untilAsked,
  untilIdle,
  waiting,
  watchStatus,
} from './session-setup.ts'

test('Stop in an idle session does nothing, and the next send goes on', async () => {
  const { session } = openPage(repeat)
  await untilIdle(session)
  const seen = watchStatus(session)
  await session.cancel()
  expect(seen).toEqual(['idle'])
  expect((await session.send('one')).text).toBe('You said one')
})

test('Stop while loading takes back what was sent', async () => {
  const { session, model } = openPage([])
  const turn = session.send('one')
  await session.cancel('no')
  expect((await turn).outcome).toMatchObject({ kind: 'cancelled', reason: 'no', input: text('one') })
  await untilIdle(session)
  expect([model.requests.length, session.getEntries()]).toEqual([0, []])
})

test('Stop while loading keeps a cut turn from going on, and the next input closes it', async () => {
  const disk = new MemoryStore()
  const first = openGated({ store: disk })
  first.session.send('one').catch(() => {})
  await untilAsked(first.session)
  await first.session.close({ running: 'leave' })
  const { session } = openPage(repeat, { store: disk })
  await session.cancel()
  expect((await untilIdle(session)).resumable).toBe(true)
  expect((await session.send('two')).text).toBe('You said two')
  expect(session.getEntries().find(({ type }) => type === 'turn-ended')).toMatchObject({
    outcome: { kind: 'interrupted' },
  })
})

test('Stop holds what waits; the next send lets it go on, in order', async () => {
  const { session } = openGated()
  const first = session.send('one')
  const second = session.send('two')
  await untilAsked(session)
  await session.cancel()
  expect([(await first).outcome.kind, session.getSnapshot().status]).toEqual(['cancelled', 'idle'])
  expect(waiting(session.getSnapshot())).toEqual(['two'])
  const third = session.send('three')
  expect([(await second).text, (await third).text]).toEqual(['You said two', 'You said three'])
})

test('Stop gives up the new answer that waits for the old one to end', async () => {
  const look = deafTool({ name: 'look', effect: 'read' })
  const calls = [{ calls: [{ name: 'look' }] }, 'Later.']
  const { session, model, clock } = openPage(calls, { tools: [look] })
  session.send('one').catch(() => {})
  await look.started
  const again = session.regenerate()
  await until(session, ({ status }) => status === 'cancelling')
  const stopping = session.cancel('enough')
  await clock.advance(2000)
  await stopping
  expect((await again).outcome).toMatchObject({ kind: 'cancelled', reason: 'enough' })
  expect((await session.send('two')).text).toBe('Later.')
  expect([model.requests.length, kinds(session.getEntries()).includes('rewound')]).toEqual([2, false])
})

test('E9: a message sent right after Stop runs, and Stop stops it too', async () => {
  const { session } = openPage(() => ({ text: 'Half', hang: 'until-abort' }))
  const seen = watchStatus(session)
  const first = session.send('one')
  await until(session, ({ open }) => JSON.stringify(open ?? '').includes('Half'))
  const stopping = session.cancel('first')
  const second = session.send('two')
  await stopping
  expect((await first).outcome).toMatchObject({ reason: 'first' })
  await until(session, ({ open }) => JSON.stringify(open ?? '').includes('Half'))
  await session.cancel('second')
  expect((await second).outcome).toMatchObject({ reason: 'second' })
  expect(seen).toEqual(['loading', 'running', 'cancelling', 'running', 'cancelling', 'idle'])
})

test('what is asked right after Stop of a turn that waits for people runs', async () => {
  const ask = { ...effectTool('ask', 'unsafe').tool, needsApproval: () => true }
  for (let ticks = 0; ticks < 40; ticks += 1) {
    const asks = { calls: [{ name: 'ask' }] }
    const { session } = openPage((request, index) => (index === 0 ? asks : repeat(request)), { tools: [ask] })
    await session.send('one')
    const stopping = session.cancel()
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
    const next = ticks % 2 === 0 ? session.send('two') : session.regenerate()
    await stopping
    expect([ticks, (await next).text]).toEqual([ticks, ticks % 2 === 0 ? 'You said two' : 'You said one'])
  }
})

test('stopping twice and stopping after the end are fine', async () => {
  const { session } = openPage([{ text: 'Half', hang: 'until-abort' }])
  const turn = session.send('one')
  await untilAsked(session)
  await Promise.all([session.cancel('once'), session.cancel('twice')])
  await session.cancel('late')
  expect((await turn).outcome).toMatchObject({ kind: 'cancelled', reason: 'once' })
  expect(session.getSnapshot().status).toBe('idle')
})

test('Stop during the last save leaves the outcome and shows no way back', async () => {
  const store = faultyStore()
  const gate = deferred()
  const isEnd = (): boolean => store.appends.at(-1)?.entries.some(({ type }) => type === 'turn-ended') === true
  store.break('append', async (go) => {
    if (isEnd()) await gate.promise
    return go()
  })
  const { session, clock } = openPage(repeat, { store })
  const seen = watchStatus(session)
  const turn = session.send('one')
  await until(session, ({ outcome }) => outcome !== undefined)
  const stopping = session.cancel()
  await clock.advance(800)
  await stopping
  expect([(await turn).outcome.kind, seen]).toEqual(['completed', ['loading', 'running', 'idle']])
  gate.resolve()
})

test('Stop during the last save holds what waits', async () => {
  const store = faultyStore()
  const gate = deferred()
  const isEnd = (): boolean => store.appends.at(-1)?.entries.some(({ type }) => type === 'turn-ended') === true
  store.break('append', async (go) => {
    if (isEnd()) await gate.promise
    return go()
  })
  const { session, model } = openPage(repeat, { store })
  const first = session.send('one')
  session.send('two').catch(() => {})
  await until(session, ({ outcome }) => outcome !== undefined)
  const stopping = session.cancel()
  gate.resolve()
  await Promise.all([stopping, first])
  expect([waiting(session.getSnapshot()), model.requests.length]).toEqual([['two'], 1])
  expect(session.getSnapshot().status).toBe('idle')
})

test('Stop while a cut turn is being closed stops the new one before it starts', async () => {
  const disk = new MemoryStore()
  const tool = deafTool({ name: 'deaf', effect: 'read' })
  const first = openPage([{ calls: [{ name: 'deaf' }] }], { store: disk, tools: [tool] })
  first.session.send('one').catch(() => {})
  await tool.started
  const leaving = first.session.close({ running: 'leave' })
  await first.clock.advance(2000)
  await leaving
  const store = faultyStore(disk)
  const { session, model } = openPage([], { store, tools: [tool], resume: 'manual' })
  await untilIdle(session)
  const seen = watchStatus(session)
  const turn = session.send('two')
  await until(session, ({ outcome }) => outcome?.kind === 'interrupted')
  await session.cancel()
  expect((await turn).outcome).toMatchObject({ kind: 'cancelled', input: text('two') })
  expect([seen, model.requests.length]).toEqual([['idle', 'running', 'cancelling', 'idle'], 0])
  await session.flush()
  expect((await disk.head('s'))?.queue).toEqual([])
})

test('a first input that is stopped before it starts leaves no session in the list', async () => {
  const disk = new MemoryStore()
  const { session } = openPage([], { store: disk })
  await untilIdle(session)
  const turn = session.send('one')
  await session.cancel()
  expect((await turn).outcome).toMatchObject({ kind: 'cancelled', input: text('one') })
  await session.flush()
  expect([await disk.list(), session.getEntries()]).toEqual([[], []])
})

test('Stop at any moment around the end of a turn starts nothing more', async () => {
  for (let ticks = 0; ticks < 60; ticks += 1) {
    const { session, model } = openPage(repeat)
    const first = session.send('one')
    session.send('two').catch(() => {})
    await until(session, ({ outcome }) => outcome !== undefined)
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
    const asked = model.requests.length
    await session.cancel()
    await Promise.all([first, session.flush()])
    expect([ticks, model.requests.length, session.getSnapshot().status]).toEqual([ticks, asked, 'idle'])
  }
})
