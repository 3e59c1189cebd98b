import { MemoryStore } from '@turnloop/core'
import { deferred, type ScriptStep } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { faultyStore, refuse } from './faulty-store.ts'
import { outline } from './loop-setup.ts'
import { effectTool, logFaults, openPage, shown, until, untilIdle } from './session-setup.ts'

const PAY: ScriptStep = { calls: [{ name: 'pay' }] }

/** A disk on which `Hi` has been answered and an input waits. */
async function usedDisk(): Promise<MemoryStore> {
  const disk = new MemoryStore()
  const { session } = openPage(['Hello.'], { store: disk })
  await session.send('Hi')
  await session.close()
  const input = { id: 'i', turnId: 'waiting', createdAt: 0, content: [{ type: 'text' as const, text: 'Still here?' }] }
  const head = await disk.head('s')
  if (head !== undefined) await disk.append('s', [], { head: { ...head, queue: [input] } })
  return disk
}

test('a store that cannot be read is blocked, and the conversation goes on in memory', async () => {
  const store = faultyStore()
  for (const method of ['read', 'claim', 'append'] as const) store.break(method, refuse('storage-unavailable'))
  const { session } = openPage(['Hello.'], { store })
  expect((await untilIdle(session)).storage).toMatchObject({ state: 'blocked', reason: 'storage-unavailable' })
  expect((await session.send('Hi')).text).toBe('Hello.')
  expect(shown(session)).toEqual(['user: Hi', 'assistant: Hello.'])
})

test('a store that is back at the next turn brings history and queue along', async () => {
  const store = faultyStore(await usedDisk())
  store.breakNext('read', refuse('disconnected'))
  const { session, model } = openPage(['More.', 'Yes.'], { store })
  expect((await untilIdle(session)).storage.state).toBe('degraded')
  expect((await session.send('More?')).text).toBe('More.')
  expect(outline(model.requests[0]?.messages ?? [])).toEqual(['user: Hi', 'assistant: Hello.', 'user: More?'])
  await until(session, ({ messages, status }) => status === 'idle' && messages.length === 6)
  expect(shown(session).slice(4)).toEqual(['user: Still here?', 'assistant: Yes.'])
  expect(logFaults(await store.disk.read('s'))).toEqual([])
})

test('a store that comes back in the middle of a turn does not cost the turn', async () => {
  const store = faultyStore(await usedDisk())
  for (const method of ['read', 'claim'] as const) store.break(method, refuse('storage-unavailable'))
  const pay = effectTool('pay', 'unsafe')
  const gate = deferred()
  const script: ScriptStep[] = ['Yes.', { text: 'Slow.', ...PAY, gate: gate.promise }, 'Paid.']
  const { session, clock } = openPage(script.slice(1), { store, tools: [pay.tool] })
  const before = await store.disk.read('s')
  const turn = session.send('Pay')
  await clock.advance(10)
  store.mend()
  await clock.advance(2000)
  gate.resolve()
  expect([(await turn).text, pay.runs.length]).toEqual(['Paid.', 1])
  expect(session.getSnapshot().storage).toMatchObject({ state: 'lost' })
  expect(await store.disk.read('s')).toEqual(before)
})

test('a page that is alone stays alone: it claims nothing and its calls run', async () => {
  const store = faultyStore(await usedDisk())
  for (const method of ['read', 'claim'] as const) store.break(method, refuse('storage-unavailable'))
  const pay = effectTool('pay', 'unsafe')
  const { session, clock } = openPage(['One.', PAY, 'Paid.'], { store, tools: [pay.tool] })
  await session.send('1')
  store.mend()
  await clock.advance(2000)
  const { claim } = store.calls
  expect((await session.send('Pay')).text).toBe('Paid.')
  expect([store.calls.claim - claim, pay.runs.length]).toEqual([0, 1])
  expect(shown(session)).toHaveLength(6)
})

test('a log erased between two turns leaves the conversation on the screen', async () => {
  const store = faultyStore()
  const { session } = openPage(['One.', 'Two.'], { store })
  await session.send('1')
  await store.remove('s')
  expect((await session.send('2')).text).toBe('Two.')
  expect(shown(session)).toHaveLength(4)
  expect(session.getSnapshot().storage).toMatchObject({ state: 'lost' })
  expect(await store.disk.read('s')).toEqual([])
})

test('a log erased in the middle of a turn does too', async () => {
  const store = faultyStore()
  const gate = deferred()
  const { session, clock } = openPage(['One.', { text: 'Two.', gate: gate.promise }, 'Three.'], { store })
  await session.send('1')
  const second = session.send('2')
  await clock.advance(10)
  await store.remove('s')
  gate.resolve()
  await second
  await session.flush()
  expect(shown(session).slice(0, 2)).toEqual(['user: 1', 'assistant: One.'])
  expect((await session.send('3')).text).toBe('Three.')
  expect(session.getSnapshot().storage).toMatchObject({ state: 'lost' })
})

test('what was saved without ever being read is not taken in twice', async () => {
  const store = faultyStore()
  store.breakNext('read', refuse('storage-unavailable'), refuse('storage-unavailable'))
  const { session } = openPage(['One.', 'Two.'], { store })
  await session.send('1')
  expect(session.getSnapshot().storage.state).toBe('ready')
  await session.send('2')
  expect(shown(session)).toHaveLength(4)
  expect(await store.disk.read('s')).toEqual(session.getEntries())
})
