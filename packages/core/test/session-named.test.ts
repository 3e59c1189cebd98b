import { MemoryStore } from '@turnloop/core'
import { expect, test } from 'vitest'
import { outline } from './loop-setup.ts'
import { logFaults, openGated, openPage, repeat, shown, text, until, untilAsked } from './session-setup.ts'

test('the same turn sent twice at once is asked once', async () => {
  const { session, model } = openPage(repeat)
  const [first, second] = await Promise.all([
    session.send('one', { turnId: 'a' }),
    session.send('one', { turnId: 'a' }),
  ])
  expect([first.turnId, second, model.requests.length]).toEqual(['a', first, 1])
})

test.each(['running', 'waiting', 'held', 'ended', 'reloaded'] as const)(
  'a turn sent again when it is %s is asked once',
  async (state) => {
    const disk = new MemoryStore()
    const { session, gate, model } = openGated({ store: disk })
    const other = state === 'running' ? undefined : session.send('other')
    const first = session.send('one', { turnId: 'a' })
    await untilAsked(session)
    if (state === 'held') await session.cancel()
    else if (state !== 'waiting') gate.resolve()
    if (state === 'ended' || state === 'reloaded') await first
    if (state === 'reloaded') await session.close()
    const page = state === 'reloaded' ? openPage([], { store: disk }) : { session, model }
    const again = page.session.send('one', { turnId: 'a' })
    gate.resolve()
    const [one, two] = await Promise.all([first, again])
    await other
    expect([two.turnId, two.outcome.kind, two.text]).toEqual(['a', 'completed', one.text])
    expect(outline(two.messages)).toEqual(outline(one.messages))
    const asked = session.getEntries().filter((entry) => entry.type === 'turn-started' && entry.turnId === 'a')
    expect(asked).toHaveLength(1)
    expect(logFaults(page.session.getEntries())).toEqual([])
  },
)

test('a turn that was cut goes on when it is sent again', async () => {
  const disk = new MemoryStore()
  const first = openGated({ store: disk })
  first.session.send('one', { turnId: 'a' }).catch(() => {})
  await untilAsked(first.session)
  await first.session.close({ running: 'leave' })
  for (const resume of ['manual', 'auto'] as const) {
    const copy = new MemoryStore()
    await copy.append('s', await disk.read('s'))
    for (const isLoaded of [true, false]) {
      const { session, model } = openPage(repeat, { store: copy, resume })
      if (isLoaded) await until(session, ({ status }) => status !== 'loading')
      const result = await session.send('one', { turnId: 'a' })
      expect([result.text, model.requests.length]).toEqual(['You said one', isLoaded ? 1 : 0])
      await session.close()
    }
  }
})

test('an input that waits in the store and is sent again is asked once, as it was kept', async () => {
  const disk = new MemoryStore()
  const input = { id: 'i', turnId: 'a', createdAt: 0, content: text('kept') }
  const head = { id: 's', createdAt: 0, updatedAt: 0, lastSequence: 0, turns: 0, state: {}, usage: {} }
  await disk.append('s', [], { head: { ...head, queue: [input] } })
  const { session, model } = openPage(repeat, { store: disk })
  const doubles: boolean[] = []
  session.subscribe(() => {
    const turnIds = session.getSnapshot().queue.map(({ turnId }) => turnId)
    doubles.push(new Set(turnIds).size < turnIds.length)
  })
  const other = session.send('other')
  const result = await session.send('again', { turnId: 'a' })
  await other
  expect([result.text, model.requests.length, doubles.includes(true)]).toEqual(['You said kept', 2, false])
  expect(shown(session)[0]).toBe('user: kept')
})

test('a turn without history, asked for again, has its own messages only', async () => {
  const { session, agent } = openPage(repeat)
  await session.send('before')
  session.setAgent(agent.with({ history: false }))
  const first = await session.send('one', { turnId: 'a' })
  const again = await session.send('one', { turnId: 'a' })
  expect(outline(again.messages)).toEqual(['user: one', 'assistant: You said one'])
  expect(outline(again.messages)).toEqual(outline(first.messages))
})
