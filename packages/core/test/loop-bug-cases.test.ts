import { createAgent, MemoryStore, type ModelEvent, openSession } from '@turnloop/core'
import { deafTool, type ScriptedCall, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { counter, echo, lastResults, lastResultTexts, outline, recorder, say, toolMessages } from './loop-setup.ts'

const list = counter('listFiles')

/** The arguments a tool ran with, and what the model read, after one call with `inputText`. */
async function callWith(target: ReturnType<typeof recorder>, ...texts: (string | undefined)[]) {
  // Providers leave the arguments out although the type says that they are there.
  const calls = texts.map((inputText) => ({ name: target.tool.name, inputText }) as ScriptedCall)
  const model = scriptedModel([{ calls }, 'Done.'])
  const result = await createAgent({ model, tools: [target.tool] })
    .turn('Go')
    .untilDone()
  expect(result.outcome.kind).toBe('completed')
  return { inputs: target.inputs, results: lastResults(model.requests[1]), texts: lastResultTexts(model.requests[1]) }
}

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

test('B1: a call cut by the output limit is explained once, then ends the turn', async () => {
  const save = recorder('save', z.object({ path: z.string(), body: z.string().optional() }))
  const cut = { calls: [{ name: 'save', inputText: '{"path":"notes.txt"' }], stopReason: 'maxTokens' } as const
  const model = scriptedModel(() => cut)
  const result = await createAgent({ model, tools: [save.tool] })
    .turn('Save')
    .untilDone()
  expect(save.inputs).toEqual([])
  expect(lastResultTexts(model.requests[1])[0]).toMatch(/output limit/)
  expect(result.outcome).toEqual({ kind: 'no-progress', reason: 'output-limit' })
  expect(model.requests).toHaveLength(2)
})

test('B1: a complete call in a reply cut by the limit is not run', async () => {
  const save = recorder('save', z.object({ path: z.string() }))
  const calls = [{ name: 'save', input: { path: 'notes.txt' } }]
  const model = scriptedModel([{ calls, stopReason: 'maxTokens' }, 'I will send less.'])
  const result = await createAgent({ model, tools: [save.tool] })
    .turn('Save')
    .untilDone()
  expect([save.inputs.length, result.outcome.kind]).toEqual([0, 'completed'])
})

test('B2: broken arguments are refused although the finish says all is well', async () => {
  const show = recorder('show', z.object({ html: z.string() }))
  const calls = [{ name: 'show', inputText: '{"html":"<p>hel' }]
  const model = scriptedModel([{ calls, stopReason: 'toolUse', usage: { outputTokens: 64 } }, 'Shorter.'])
  const agent = createAgent({ model, tools: [show.tool], settings: { maxOutputTokens: 64 } })
  const result = await agent.turn('Show').untilDone()
  expect([show.inputs.length, result.outcome.kind]).toEqual([0, 'completed'])
  expect(lastResultTexts(model.requests[1])[0]).toMatch(/not valid JSON.*output limit probably cut/s)
})

test.each(['', '   ', '\n'])('B3: blank arguments %j mean none', async (inputText) => {
  const { inputs } = await callWith(recorder('now', z.object({ zone: z.string().optional() })), inputText)
  expect(inputs).toEqual([{}])
})

test('B3: blank arguments where some are required name them', async () => {
  const { inputs, texts } = await callWith(recorder('find', z.object({ query: z.string() })), '')
  expect(inputs).toEqual([])
  expect(texts[0]).toMatch(/query/)
})

test('B5: a list sent as text is decoded where the schema wants one', async () => {
  const target = recorder('pick', z.object({ ids: z.array(z.number()), note: z.string() }))
  const { inputs } = await callWith(target, '{"ids":"[3,5]","note":"[3,5]"}')
  expect(inputs).toEqual([{ ids: [3, 5], note: '[3,5]' }])
})

test('B5: text stays text where the schema takes text or an object', async () => {
  const target = recorder('put', z.object({ value: z.union([z.string(), z.object({ a: z.number() })]) }))
  const { inputs } = await callWith(target, '{"value":"{\\"a\\":1}"}')
  expect(inputs).toEqual([{ value: '{"a":1}' }])
})

test('B5: decoded text that does not fit is refused', async () => {
  const { inputs, results } = await callWith(
    recorder('pick', z.object({ ids: z.array(z.number()) })),
    '{"ids":"[true]"}',
  )
  expect([inputs, results[0]?.status]).toEqual([[], 'error'])
})

test('B6: null is absent for an optional field, kept for a nullable one', async () => {
  const schema = z.object({ t: z.string(), max: z.number().optional(), min: z.number().nullable() })
  const { inputs } = await callWith(recorder('search', schema), '{"t":"kettles","max":null,"min":null}')
  expect(inputs).toEqual([{ t: 'kettles', min: null }])
})

test('B6: a default applies where null was sent for an optional field', async () => {
  const schema = z.object({ t: z.string(), max: z.number().default(10) })
  const { inputs } = await callWith(recorder('search', schema), '{"t":"kettles","max":null}')
  expect(inputs).toEqual([{ t: 'kettles', max: 10 }])
})

test('B7: arguments that are no object fail alone beside a healthy call', async () => {
  const target = recorder('search', z.object({ t: z.string().optional() }))
  const { inputs, results } = await callWith(target, 'null', '5', '"x"', '[]', '{"t":"kettles"}')
  expect(results.map(({ status }) => status)).toEqual(['error', 'error', 'error', 'error', 'ok'])
  expect(inputs).toEqual([{ t: 'kettles' }])
})

test('B7: missing arguments mean none', async () => {
  const target = recorder('search', z.object({ t: z.string().optional() }))
  const call = { type: 'tool-call', id: 'c1', toolName: 'search' }
  // Providers leave the arguments out although the type says that they are there.
  const events = [call, { type: 'finish', stopReason: 'toolUse' }] as ModelEvent[]
  const model = scriptedModel([{ events }, 'Done.'])
  const result = await createAgent({ model, tools: [target.tool] })
    .turn('Go')
    .untilDone()
  expect([target.inputs, result.outcome.kind]).toEqual([[{}], 'completed'])
})

test.each(['endTurn', 'other', 'stopSequence'] as const)(
  'C2: calls run although the finish says %s',
  async (stopReason) => {
    const calls = [say('a'), say('b')]
    const model = scriptedModel([{ text: 'looking that up', calls, stopReason, rawStopReason: 'stop' }, 'Found.'])
    const result = await createAgent({ model, tools: [echo] })
      .turn('Look')
      .untilDone()
    expect(lastResultTexts(model.requests[1])).toEqual(['a', 'b'])
    expect(result.messages[1]).toMatchObject({ stopReason: 'toolUse', rawStopReason: 'stop' })
  },
)

test('C6: a missing tool is named, the existing ones are listed, and insisting ends the turn', async () => {
  const model = scriptedModel((_request, index) => (index < 5 ? { calls: [{ name: 'readFile' }] } : 'I cannot.'))
  const result = await createAgent({ model, tools: [list.tool] })
    .turn('Read')
    .untilDone()
  for (const request of model.requests.slice(1, 4)) {
    expect(lastResultTexts(request)).toEqual(['There is no tool named "readFile". Available tools: listFiles.'])
  }
  expect(result.outcome).toEqual({ kind: 'no-progress', reason: 'repeated-call' })
  expect([model.requests.length, list.runs]).toEqual([5, 0])
})

test.each(['listFiles ', 'list_files', 'listFile'])('C6: the name %j is not taken for another', async (name) => {
  const model = scriptedModel([{ calls: [{ name }] }, 'I cannot.'])
  await createAgent({ model, tools: [list.tool] })
    .turn('List')
    .untilDone()
  expect([list.runs, lastResults(model.requests[1])[0]?.status]).toEqual([0, 'error'])
})

test('C7: at the cap every call is answered', async () => {
  const tick = counter('tick')
  const model = scriptedModel(() => ({ calls: [{ name: 'tick' }, { name: 'tick' }] }))
  const result = await createAgent({ model, tools: [tick.tool], maxIterations: 3 })
    .turn('Tick')
    .untilDone()
  expect([model.requests.length, result.iterations, tick.runs]).toEqual([4, 4, 8])
  expect(toolMessages(result.messages).map(({ results }) => results.length)).toEqual([2, 2, 2, 2])
  expect(result.outcome).toEqual({ kind: 'max-iterations', maxIterations: 3 })
})
