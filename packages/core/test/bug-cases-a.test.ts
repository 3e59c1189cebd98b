import { createAgent, MemoryStore, type Message, type ModelEvent, openSession, resultText, tool } from '@turnloop/core'
import { deafTool, deferred, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { echo, lastResultTexts, outline, say, toolMessages } from './loop-setup.ts'
import { openPage, repeat, until, untilIdle } from './session-setup.ts'
import { idle } from './turn-setup.ts'

test('A1: an interrupted call is answered before the next user text', async () => {
  const sheetSum = deafTool({ name: 'sheetSum' })
  const model = scriptedModel([{ calls: [{ name: 'sheetSum', input: { col: 'B' } }] }, 'The mean is 6.'])
  const session = openSession({ agent: createAgent({ model, tools: [sheetSum], graceMs: 1 }) })
  const first = session.send('sum column B')
  await sheetSum.started
  await session.cancel()
  expect((await first).outcome.kind).toBe('cancelled')
  expect((await session.send('and the mean?')).outcome.kind).toBe('completed')
  expect(outline(model.requests[1]?.messages ?? [])).toEqual([
    'user: sum column B',
    'assistant: ',
    'tool: unknown',
    'user: and the mean?',
  ])
  expect(toolMessages(model.requests[1]?.messages ?? [])[0]?.results[0]?.result).toMatchObject({ isError: true })
})

test('A3: calls that all have the same id keep all their results', async () => {
  const model = scriptedModel((_request, index) =>
    index % 2 === 0 ? { calls: [{ ...say(`${10 + index * 5}`), id: 'K' }] } : 'Noted.',
  )
  const session = openSession({ agent: createAgent({ model, tools: [echo] }) })
  for (let turn = 1; turn <= 4; turn += 1) await session.send(`turn ${turn}`)
  const results = toolMessages(session.getSnapshot().messages).flatMap((message) => message.results)
  expect(results.map(({ result }) => result.content[0])).toEqual(
    ['10', '20', '30', '40'].map((text) => ({ type: 'text', text })),
  )
  expect(new Set(results.map(({ callId }) => callId)).size).toBe(4)
})

/** A question, a call of `echo` under this id, its result and an answer. */
function round(turn: number, id: string): Message[] {
  const call = { type: 'tool-call', callId: id, wireId: id, toolName: 'echo', inputText: '{}' } as const
  const content = [{ type: 'text', text: `${turn * 10}` }] as const
  return [
    { id: `u${turn}`, role: 'user', createdAt: 0, content: [{ type: 'text', text: `turn ${turn}` }] },
    { id: `a${turn}`, role: 'assistant', createdAt: 0, stopReason: 'toolUse', content: [call] },
    {
      id: `t${turn}`,
      role: 'tool',
      createdAt: 0,
      results: [{ callId: id, toolName: 'echo', status: 'ok', result: { content } }],
    },
    {
      id: `b${turn}`,
      role: 'assistant',
      createdAt: 0,
      stopReason: 'endTurn',
      content: [{ type: 'text', text: 'Noted.' }],
    },
  ]
}

const now: Message = { id: 'now', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'And now?' }] }

test('A3: calls of a given transcript that all have the same id keep their results', async () => {
  const model = scriptedModel(['Sum: 100.'])
  await createAgent({ model, tools: [echo] })
    .turn([...[1, 2, 3, 4].flatMap((turn) => round(turn, 'K')), now])
    .untilDone()
  const messages = model.requests[0]?.messages ?? []
  expect(toolMessages(messages).map((message) => lastResultTexts({ messages: [message] }))).toEqual([
    ['10'],
    ['20'],
    ['30'],
    ['40'],
  ])
})

test.each([[''], [undefined]])('A5: parallel calls with id %j stay apart, also after a reload', async (id) => {
  const calls = ['Brno', 'Linz'].map((text) => ({
    type: 'tool-call',
    id,
    toolName: 'echo',
    inputText: JSON.stringify({ text }),
  }))
  // Providers leave the id out although the type says that it is there.
  const ask = { events: [...calls, { type: 'finish', stopReason: 'toolUse' }] as ModelEvent[] }
  const model = scriptedModel([ask, 'Two.', ask, 'Four.', 'Still four.'])
  const store = new MemoryStore()
  const agent = createAgent({ model, tools: [echo] })
  const session = openSession({ agent, store, id: 's' })
  await session.send('Where?')
  await session.send('Again?')
  const before = toolMessages(session.getSnapshot().messages)
  await session.close()
  const reopened = openSession({ agent, store, id: 's' })
  await reopened.send('How many?')
  const after = toolMessages(reopened.getSnapshot().messages)
  expect(before.map((message) => message.results.map(({ result }) => result.content[0]))).toEqual([
    [
      { type: 'text', text: 'Brno' },
      { type: 'text', text: 'Linz' },
    ],
    [
      { type: 'text', text: 'Brno' },
      { type: 'text', text: 'Linz' },
    ],
  ])
  expect(new Set(before.flatMap(({ results }) => results.map(({ callId }) => callId))).size).toBe(4)
  expect(after).toEqual(before)
})

/** A batch of two calls during which the user sends `hurry`; `order` is how the calls end. */
async function hurried(order: readonly ('c1' | 'c2')[]) {
  const gates = { c1: deferred(), c2: deferred() }
  const work = tool({
    name: 'work',
    description: 'Waits for its gate',
    input: z.object({ id: z.enum(['c1', 'c2']) }),
    effect: 'read',
    execute: ({ id }) => gates[id].promise.then(() => id),
  })
  const calls = [
    { name: 'work', input: { id: 'c1' } },
    { name: 'work', input: { id: 'c2' } },
  ]
  const { session, model } = openPage((request, index) => (index === 0 ? { calls } : repeat(request)), {
    tools: [work],
  })
  const first = session.send('Do both')
  const settled = (count: number) => (): boolean =>
    session.getEntries().filter(({ type }) => type === 'tool-settled').length >= count
  await until(session, ({ activity }) => activity?.kind === 'tools')
  gates[order[0] ?? 'c1'].resolve()
  await until(session, settled(1))
  const second = session.send('hurry')
  gates[order[1] ?? 'c2'].resolve()
  await Promise.all([first, second])
  return { model, session }
}

test('A6: what the user sends between two results comes after the batch', async () => {
  const { model } = await hurried(['c1', 'c2'])
  expect(model.requests.map(({ messages }) => outline(messages))).toEqual([
    ['user: Do both'],
    ['user: Do both', 'assistant: ', 'tool: ok, ok'],
    ['user: Do both', 'assistant: ', 'tool: ok, ok', 'assistant: You said Do both', 'user: hurry'],
  ])
})

test('A6: a text that a transcript has between call and result is put after it', async () => {
  const [asked, call, result, said] = round(1, 'c1')
  const model = scriptedModel(['Fine.'])
  // `round` gives all four.
  const messages = [asked, call, { ...now, id: 'hurry' }, result, said, now] as Message[]
  await createAgent({ model, tools: [echo] })
    .turn(messages)
    .untilDone()
  expect(outline(model.requests[0]?.messages ?? [])).toEqual([
    ...['user: turn 1', 'assistant: ', 'tool: ok', 'user: And now?', 'assistant: Noted.', 'user: And now?'],
  ])
})

test('A6: control: results that come in another order than calls are all sent', async () => {
  const { model } = await hurried(['c2', 'c1'])
  expect(lastResultTexts(model.requests[1])).toEqual(['c1', 'c2'])
})

test('A7: a call of an old transcript that nothing answers counts as unfinished', async () => {
  const [asked, call] = round(1, 'd1')
  const model = scriptedModel(['Here they are.'])
  // `round` gives all four.
  const messages = [asked, call, { ...now, id: 'never mind' }] as Message[]
  const { outcome } = await createAgent({ model, tools: [echo] })
    .turn(messages)
    .untilDone()
  expect(outline(model.requests[0]?.messages ?? [])).toEqual([
    ...['user: turn 1', 'assistant: ', 'tool: unknown', 'user: And now?'],
  ])
  expect([outcome.kind, toolMessages(model.requests[0]?.messages ?? [])[0]?.results[0]?.result.isError]).toEqual([
    'completed',
    true,
  ])
})

test('A10: after a reload a failed call is still failed and an open one open', async () => {
  const { store, open } = await leftInTheMiddle()
  const page = openPage(['It went on.'], { ...open, store, resume: 'manual' })
  const { calls, resumable } = await until(page.session, ({ status }) => status !== 'loading')
  expect(
    [...calls.values()].map(({ state, result }) => [state, result?.status, result && resultText(result.result)]),
  ).toEqual([
    ['settled', 'error', 'disk full'],
    ['running', undefined, undefined],
  ])
  expect(resumable).toBe(true)
})

test.each([
  ['unsafe', 'unknown', 1],
  ['read', 'ok', 2],
] as const)('A10: an open %s call is %s when the turn goes on', async (effect, status, runs) => {
  const { store, open, slow } = await leftInTheMiddle(effect)
  const page = openPage(['It went on.'], { ...open, store })
  if (effect === 'read') {
    await until(page.session, ({ activity }) => activity?.kind === 'tools')
    await idle()
    slow.release('In the end.')
  }
  await untilIdle(page.session)
  const [answer] = toolMessages(page.model.requests[0]?.messages ?? [])
  expect(answer?.results.map((result) => [result.status, resultText(result.result)])).toEqual([
    ['error', 'disk full'],
    [status, expect.any(String)],
  ])
  expect(slow.calls).toHaveLength(runs)
})

/** A disk that a page left while one call of two had failed and the other ran. */
async function leftInTheMiddle(effect: 'read' | 'unsafe' = 'unsafe') {
  const slow = deafTool({ name: 'slow', effect })
  const broken = tool({
    name: 'broken',
    description: 'Throws',
    effect: 'read',
    execute: () => {
      throw new Error('disk full')
    },
  })
  const store = new MemoryStore()
  const open = { tools: [broken, slow] }
  const page = openPage([{ calls: [{ name: 'broken' }, { name: 'slow' }] }], { ...open, store })
  page.session.send('Both').catch(() => {})
  await slow.started
  await until(page.session, () => page.session.getEntries().some(({ type }) => type === 'tool-settled'))
  await page.session.flush()
  const closing = page.session.close({ running: 'leave' })
  await page.clock.runAll()
  await closing
  return { store, open, slow }
}
