import { createAgent, type ModelEvent, type StopReason } from '@turnloop/core'
import { type ScriptedCall, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { lastResults, lastResultTexts, recorder } from './loop-setup.ts'

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

test('B3: control: blank arguments where some are required are not run', async () => {
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

test.each<StopReason>(['toolUse', 'endTurn', 'other'])(
  'B2: whatever the finish says, %s, broken arguments are not run',
  async (stopReason) => {
    const show = recorder('show', z.object({ html: z.string() }))
    const calls = [{ name: 'show', inputText: '{"html":"<p>hel' }]
    const model = scriptedModel([{ calls, stopReason }, 'Shorter.'])
    await createAgent({ model, tools: [show.tool] })
      .turn('Show')
      .untilDone()
    expect([show.inputs.length, lastResults(model.requests[1])[0]?.status]).toEqual([0, 'error'])
  },
)

test('B1: a reply in between starts no new allowance for calls that are cut', async () => {
  const save = recorder('save', z.object({ path: z.string() }))
  const cut = { calls: [{ name: 'save', inputText: '{"path":"no' }], stopReason: 'maxTokens' } as const
  const paused = { text: 'Wait.', stopReason: 'pause' } as const
  const model = scriptedModel([cut, paused, cut, 'Never asked.'])
  const { outcome } = await createAgent({ model, tools: [save.tool] })
    .turn('Save')
    .untilDone()
  expect([outcome, model.requests.length]).toEqual([{ kind: 'no-progress', reason: 'output-limit' }, 3])
})

test('B5: control: text that looks like JSON stays text where text is wanted', async () => {
  const target = recorder('keep', z.object({ note: z.string() }))
  const { inputs } = await callWith(target, '{"note":"[3,5]"}')
  expect(inputs).toEqual([{ note: '[3,5]' }])
})

test('B6: control: a field that is declared nullable keeps its null', async () => {
  const target = recorder('search', z.object({ min: z.number().nullable(), max: z.number().nullable().optional() }))
  const { inputs } = await callWith(target, '{"min":null,"max":null}')
  expect(inputs).toEqual([{ min: null, max: null }])
})
