import { MemoryStore } from '@turnloop/core'
import { deferred } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { faultyStore, waitFor } from './faulty-store.ts'
import { collect } from './loop-setup.ts'
import { openGated, openPage, repeat, shown, text, until, untilAsked } from './session-setup.ts'

test('closing waits for the running turn by default', async () => {
  const { session, gate } = openGated()
  const turn = session.send('one')
  await untilAsked(session)
  const closing = session.close()
  gate.resolve()
  await closing
  expect([(await turn).text, session.getSnapshot().status]).toEqual(['First.', 'closed'])
})

test('a closed session refuses commands, and closing it again is fine', async () => {
  const { session } = openPage([])
  const closing = session.close()
  expect(session.close()).toBe(closing)
  for (const command of [session.send('x'), session.resume(), session.retry(), session.rename('x')]) {
    await expect(command).rejects.toMatchObject({ code: 'session-closed' })
  }
  await closing
  await session.cancel()
  expect(session.getSnapshot().status).toBe('closed')
})

test('what waits when a stored session closes stays stored, and says so', async () => {
  const disk = new MemoryStore()
  const { session, gate } = openGated({ store: disk })
  session.send('one').catch(() => {})
  const second = session.send('two')
  await untilAsked(session)
  const closing = session.close()
  gate.resolve()
  await closing
  const { outcome } = await second
  expect(outcome).toMatchObject({ kind: 'cancelled', reason: expect.stringContaining('opened again') })
  expect('input' in outcome).toBe(false)
  const again = openPage(repeat, { store: disk })
  await until(again.session, ({ status, messages }) => status === 'idle' && messages.length === 4)
  expect(shown(again.session).at(-1)).toBe('assistant: You said two')
})

test('what waits when a session in memory closes is handed back', async () => {
  const { session, gate } = openGated()
  session.send('one').catch(() => {})
  const second = session.send('two')
  await untilAsked(session)
  const closing = session.close()
  gate.resolve()
  await closing
  expect((await second).outcome).toMatchObject({ kind: 'cancelled', input: text('two') })
})

test('events end when the session is closed, with all that happened', async () => {
  const { session } = openPage(repeat)
  const reading = collect(session.events())
  await session.send('one')
  await session.close()
  const events = await reading
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(['turn-started', 'turn-ended'])
  expect(await collect(session.events())).toEqual([])
})

test('events asked for side by side all arrive', async () => {
  const { session } = openPage(repeat)
  const reader = session.events()[Symbol.asyncIterator]()
  const asked = [reader.next(), reader.next(), reader.next()]
  await session.send('one')
  const types = (await Promise.all(asked)).map(({ value }) => value?.type)
  expect(types).toEqual(['turn-started', 'message', 'iteration-started'])
  await reader.return?.()
  expect((await reader.next()).done).toBe(true)
})

test('what was sent while loading and closed at once waits for the next page', async () => {
  const disk = new MemoryStore()
  const { session } = openPage([], { store: disk })
  const turn = session.send('one')
  await session.close()
  expect((await turn).outcome).toMatchObject({ kind: 'cancelled', reason: expect.stringContaining('opened again') })
  const again = openPage(repeat, { store: disk })
  await until(again.session, ({ status, messages }) => status === 'idle' && messages.length === 2)
  expect(shown(again.session)).toEqual(['user: one', 'assistant: You said one'])
})

test('a session that was closed while loading stays closed when its log arrives', async () => {
  const store = faultyStore()
  const gate = deferred()
  store.break('read', waitFor(gate.promise))
  const { session, clock } = openPage([], { store })
  const closing = session.close()
  await clock.advance(5000)
  await closing
  gate.resolve()
  await clock.advance(0)
  expect(session.getSnapshot().status).toBe('closed')
})
