import {
  autoCompaction,
  createAgent,
  MemoryStore,
  type Message,
  ModelError,
  type ModelRequest,
  messageText,
  openSession,
} from '@turnloop/core'
import { type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { collect, echo, outline, say } from './loop-setup.ts'

const filler = 'words and words '.repeat(60)
const summary = '## Goals: write poems. ## Done: the first poem.'

/** A conversation of so many questions and long answers. */
function conversation(turns: number): Message[] {
  return Array.from({ length: turns }, (_turn, index): Message[] => [
    { id: `u${index}`, role: 'user', createdAt: 0, content: [{ type: 'text', text: `Question ${index}` }] },
    {
      id: `a${index}`,
      role: 'assistant',
      createdAt: 0,
      content: [{ type: 'text', text: `Answer ${index} ${filler}` }],
      stopReason: 'endTurn',
    },
  ]).flat()
}

function ask(text: string): Message {
  return { id: 'now', role: 'user', createdAt: 0, content: [{ type: 'text', text }] }
}

function isSummaryRequest({ messages }: ModelRequest): boolean {
  const [only] = messages
  return messages.length === 1 && only?.role === 'user' && messageText(only).startsWith('<conversation>')
}

/** A model with a small window that writes summaries when it is asked for one. */
function small(
  answer: (request: ModelRequest, index: number) => ScriptStep,
  told: ScriptStep = summary,
  contextWindow = 3000,
) {
  let index = 0
  const model = scriptedModel((request) => (isSummaryRequest(request) ? told : answer(request, index++)), {
    contextWindow,
  })
  return {
    model,
    summaries: () => model.requests.filter(isSummaryRequest).length,
    answers: () => model.requests.filter((request) => !isSummaryRequest(request)),
  }
}

/** What a request shows of a compacted conversation: a summary as one word. */
function shape({ messages }: ModelRequest): string[] {
  return outline(messages).map((line, index) => {
    const message = messages[index]
    return message?.role === 'user' && message.synthetic === 'summary' ? 'summary' : line.slice(0, 20).trim()
  })
}

test('before the first call, older messages give way to a summary', async () => {
  const { model, answers } = small(() => 'Sure.')
  const runner = createAgent({ model, compaction: autoCompaction() }).turn([...conversation(12), ask('And now?')])
  const events = await collect(runner.events())
  expect(events.map(({ type }) => type).filter((type) => type.startsWith('compaction'))).toEqual([
    'compaction-started',
    'compaction-finished',
  ])
  const [request] = answers()
  expect(shape(request as ModelRequest)[0]).toBe('summary')
  expect(shape(request as ModelRequest).at(-1)).toBe('user: And now?')
  expect(events.find(({ type }) => type === 'overlay')).toMatchObject({ by: 'compaction', critical: true })
})

test('J5: in the middle of a turn its own question stays, word for word, after the summary', async () => {
  const { model, answers, summaries } = small(
    (_request, index) => (index < 8 ? { calls: [say(`${index} ${filler}`)] } : 'Done.'),
    summary,
    4000,
  )
  const result = await createAgent({ model, tools: [echo], compaction: autoCompaction() })
    .turn([...conversation(2), ask('Fix row 7, do not delete rows')])
    .untilDone()
  expect([result.outcome.kind, summaries() > 0]).toEqual(['completed', true])
  const last = shape(answers().at(-1) as ModelRequest)
  expect(last.slice(0, 2)).toEqual(['summary', 'user: Fix row 7, do'])
  expect(last.filter((line) => line === 'summary')).toHaveLength(1)
  expect(last.at(-1)).toBe('tool: ok')
})

test('J3: instructions and tools stay as they are', async () => {
  const { model, answers } = small(() => 'Ano.')
  await createAgent({ model, instructions: 'Answer in Czech', tools: [echo], compaction: autoCompaction() })
    .turn([...conversation(12), ask('Now?')])
    .untilDone()
  expect(answers()[0]).toMatchObject({ instructions: 'Answer in Czech', tools: [{ name: 'echo' }] })
})

test('what it cost counts for the turn', async () => {
  const told = { text: summary, usage: { inputTokens: 900, outputTokens: 30 } }
  const { model } = small(() => ({ text: 'Sure.', usage: { inputTokens: 100, outputTokens: 1 } }), told)
  const { usage } = await createAgent({ model, compaction: autoCompaction() })
    .turn([...conversation(12), ask('Now?')])
    .untilDone()
  expect(usage).toMatchObject({ inputTokens: 1000, outputTokens: 31 })
})

test.each<[string, ScriptStep]>([
  ['is empty', { text: '', stopReason: 'endTurn' }],
  ['is longer than its source', filler.repeat(40)],
  ['was cut', { text: 'Half a', stopReason: 'maxTokens' }],
])('J4: a summary that %s changes nothing, and is asked for once', async (_name, told) => {
  const { model, summaries, answers } = small(() => 'Sure.', told, 3200)
  const runner = createAgent({ model, retry: { attempts: 1 }, compaction: autoCompaction() }).turn([
    ...conversation(12),
    ask('Now?'),
  ])
  const events = await collect(runner.events())
  const types = events.map(({ type }) => type)
  expect([types.filter((type) => type === 'compaction-failed').length, types.includes('overlay')]).toEqual([1, false])
  expect([summaries(), answers().length]).toEqual([1, 1])
  expect((await runner.untilDone()).outcome.kind).toBe('completed')
})

test('J4: a window that nothing can free ends the turn with the numbers', async () => {
  const { model, summaries } = small(() => 'Sure.', '', 500)
  const { outcome } = await createAgent({ model, compaction: autoCompaction() })
    .turn([...conversation(10), ask('Now?')])
    .untilDone()
  expect(outcome).toMatchObject({ kind: 'context-full', windowTokens: 500 })
  expect(summaries()).toBe(1)
})

test('J7: usage from before a compaction does not lead to the next', async () => {
  const usage = { inputTokens: 2900, outputTokens: 10 }
  const { model, summaries } = small((_request, index) =>
    index < 3
      ? { calls: [say(`${index}`)], usage: index === 0 ? usage : { inputTokens: 300, outputTokens: 5 } }
      : 'Done.',
  )
  await createAgent({ model, tools: [echo], compaction: autoCompaction() })
    .turn([...conversation(6), ask('Now?')])
    .untilDone()
  expect(summaries()).toBe(1)
})

test('without a known window there is none, until the provider says that it was too long', async () => {
  const tooLong = () => new ModelError('context-too-long', 'Too long.')
  const model = scriptedModel((request, index) => {
    if (isSummaryRequest(request)) return summary
    return index === 0 ? { error: tooLong() } : 'Sure.'
  })
  const result = await createAgent({ model, compaction: autoCompaction() })
    .turn([...conversation(12), ask('Now?')])
    .untilDone()
  expect([result.outcome.kind, model.requests.length]).toEqual(['completed', 3])
  expect(shape(model.requests[2] as ModelRequest)[0]).toBe('summary')
})

test('without it, the refusal of the provider is the end', async () => {
  const model = scriptedModel([{ error: new ModelError('context-too-long', 'Too long.') }])
  const { outcome } = await createAgent({ model })
    .turn([...conversation(12), ask('Now?')])
    .untilDone()
  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'context-too-long' } })
})

test('a strategy of the caller decides what the model sees', async () => {
  const { model, answers, summaries } = small(() => 'Sure.')
  const run = ({ messages }: { messages: readonly Message[] }): Message[] => messages.slice(-3)
  await createAgent({ model, compaction: autoCompaction({ run }) })
    .turn([...conversation(12), ask('Now?')])
    .untilDone()
  expect([summaries(), shape(answers()[0] as ModelRequest)]).toEqual([
    0,
    ['user: Question 11', 'assistant: Answer 11', 'user: Now?'],
  ])
})

describe('a session', () => {
  const store = (): MemoryStore => new MemoryStore()

  async function talked(kept = store()) {
    const { model, summaries } = small((_request, index) => `Reply ${index} ${filler}`, summary, 100_000)
    const session = openSession({ agent: createAgent({ model, compaction: autoCompaction() }), store: kept, id: 's' })
    for (let index = 0; index < 6; index += 1) await session.send(`Question ${index}`)
    return { session, model, summaries, kept }
  }

  test('compacts when it is told to, and takes it back', async () => {
    const { session, model } = await talked()
    const before = session.getSnapshot().messages
    const report = await session.compact({ focus: 'the poems' })
    expect(report).toMatchObject({ hidden: expect.any(Number), overlayId: expect.any(String) })
    expect(report.tokensAfter).toBeLessThan(report.tokensBefore)
    expect(session.getSnapshot().messages.length).toBeLessThan(before.length)
    expect(messageText(model.requests.at(-1)?.messages[0] as never)).toMatch(/Dwell on this: the poems/)
    await session.undoCompaction()
    expect(session.getSnapshot().messages).toEqual(before)
    await expect(session.undoCompaction()).rejects.toMatchObject({ code: 'bad-input' })
  })

  test('tells what it would do without doing it', async () => {
    const { session, summaries } = await talked()
    const preview = await session.previewCompaction()
    expect([preview.hidden > 0, preview.overlayId, summaries()]).toEqual([true, undefined, 0])
  })

  test('keeps it over a reload', async () => {
    const { session, kept } = await talked()
    await session.compact()
    const shown = session.getSnapshot().messages
    await session.close()
    const { model, answers } = small(() => 'Sure.', summary, 100_000)
    const again = openSession({ agent: createAgent({ model, compaction: autoCompaction() }), store: kept, id: 's' })
    await again.send('And now?')
    expect(shape(answers()[0] as ModelRequest)[0]).toBe('summary')
    expect(again.getSnapshot().messages.slice(0, shown.length)).toEqual(shown)
  })

  test('does it between turns: what is sent meanwhile waits', async () => {
    const { session, model } = await talked()
    const compacting = session.compact()
    const sent = session.send('Next?')
    await compacting
    await sent
    expect(shape(model.requests.at(-1) as ModelRequest)[0]).toBe('summary')
  })

  test('goes on as it was when the summary fails', async () => {
    const { model } = small(
      (_request, index) => `Reply ${index} ${filler}`,
      { text: '', stopReason: 'endTurn' },
      100_000,
    )
    const session = openSession({ agent: createAgent({ model, compaction: autoCompaction() }), id: 's' })
    for (let index = 0; index < 6; index += 1) await session.send(`Question ${index}`)
    const before = session.getSnapshot().messages
    await expect(session.compact()).rejects.toMatchObject({ code: 'model-bad-response' })
    expect(session.getSnapshot()).toMatchObject({ status: 'idle', messages: before })
  })
})
