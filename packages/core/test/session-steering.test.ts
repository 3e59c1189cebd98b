import { defineHooks, InputCheckError, MemoryStore, type ModelRequest, type PreHook } from '@turnloop/core'
import { assertHistory, deafTool, deferred, type ScriptStep } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { outline } from './loop-setup.ts'
import {
  logFaults,
  openGated,
  openPage,
  repeat,
  shown,
  until,
  untilAsked,
  untilIdle,
  waiting,
} from './session-setup.ts'

/** Calls a tool first, then repeats what was said last. */
function looksFirst(request: ModelRequest): ScriptStep {
  return request.messages.some(({ role }) => role === 'tool') ? repeat(request) : { calls: [{ name: 'look' }] }
}

/** A page with a turn whose tool runs until it is released. */
async function openLooking(options: Parameters<typeof openPage>[1] = {}) {
  const look = deafTool({ name: 'look', effect: 'read' })
  const page = openPage(looksFirst, { tools: [look], ...options })
  const turn = page.session.send('one')
  await look.started
  return { ...page, look, turn }
}

test('what steers joins after the results of tools, before the model is asked', async () => {
  const { session, model, look, turn } = await openLooking()
  const steered = session.send('two', { whenBusy: 'steer' })
  expect(waiting(await until(session, ({ queue }) => queue.length === 1))).toEqual(['two'])
  look.release('seen')
  expect((await turn).text).toBe('You said two')
  expect(outline(model.requests[1]?.messages ?? []).map((line) => line.split(' ')[0])).toEqual([
    'user:',
    'assistant:',
    'tool:',
    'user:',
  ])
  expect((await steered).turnId).toBe((await turn).turnId)
  expect(model.requests).toHaveLength(2)
})

test('a turn that would end first has one more round', async () => {
  const { session, gate, model } = openGated()
  const turn = session.send('one')
  await untilAsked(session)
  const steered = session.send('two', { whenBusy: 'steer' })
  await until(session, ({ queue }) => queue.length === 1)
  gate.resolve()
  expect([(await turn).text, (await steered).text]).toEqual(['You said two', 'You said two'])
  expect(shown(session)).toEqual(['user: one', 'assistant: First.', 'user: two', 'assistant: You said two'])
  assertHistory((await turn).messages)
  expect(model.violations).toEqual([])
})

test('several that steer join in the order they were said', async () => {
  const { session, gate } = openGated()
  const turn = session.send('one')
  await untilAsked(session)
  const sends = ['two', 'three'].map((word) => session.send(word, { whenBusy: 'steer' }))
  session.send('four').catch(() => {})
  await until(session, ({ queue }) => queue.length === 3)
  expect(waiting(session.getSnapshot())).toEqual(['two', 'three', 'four'])
  gate.resolve()
  await Promise.all([turn, ...sends])
  await untilIdle(session)
  expect(shown(session).filter((line) => line.startsWith('user'))).toEqual([
    'user: one',
    'user: two',
    'user: three',
    'user: four',
  ])
})

test('what steers an idle session starts a turn', async () => {
  const { session } = openPage(repeat)
  expect((await session.send('one', { whenBusy: 'steer' })).text).toBe('You said one')
})

test('after Stop it waits first in the queue, which is held', async () => {
  const { session, look, turn } = await openLooking()
  const queued = session.send('later')
  const steered = session.send('two', { whenBusy: 'steer' })
  await until(session, ({ queue }) => queue.length === 2)
  const stopped = session.cancel()
  look.release('seen')
  await stopped
  expect((await turn).outcome.kind).toBe('cancelled')
  expect(waiting(await untilIdle(session))).toEqual(['two', 'later'])
  expect((await session.send('last')).text).toBe('You said last')
  expect([(await steered).text, (await queued).text]).toEqual(['You said two', 'You said later'])
})

test('after a failure it goes first of what waits', async () => {
  const gate = deferred()
  const fails = { error: { status: 400, message: 'no' }, gate: gate.promise }
  const { session } = openPage((request, index) => (index === 0 ? fails : repeat(request)))
  const turn = session.send('one')
  await untilAsked(session)
  const queued = session.send('later')
  const steered = session.send('two', { whenBusy: 'steer' })
  await until(session, ({ queue }) => queue.length === 2)
  gate.resolve()
  expect((await turn).outcome.kind).toBe('failed')
  expect([(await steered).text, (await queued).text]).toEqual(['You said two', 'You said later'])
  expect((await steered).turnId).not.toBe((await turn).turnId)
})

test('one that waits can be edited, removed and taken back', async () => {
  const { session, look, turn } = await openLooking()
  const signal = new AbortController()
  const ends = [
    session.send('edited', { whenBusy: 'steer' }),
    session.send('removed', { whenBusy: 'steer' }),
    session.send('aborted', { whenBusy: 'steer', signal: signal.signal }),
  ]
  const { queue } = await until(session, ({ queue: waits }) => waits.length === 3)
  await session.editQueued(queue[0]?.id ?? '', 'new words')
  await session.removeQueued(queue[1]?.id ?? '')
  signal.abort('never mind')
  look.release('seen')
  expect((await turn).text).toBe('You said new words')
  expect((await Promise.all(ends)).map(({ outcome }) => outcome.kind)).toEqual(['completed', 'cancelled', 'cancelled'])
})

test('a listener never sees it twice, nor not at all', async () => {
  const { session, look, turn } = await openLooking()
  session.send('two', { whenBusy: 'steer' }).catch(() => {})
  await until(session, ({ queue }) => queue.length === 1)
  const seen = new Set<number>()
  session.subscribe(() => {
    const { queue } = session.getSnapshot()
    seen.add(queue.length + shown(session).filter((line) => line === 'user: two').length)
  })
  look.release('seen')
  await turn
  expect([...seen]).toEqual([1])
})

test('it passes the preHooks, which may change it', async () => {
  const loud = defineHooks({ preHooks: [({ input }) => ({ replace: input.text.toUpperCase() })] })
  const { session, look, turn } = await openLooking({ hooks: loud })
  session.send('two', { whenBusy: 'steer' }).catch(() => {})
  await until(session, ({ queue }) => queue.length === 1)
  look.release('seen')
  expect((await turn).text).toBe('You said TWO')
})

test('one that a preHook blocks ends the turn and is not stored', async () => {
  const store = new MemoryStore()
  const check: PreHook = ({ input }) => {
    if (input.text.includes('secret')) throw new InputCheckError('Not that.')
  }
  const { session, look, turn } = await openLooking({ hooks: defineHooks({ preHooks: [check] }), store })
  const steered = session.send('secret', { whenBusy: 'steer' })
  await until(session, ({ queue }) => queue.length === 1)
  look.release('seen')
  expect([(await turn).outcome.kind, (await steered).outcome.kind]).toEqual(['blocked', 'blocked'])
  await session.flush()
  const stored = JSON.stringify([await store.read('s'), await store.head('s')])
  expect([stored.includes('secret'), waiting(session.getSnapshot())]).toEqual([false, []])
})

test('Stop while its preHooks run leaves it waiting', async () => {
  const entered = deferred()
  const hangs: PreHook = async ({ input }) => {
    if (input.text !== 'two') return
    entered.resolve()
    await new Promise(() => {})
  }
  const { session, clock, look, turn } = await openLooking({ hooks: defineHooks({ preHooks: [hangs] }) })
  session.send('two', { whenBusy: 'steer' }).catch(() => {})
  await until(session, ({ queue }) => queue.length === 1)
  look.release('seen')
  await entered.promise
  const id = session.getSnapshot().queue[0]?.id ?? ''
  // It has begun: what it says stands.
  await session.removeQueued(id)
  const stopped = session.cancel()
  await clock.advance(2000)
  await stopped
  expect((await turn).outcome.kind).toBe('cancelled')
  expect([waiting(session.getSnapshot()), logFaults(session.getEntries())]).toEqual([['two'], []])
})

test('it joins a turn that has paused for people once that goes on', async () => {
  const pay = { ...deafTool({ name: 'pay' }), needsApproval: () => true }
  const look = deafTool({ name: 'look', effect: 'read' })
  const asks = (request: ModelRequest): ScriptStep =>
    request.messages.some(({ role }) => role === 'tool')
      ? repeat(request)
      : { calls: [{ name: 'look' }, { name: 'pay' }] }
  const { session } = openPage(asks, { tools: [look, pay] })
  const turn = session.send('one')
  await look.started
  const steered = session.send('two', { whenBusy: 'steer' })
  await until(session, ({ queue }) => queue.length === 1)
  look.release('seen')
  expect((await turn).outcome.kind).toBe('awaiting')
  const { pending, queue } = session.getSnapshot()
  expect(queue).toHaveLength(1)
  await session.deny(pending[0]?.id ?? '')
  expect((await steered).text).toBe('You said two')
  expect((await steered).turnId).toBe((await turn).turnId)
})

test('a named input that has joined is not said again', async () => {
  const { session, look, turn, model } = await openLooking()
  const steered = session.send('two', { whenBusy: 'steer', turnId: 'named' })
  await until(session, ({ queue }) => queue.length === 1)
  look.release('seen')
  await steered
  const again = await session.send('two', { turnId: 'named' })
  expect([again.turnId, model.requests.length]).toEqual([(await turn).turnId, 2])
})

test('what has joined in a page that took over is not said again here', async () => {
  const store = new MemoryStore()
  const here = await openLooking({ store })
  const steered = here.session.send('two', { whenBusy: 'steer' })
  await until(here.session, ({ queue }) => queue.length === 1)
  await here.session.flush()
  const look = deafTool({ name: 'look', effect: 'read' })
  const there = openPage(looksFirst, { store, tools: [look] })
  await look.started
  look.release('seen')
  await untilIdle(there.session)
  here.look.release('too late')
  await here.turn
  expect((await here.session.send('last')).text).toBe('You said last')
  expect([(await steered).text, (await steered).turnId]).toEqual(['You said two', (await here.turn).turnId])
  expect(shown(here.session).filter((line) => line === 'user: two')).toHaveLength(1)
})
