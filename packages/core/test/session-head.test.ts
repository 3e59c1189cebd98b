import { type Entry, MemoryStore, type SessionHead } from '@turnloop/core'
import { expect, test } from 'vitest'
import { type FaultyStore, faultyStore } from './faulty-store.ts'
import { openPage, repeat, text, untilIdle } from './session-setup.ts'

function lastHead(store: FaultyStore): SessionHead | undefined {
  return store.appends.at(-1)?.options.head
}

test('the head says how the session stands at every append', async () => {
  const store = faultyStore()
  const { session, clock } = openPage(repeat, { store })
  await Promise.all([session.send('one'), session.send('two')])
  const log: Entry[] = []
  for (const { entries, options } of store.appends) {
    log.push(...entries)
    const isOpen = log.findLast(({ type }) => type === 'turn-started' || type === 'turn-ended')
    expect(options.head?.lastSequence).toBe(log.length)
    expect(options.head?.turns).toBe(log.filter(({ type }) => type === 'turn-started').length)
    expect(options.head?.openTurnId).toBe(isOpen?.type === 'turn-started' ? isOpen.turnId : undefined)
  }
  expect(lastHead(store)).toMatchObject({
    ...{ id: 's', title: 'one', createdAt: clock.now(), updatedAt: clock.now(), queue: [] },
    usage: { inputTokens: 20, outputTokens: 10 },
  })
})

test.each([
  ['  Two\nlines', 'Two'],
  ['x'.repeat(100), `${'x'.repeat(79)}…`],
  ['😀'.repeat(100), `${'😀'.repeat(79)}…`],
  ['😀'.repeat(80), '😀'.repeat(80)],
])('a title nobody gave is the first line of the first question', async (question, title) => {
  const store = faultyStore()
  const { session } = openPage(['Yes.', 'No.'], { store })
  await session.send(question)
  await session.send('Later')
  expect(lastHead(store)?.title).toBe(title)
})

test('a turn in a long session saves its own entries and nothing else', async () => {
  const disk = new MemoryStore()
  const old = Array.from({ length: 5000 }, (_, turn): Entry[] => {
    const base = { at: 0, turnId: `t${turn}` }
    const id = { createdAt: 0, content: text(`old ${turn}`) }
    return [
      { ...base, sequence: 0, type: 'turn-started', agentName: 'a', modelId: 'm', history: true },
      { ...base, sequence: 0, type: 'message', message: { ...id, id: `u${turn}`, role: 'user' } },
      {
        ...base,
        sequence: 0,
        type: 'message',
        message: { ...id, id: `a${turn}`, role: 'assistant', stopReason: 'endTurn' },
      },
      { ...base, sequence: 0, type: 'turn-ended', outcome: { kind: 'completed' }, usage: {}, iterations: 0 },
    ]
  })
  await disk.append(
    's',
    old.flat().map((entry, index) => ({ ...entry, sequence: index + 1 })),
  )
  const store = faultyStore(disk)
  const { session } = openPage(['New.'], { store })
  await untilIdle(session)
  expect(session.getSnapshot().messages).toHaveLength(10_000)
  const messages = session.getSnapshot().messages
  await session.send('new')
  expect(store.appends.map(({ entries }) => entries.length)).toEqual([2, 2, 1])
  // Without a head, a look at its end is not enough.
  expect(store.calls).toMatchObject({ read: 2, head: 1, claim: 1 })
  expect(
    session
      .getSnapshot()
      .messages.slice(0, 10_000)
      .every((message, at) => message === messages[at]),
  ).toBe(true)
})
