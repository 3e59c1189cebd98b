import { type AgentOptions, createAgent, type Model, ModelError, structured } from '@turnloop/core'
import { type Script, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { counter, outline, recorder, toolNames } from './loop-setup.ts'
import { openPage } from './session-setup.ts'

const ok = z.object({ ok: z.boolean() })
const native = { capabilities: { structuredOutput: true } }
const fence = '```'

/** An agent with a model that takes schemas, unless it is said that it does not. */
function asker(script: Script, { isNative = true, ...options }: Partial<AgentOptions> & { isNative?: boolean } = {}) {
  const model = scriptedModel(script, { capabilities: { structuredOutput: isNative } })
  return { model, agent: createAgent({ model, output: structured(ok), ...options }) }
}

/** The same model behind a provider that refuses a schema and tools in one request. */
function strict(model: Model): Model {
  return {
    ...model,
    stream(request, options) {
      if (request.output !== undefined && request.tools.length > 0)
        throw new ModelError('model-refused-request', 'Status 400: response format and tools exclude each other.')
      return model.stream(request, options)
    },
  }
}

describe('K2: a provider that refuses a schema beside tools', () => {
  test.each([
    ['takes schemas', true, [{ calls: [{ name: 'tick' }] }, 'It is so.', '{"ok":true}']],
    ['takes none', false, [{ calls: [{ name: 'tick' }] }, { calls: [{ name: 'final_answer', input: { ok: true } }] }]],
  ] as const)('is never asked for both where it %s', async (_what, isNative, script) => {
    const inner = scriptedModel(script, { capabilities: { structuredOutput: isNative } })
    const agent = createAgent({ model: strict(inner), output: structured(ok), tools: [counter('tick').tool] })
    const { outcome, output, iterations } = await agent.turn('Well?').untilDone()
    expect([outcome.kind, output]).toEqual(['completed', { ok: true }])
    expect([inner.requests.length, iterations]).toEqual([script.length, isNative ? 1 : 2])
  })
})

describe('K3: a tool call that comes as text', () => {
  const mail = recorder('sendMail', z.object({ mail: z.string() }))
  const geo = recorder('geo', z.object({}))
  const tools = [mail.tool, geo.tool]

  test('as bare arguments is a call that never came, and is nudged', async () => {
    const odd = { text: '{"mail":"x@example.org"}', stopReason: 'toolUse' } as const
    const { agent, model } = asker([odd, { calls: [{ name: 'geo' }] }, 'So.', '{"ok":true}'], { tools })
    const result = await agent.turn('Well?').untilDone()
    expect([result.output, mail.inputs, geo.inputs]).toEqual([{ ok: true }, [], [{}]])
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', synthetic: 'nudge' })
  })

  test.each(['endTurn', 'toolUse'] as const)(
    'in tags is not run, finish %s, and is not the answer',
    async (stopReason) => {
      const before = geo.inputs.length
      const text = '<tool_call>{"name":"geo","arguments":{}}</tool_call>'
      const { agent, model } = asker([{ text, stopReason }, '{"ok":true}', '{"ok":true}'], { tools })
      const result = await agent.turn('Well?').untilDone()
      expect([result.output, geo.inputs.length - before]).toEqual([{ ok: true }, 0])
      expect(model.requests).toHaveLength(2)
    },
  )

  test('that announces and never brings a call ends the turn, and is no answer', async () => {
    const { agent } = asker(() => ({ text: '{"ok":true,"mail":1}', stopReason: 'toolUse' }), { tools })
    const { outcome, output } = await agent.turn('Well?').untilDone()
    expect([outcome, output]).toEqual([{ kind: 'no-progress', reason: 'missing-call' }, undefined])
  })

  test('is not asked for by a schema on steps that may call tools', async () => {
    const { agent, model } = asker([{ calls: [{ name: 'geo' }] }, 'So.', '{"ok":true}'], { tools })
    await agent.turn('Well?').untilDone()
    expect(model.requests.map(({ output }) => output !== undefined)).toEqual([false, false, true])
  })
})

describe('K4: a schema beside one tool', () => {
  const tick = counter('tick')

  test.each([
    ['auto', true],
    ['auto', false],
    ['always', true],
    ['final', false],
    ['tool', true],
  ] as const)('leaves the tool in the request, policy %s, native %s', async (policy, isNative) => {
    const { agent, model } = asker(() => '{"ok":true}', {
      output: structured(ok, { policy }),
      isNative,
      tools: [tick.tool],
    })
    await agent.turn('Well?').untilDone()
    const [first] = model.requests
    expect(toolNames(first)).toEqual(
      policy === 'tool' || (!isNative && policy === 'auto') ? ['tick', 'final_answer'] : ['tick'],
    )
    expect(first?.output !== undefined).toBe(policy === 'always')
  })

  test('is told as a warning where the provider drops one of them', async () => {
    const events = [
      { type: 'warning', message: 'tools: not supported' },
      { type: 'text-delta', id: '1', delta: '{"ok":true}' },
      { type: 'finish', stopReason: 'endTurn' },
    ] as const
    const { agent } = asker([{ events }], { output: structured(ok, { policy: 'always' }), tools: [tick.tool] })
    const warnings: string[] = []
    const onEvent = (event: { type: string }): void =>
      void (event.type === 'warning' && warnings.push(JSON.stringify(event)))
    await agent.turn('Well?', { onEvent }).untilDone()
    expect(warnings).toEqual([expect.stringContaining('tools: not supported')])
  })
})

describe('K5: a right answer in the wrong dress costs no retry', () => {
  test.each<[string, string]>([
    ['in a fence', `${fence}json\n{"ok":true}\n${fence}`],
    ['with a preamble and a tail', 'Sure! {"ok":true} Hope it helps'],
    ['behind a byte order mark', '\ufeff{"ok":true}'],
    ['with a raw newline in a string', '{"ok":true,"note":"a\nb"}'],
  ])('%s', async (_name, text) => {
    const { agent, model } = asker([text], {
      output: structured(z.object({ ok: z.boolean(), note: z.string().optional() })),
    })
    const { output } = await agent.turn('Well?').untilDone()
    expect([output, model.requests.length]).toMatchObject([{ ok: true }, 1])
  })

  test.each<[string, string]>([
    ['a list where an object is wanted', '[{"ok":true},{"ok":false}]'],
    ['two that fit', '{"ok":true} or rather {"ok":false}'],
  ])('%s is none, and the error shows the text', async (_name, text) => {
    const { agent, model } = asker(() => text, { output: structured(ok, { retries: 0 }) })
    const { outcome } = await agent.turn('Well?').untilDone()
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'output-invalid', facts: { text } } })
    expect(model.requests).toHaveLength(1)
  })

  test('an error shows no more than a part of a long text', async () => {
    const { agent } = asker(() => 'no '.repeat(100_000), { output: structured(ok, { retries: 0 }) })
    const { outcome } = await agent.turn('Well?').untilDone()
    expect(JSON.stringify(outcome).length).toBeLessThan(5000)
  })
})

describe('K7: a result that misses its schema', () => {
  const person = z.object({ name: z.string(), age: z.number().default(0) })

  test('by null for a default and a key too many is the answer', async () => {
    const { agent, model } = asker(['{"name":"A","age":null,"extra":1}'], { output: structured(person) })
    const { output } = await agent.turn('Who?').untilDone()
    expect([output, model.requests.length]).toEqual([{ name: 'A', age: 0 }, 1])
  })

  test.each([0, 1, 3])('for ever ends after %i repairs that name the errors', async (retries) => {
    const { agent, model } = asker(() => '{}', { output: structured(person, { retries }) })
    const { outcome, text, output } = await agent.turn('Who?').untilDone()
    expect([model.requests.length, text, output]).toEqual([retries + 1, '{}', undefined])
    expect(outcome).toMatchObject({
      error: { code: 'output-invalid', facts: { text: '{}', problems: [expect.stringMatching(/name/)], partial: {} } },
    })
    for (const { messages } of model.requests.slice(1)) expect(outline(messages.slice(-1))[0]).toMatch(/- .*name/)
  })

  test('fails a turn of a session that goes on, its work kept', async () => {
    const pay = counter('pay')
    const model = scriptedModel([{ calls: [{ name: 'pay' }] }, 'Paid.', '{}', '{}', 'Yes.', '{"ok":true}'], native)
    const { session } = openPage([], { tools: [pay.tool] })
    session.setAgent(createAgent({ model, output: structured(ok), tools: [pay.tool] }))
    expect((await session.send('Pay')).outcome).toMatchObject({ kind: 'failed', error: { code: 'output-invalid' } })
    const next = await session.send('Did you pay?')
    expect([next.output, pay.runs]).toEqual([{ ok: true }, 1])
    expect(outline(model.requests[4]?.messages ?? [])).toContain('tool: ok')
  })
})
