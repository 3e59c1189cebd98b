import { createAgent, type ModelRequest, messageText, structured, tool } from '@turnloop/core'
import { type Script, scriptedModel } from '@turnloop/testing'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { collect, echo, lastResultTexts, outline, say, toolNames } from './loop-setup.ts'

const schema = z.object({ city: z.string(), degrees: z.number().optional() })
const brno = JSON.stringify({ city: 'Brno' })

/** An agent that owes a city; `native`: its model takes schemas. */
function asker(script: Script, options: { native?: boolean; tools?: boolean; retries?: number } = {}) {
  const { native = true, tools = false, retries = 1 } = options
  const model = scriptedModel(script, { capabilities: { structuredOutput: native } })
  const agent = createAgent({ model, output: structured(schema, { retries }), tools: tools ? [echo] : [] })
  return { model, agent }
}

/** What each request asked for: its tools, whether the schema was on, and a forced tool. */
function forms(requests: readonly ModelRequest[]): unknown[] {
  return requests.map((request) => {
    const { toolChoice } = request
    return [
      toolNames(request).join(),
      request.output !== undefined,
      typeof toolChoice === 'object' ? 'forced' : toolChoice,
    ]
  })
}

describe('a model that takes schemas', () => {
  test('without tools gets the schema at once, and one call is enough', async () => {
    const { model, agent } = asker([brno])
    const result = await agent.turn('Where?').untilDone()
    expect(result.output).toEqual({ city: 'Brno' })
    expectTypeOf(result.output).toEqualTypeOf<{ city: string; degrees?: number | undefined } | undefined>()
    expect(forms(model.requests)).toEqual([['', true, undefined]])
  })

  test('works with its tools first, and gets the schema without them last', async () => {
    const { model, agent } = asker([{ calls: [say('a')] }, { calls: [say('b')] }, 'It is Brno.', brno], { tools: true })
    const result = await agent.turn('Where?').untilDone()
    expect([result.outcome.kind, result.output]).toEqual(['completed', { city: 'Brno' }])
    const tools = ['echo', false, undefined]
    expect(forms(model.requests)).toEqual([tools, tools, tools, ['', true, undefined]])
    expect(result.messages.at(-2)).toMatchObject({ role: 'user', synthetic: 'finaliser' })
  })

  test('that answers in the form by itself is not asked twice', async () => {
    const { model, agent } = asker([{ calls: [say('a')] }, `\`\`\`json\n${brno}\n\`\`\``], { tools: true })
    expect((await agent.turn('Where?').untilDone()).output).toEqual({ city: 'Brno' })
    expect(model.requests).toHaveLength(2)
  })

  test('K2: is never sent a schema and tools together', async () => {
    const { model, agent } = asker([{ calls: [say('a')] }, 'Brno.', 'Brno!', brno], { tools: true })
    await agent.turn('Where?').untilDone()
    expect(model.requests.filter(({ tools, output }) => output !== undefined && tools.length > 0)).toEqual([])
    expect(model.requests).toHaveLength(4)
  })

  test('calls that come although tools are off are answered, not run', async () => {
    const { model, agent } = asker([{ calls: [say('a')] }, 'Brno.', { calls: [say('b')] }, brno], { tools: true })
    const result = await agent.turn('Where?').untilDone()
    expect(result.output).toEqual({ city: 'Brno' })
    expect(lastResultTexts(model.requests[3])).toEqual(['Tools are off for this answer, so the call was not run.'])
  })
})

describe('a model that does not', () => {
  test('gives its answer as the arguments of a tool', async () => {
    const { model, agent } = asker(
      [{ calls: [say('a')] }, { calls: [{ name: 'final_answer', input: { city: 'Brno' } }] }],
      {
        native: false,
        tools: true,
      },
    )
    const result = await agent.turn('Where?').untilDone()
    expect([result.outcome.kind, result.output]).toEqual(['completed', { city: 'Brno' }])
    expect(forms(model.requests)).toEqual([
      ['echo,final_answer', false, undefined],
      ['echo,final_answer', false, undefined],
    ])
    expect(outline(result.messages).at(-1)).toBe('tool: ok')
  })

  test('must call it when there is nothing else to call', async () => {
    const { model, agent } = asker([{ calls: [{ name: 'final_answer', input: { city: 'Brno' } }] }], { native: false })
    await agent.turn('Where?').untilDone()
    expect(forms(model.requests)).toEqual([['final_answer', false, 'forced']])
  })

  test('hears what is wrong with the arguments and tries again', async () => {
    const { model, agent } = asker(
      [
        { calls: [{ name: 'final_answer', input: { town: 'Brno' } }] },
        { calls: [{ name: 'final_answer', input: { city: 'Brno' } }] },
      ],
      { native: false },
    )
    const result = await agent.turn('Where?').untilDone()
    expect(result.output).toEqual({ city: 'Brno' })
    expect(lastResultTexts(model.requests[1])[0]).toMatch(/city/)
  })

  test('that never gets them right fails with what was wrong', async () => {
    const wrong = { calls: [{ name: 'final_answer', input: { town: 'Brno' } }] }
    const { agent, model } = asker(() => wrong, { native: false })
    const { outcome, output } = await agent.turn('Where?').untilDone()
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'output-invalid' } })
    expect([output, model.requests.length]).toEqual([undefined, 2])
  })

  test('that answers in text is asked to use the tool', async () => {
    const { agent, model } = asker(['It is Brno.', { calls: [{ name: 'final_answer', input: { city: 'Brno' } }] }], {
      native: false,
      tools: true,
    })
    expect((await agent.turn('Where?').untilDone()).output).toEqual({ city: 'Brno' })
    expect(forms(model.requests).at(-1)).toEqual(['echo,final_answer', false, 'forced'])
  })

  test('its answer tool takes no name that another tool has', async () => {
    const own = tool({ name: 'final_answer', description: 'Its own', effect: 'read', execute: () => 'mine' })
    const model = scriptedModel([
      { calls: [{ name: 'final_answer' }] },
      { calls: [{ name: 'final_answer_2', input: { city: 'Brno' } }] },
    ])
    const result = await createAgent({ model, tools: [own], output: structured(schema) })
      .turn('Where?')
      .untilDone()
    expect([lastResultTexts(model.requests[1]), result.output]).toEqual([['mine'], { city: 'Brno' }])
  })
})

describe('an answer that does not fit', () => {
  test('K7: is asked for once more with what is wrong with it', async () => {
    const { model, agent } = asker([JSON.stringify({ city: 5 }), brno])
    const result = await agent.turn('Where?').untilDone()
    expect(result.output).toEqual({ city: 'Brno' })
    const asked = model.requests[1]?.messages.at(-1)
    expect(asked).toMatchObject({ role: 'user', synthetic: 'output-repair' })
    expect(asked?.role === 'user' && messageText(asked)).toMatch(/city/)
  })

  test('K7: for good ends the turn with text, problems and what was there', async () => {
    const { model, agent } = asker(() => '{}')
    const result = await agent.turn('Where?').untilDone()
    expect(result.outcome).toMatchObject({
      kind: 'failed',
      error: { code: 'output-invalid', facts: { text: '{}', problems: [expect.stringMatching(/city/)] } },
    })
    expect([result.output, result.text, model.requests.length]).toEqual([undefined, '{}', 2])
  })

  test('K7: null for an optional field counts as absent, and costs no repair', async () => {
    const { model, agent } = asker([JSON.stringify({ city: 'Brno', degrees: null })])
    expect((await agent.turn('Where?').untilDone()).output).toEqual({ city: 'Brno' })
    expect(model.requests).toHaveLength(1)
  })

  test('that the output limit cut is asked for again, shorter', async () => {
    const cut = { text: '{"city": "Br', stopReason: 'maxTokens' } as const
    const { model, agent } = asker([cut, brno])
    expect((await agent.turn('Where?').untilDone()).output).toEqual({ city: 'Brno' })
    expect(model.requests).toHaveLength(2)
  })

  test('K3: a text that looks like tool arguments is not the answer', async () => {
    const odd = { text: '{"mail":"x@example.org"}', stopReason: 'toolUse' } as const
    const { agent, model } = asker([odd, 'Brno.', brno], { tools: true })
    const result = await agent.turn('Where?').untilDone()
    expect(result.output).toEqual({ city: 'Brno' })
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ synthetic: 'nudge' })
  })
})

test('the log keeps the JSON, the result what the schema made of it', async () => {
  const dated = z.object({ day: z.string().transform((day) => new Date(day)) })
  const model = scriptedModel(['{"day":"2026-01-02"}'], { capabilities: { structuredOutput: true } })
  const runner = createAgent({ model }).turn('When?', { output: structured(dated) })
  const events = await collect(runner.events())
  const { output } = await runner.untilDone()
  expect(output).toEqual({ day: new Date('2026-01-02') })
  expect(events.at(-1)).toMatchObject({ type: 'turn-ended', output: { day: '2026-01-02' } })
})

test('it is shown while it arrives', async () => {
  const long = JSON.stringify({ city: 'Brno '.repeat(40) })
  const { agent } = asker([long])
  const events = await collect(agent.turn('Where?').events())
  const values = events.flatMap((event) => (event.type === 'partial-output' ? [event.value] : []))
  expect(values.length).toBeGreaterThan(3)
  expect(values[0]).toEqual({ city: expect.stringMatching(/^Brno/) })
})

test('a turn may ask for another form than its agent', async () => {
  const { agent } = asker(['{"sum":3}'])
  const result = await agent.turn('Add', { output: structured(z.object({ sum: z.number() })) }).untilDone()
  expectTypeOf(result.output).toEqualTypeOf<{ sum: number } | undefined>()
  expect(result.output).toEqual({ sum: 3 })
})

test('a schema that is no object is refused at once', () => {
  const model = scriptedModel([])
  expect(() => structured(z.string())).toThrow(/structured.*object/i)
  // @ts-expect-error: a bare schema
  expect(() => createAgent({ model, output: z.object({}) })).toThrow(/structured/)
})

test.each(['always', 'final', 'tool'] as const)('over the cap, the last answer may be it: %s', async (policy) => {
  const script = (request: ModelRequest) =>
    request.toolChoice === 'none' || request.tools.length === 0 ? brno : { calls: [say(`${request.messages.length}`)] }
  const model = scriptedModel(script, { capabilities: { structuredOutput: true } })
  const output = structured(schema, { policy })
  const agent = createAgent({ model, output, tools: [echo], maxIterations: 1, onMaxIterations: 'answer' })
  const result = await agent.turn('Where?').untilDone()
  expect([result.outcome.kind, result.output]).toEqual(['max-iterations', { city: 'Brno' }])
})
