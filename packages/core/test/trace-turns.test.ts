import { createAgent, ModelError, tool } from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { SpanRecord } from '../src/trace-span.ts'
import { traceTurns } from '../src/trace-turns.ts'
import { bodies, feed, named, TURN_ID, traced, tree } from './trace-setup.ts'

const sum = tool({
  ...{ name: 'sum', description: 'Adds', input: z.object({ a: z.number(), b: z.number() }), effect: 'read' },
  execute: ({ a, b }) => {
    if (a < 0) throw new Error('Secret figures')
    return a + b
  },
})
const asked = (a: number) => ({ text: 'Let me see.', calls: [{ name: 'sum', input: { a, b: 2 } }] })
const { started, iteration, model, retry, ended, paused } = bodies

describe('the spans of a turn', () => {
  test('are the turn, each model call, and each tool call', async () => {
    const spans = await traced([asked(2), 'Four.'], { tools: [sum] })
    expect(tree(spans)).toEqual([
      'invoke_agent helper > chat small',
      'invoke_agent helper > execute_tool sum',
      'invoke_agent helper > chat small',
      'invoke_agent helper',
    ])
    expect(spans.map(({ kind }) => kind)).toEqual(['client', 'internal', 'client', 'internal'])
  })

  test('share the trace that has the id of the turn', async () => {
    const spans = await traced(['Four.'])
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TURN_ID.replaceAll('-', '')]))
    expect(spans.every(({ spanId }) => /^[0-9a-f]{16}$/.test(spanId))).toBe(true)
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
  })

  test('of a model call say what it asked for and what came', async () => {
    const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 4, cacheWriteTokens: 3, reasoningTokens: 2 }
    const spans = await traced([{ text: 'Four.', usage, rawStopReason: 'stop' }])
    expect(named(spans, 'chat').attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'small',
      'gen_ai.request.stream': true,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': 0,
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.usage.cache_write.input_tokens': 3,
      'gen_ai.usage.reasoning.output_tokens': 2,
    })
  })

  test('of a turn and a tool call say which they were and how they ended', async () => {
    const spans = await traced([asked(2), 'Four.'], { tools: [sum] })
    expect(named(spans, 'invoke_agent').attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'helper',
      'turnloop.turn.id': TURN_ID,
      'turnloop.outcome': 'completed',
      'turnloop.iterations': 1,
      'gen_ai.usage.input_tokens': 20,
    })
    expect(named(spans, 'execute_tool').attributes).toMatchObject({
      'gen_ai.tool.name': 'sum',
      'gen_ai.tool.call.id': expect.stringMatching(/^call_/),
      'turnloop.tool.status': 'ok',
    })
  })

  test('carry the attributes that were given for all', async () => {
    const spans = await traced(['Four.'], { trace: { attributes: { 'gen_ai.provider.name': 'acme' } } })
    expect(spans.map(({ attributes }) => attributes['gen_ai.provider.name'])).toEqual(['acme', 'acme'])
  })

  test('last from the event that began them to the one that ended them', () => {
    const { hear, spans } = feed()
    hear(started(), iteration, model(), bodies.tool('c'), bodies.settled('c'), ended())
    expect(spans.map(({ name, startTimeMs, endTimeMs }) => [name, startTimeMs, endTimeMs])).toEqual([
      ['execute_tool sum', 4000, 5000],
      ['chat small', 3000, 6000],
      ['invoke_agent helper', 1000, 6000],
    ])
  })

  test('never end before they began, whatever the clock does', () => {
    const { hear, spans } = feed()
    hear(started(), { ...ended(), at: 400 })
    expect(spans.map(({ startTimeMs, endTimeMs }) => endTimeMs - startTimeMs)).toEqual([0])
  })
})

describe('content', () => {
  const secrets = /2 \+ 2|Four|Let me see|"a"|Secret/

  test('is in no span unless it is asked for', async () => {
    const spans = await traced([asked(2), asked(-1), 'Four.'], { tools: [sum] })
    expect(JSON.stringify(spans)).not.toMatch(secrets)
  })

  test('is what people, model and tools said', async () => {
    const spans = await traced([asked(-1), 'Four.'], { tools: [sum], trace: { captureContent: true } })
    const [first, called, second, turn] = spans.map(({ attributes }) => attributes)
    expect(turn?.['gen_ai.input.messages']).toBe(
      '[{"role":"user","parts":[{"type":"text","content":"What is 2 + 2?"}]}]',
    )
    expect(first?.['gen_ai.output.messages']).toContain('"arguments":"{\\"a\\":-1,\\"b\\":2}"')
    expect(second?.['gen_ai.output.messages']).toContain('"content":"Four."')
    expect(called?.['gen_ai.tool.call.arguments']).toBe('{"a":-1,"b":2}')
    expect(called?.['gen_ai.tool.call.result']).toContain('Secret figures')
  })
})

describe('errors', () => {
  const broken = { throws: new ModelError('model-unauthorized', 'The key was refused.') }

  test('of a model are on its call and on the turn', async () => {
    const spans = await traced([broken])
    expect(spans.map(({ name, status, attributes }) => [name, status, attributes['error.type']])).toEqual([
      ['chat small', { code: 'error', message: 'The key was refused.' }, 'model-unauthorized'],
      ['invoke_agent helper', { code: 'error', message: 'The key was refused.' }, 'model-unauthorized'],
    ])
  })

  test('of a reply that broke off end its call when it broke', () => {
    const { hear, spans } = feed()
    const message = { role: 'assistant', content: [], stopReason: 'error', partial: true }
    const error = { name: 'ModelError', code: 'stream-cut', message: 'It broke off.' }
    hear(started(), iteration, model(), { type: 'message', message }, ended({ kind: 'failed', error }))
    expect(named(spans, 'chat')).toMatchObject({ endTimeMs: 4000, attributes: { 'error.type': 'stream-cut' } })
  })

  test('of a tool are on its call alone', async () => {
    const spans = await traced([asked(-1), 'So be it.'], { tools: [sum] })
    expect(spans.map(({ name, status }) => [name, status.code])).toEqual([
      ['chat small', 'unset'],
      ['execute_tool sum', 'error'],
      ['chat small', 'unset'],
      ['invoke_agent helper', 'unset'],
    ])
  })

  test.each([
    [{ kind: 'timed-out', limit: 'idleMs', ms: 5 }, 'timed-out'],
    [{ kind: 'max-iterations', maxIterations: 3 }, 'max-iterations'],
    [{ kind: 'no-progress', reason: 'repeated-call' }, 'no-progress'],
    [{ kind: 'cancelled', reason: 'enough' }, undefined],
    [{ kind: 'blocked', source: 'model' }, undefined],
  ])('of a turn that ended %j are of the type %s', (outcome, type) => {
    const { hear, spans } = feed()
    hear(started(), ended(outcome))
    const { status, attributes } = named(spans, 'invoke_agent')
    expect([status.code, attributes['error.type']]).toEqual([type === undefined ? 'unset' : 'error', type])
  })
})

describe('tries', () => {
  test('of one model are one call, with an event for each further one', async () => {
    const busy = { throws: new ModelError('model-overloaded', 'Busy.') }
    const chat = named(await traced([busy, busy, 'Four.']), 'chat')
    expect(chat.events.map(({ name, attributes }) => [name, attributes?.['turnloop.retry.delay_ms']])).toEqual([
      ['retry', 500],
      ['retry', 1000],
    ])
    expect(chat.status.code).toBe('unset')
  })

  test('of another model are another call, and the first has failed', () => {
    const { hear, spans } = feed()
    hear(started(), iteration, model('small'), retry, model('large'), ended())
    expect(spans.map(({ name, status }) => [name, status])).toEqual([
      ['chat small', { code: 'error', message: 'Busy.' }],
      ['chat large', { code: 'unset' }],
      ['invoke_agent helper', { code: 'unset' }],
    ])
  })

  test('a new iteration asks anew, though the model is the same', () => {
    const { hear, spans } = feed()
    hear(started(), iteration, model(), iteration, model(), ended())
    expect(spans.map(({ name }) => name)).toEqual(['chat small', 'chat small', 'invoke_agent helper'])
  })
})

describe('events', () => {
  test('a warning is noted where it happened', () => {
    const { hear, spans } = feed()
    const warning = (message: string) => ({ type: 'warning', message })
    hear(started(), warning('early'), iteration, model(), warning('in the call'), ended())
    const texts = (span: SpanRecord) => span.events.map(({ attributes }) => attributes?.['turnloop.message'])
    expect([texts(named(spans, 'invoke_agent')), texts(named(spans, 'chat'))]).toEqual([['early'], ['in the call']])
  })

  test('a call that never ran is noted, and has no span', async () => {
    const spans = await traced([{ calls: [{ name: 'unheard-of' }] }, 'So be it.'], { tools: [sum] })
    expect(tree(spans)).toHaveLength(3)
    expect(named(spans, 'invoke_agent').events).toMatchObject([
      { name: 'tool-settled', attributes: { 'gen_ai.tool.name': 'unheard-of', 'turnloop.tool.status': 'error' } },
    ])
  })

  test('what comes after the end opens nothing', () => {
    const { hear, spans } = feed()
    hear(started(), ended(), { ...bodies.settled('c'), late: true }, { type: 'state-changed', patch: {} })
    expect(spans).toHaveLength(1)
    hear({ type: 'warning', message: 'late' }, ended())
    expect(spans).toHaveLength(1)
  })
})

describe('a turn that goes on after a pause', () => {
  const { hear, spans } = feed()
  hear(started(), bodies.tool('c'), { type: 'approval-requested', callId: 'd', toolName: 'pay' }, paused)
  hear(bodies.tool('d'), bodies.settled('d'), iteration, model(), ended())

  test('ends what was open when it paused', () => {
    expect(spans.slice(0, 2).map(({ name, endTimeMs }) => [name, endTimeMs])).toEqual([
      ['execute_tool sum', 4000],
      ['invoke_agent helper', 4000],
    ])
    expect(spans[1]?.attributes['turnloop.outcome']).toBe('awaiting')
  })

  test('is a second span in the same trace, under the first', () => {
    const [first, second] = spans.filter(({ name }) => name === 'invoke_agent helper')
    expect(second?.traceId).toBe(first?.traceId)
    expect(second?.parentSpanId).toBe(first?.spanId)
  })

  test('finds that trace again after a reload', () => {
    const reloaded = feed()
    reloaded.hear(iteration, model(), ended())
    const turn = named(reloaded.spans, 'invoke_agent')
    expect([turn.traceId, turn.parentSpanId]).toEqual([spans[0]?.traceId, spans[1]?.spanId])
  })
})

describe('an agent that runs as a tool', () => {
  const inner = (body: object) => ({ ...body, path: ['c'] })
  const innermost = (body: object) => ({ ...body, path: ['c', 'd'] })

  test('is nested in its call, however deep', () => {
    const { hear, spans } = feed()
    hear(started(), bodies.tool('c'), inner(started('reader')), inner(iteration), inner(model('tiny')))
    hear(inner(bodies.tool('d')), innermost(started('counter')), innermost(ended()), inner(bodies.settled('d')))
    hear(inner(ended()), bodies.settled('c'), ended())
    expect(tree(spans)).toEqual([
      'execute_tool sum > invoke_agent counter',
      'invoke_agent reader > execute_tool sum',
      'invoke_agent reader > chat tiny',
      'execute_tool sum > invoke_agent reader',
      'invoke_agent helper > execute_tool sum',
      'invoke_agent helper',
    ])
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  })

  test('is in the trace of the outer turn, whatever its own id', () => {
    const { hear, spans } = feed()
    hear(started(), bodies.tool('c'), { ...inner(started('reader')), turnId: 'other' })
    hear({ ...inner(ended()), turnId: 'other' }, bodies.settled('c'), ended())
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  })

  test('ends with the outer turn', () => {
    const { hear, spans } = feed()
    hear(started(), bodies.tool('c'), inner(started('reader')), inner(iteration), inner(model('tiny')), ended())
    expect(spans.map(({ name }) => name)).toEqual([
      'chat tiny',
      'invoke_agent reader',
      'execute_tool sum',
      'invoke_agent helper',
    ])
  })
})

test('a turn id that is no UUID has a trace id all the same, always that one', () => {
  const traceOf = (turnId: string): string | undefined => {
    const { hear, spans } = feed()
    hear({ ...started(), turnId }, { ...ended(), turnId })
    return spans[0]?.traceId
  }
  const ids = ['my turn', 'my turm', '', '0'.repeat(32), `${'a'.repeat(16)}${'0'.repeat(16)}`].map(traceOf)
  expect(ids.every((id) => id !== undefined && /^(?!0+$)[0-9a-f]{32}$/.test(id) && !/0{16}$/.test(id))).toBe(true)
  expect(new Set(ids).size).toBe(5)
  expect(traceOf('my turn')).toBe(ids[0])
})

test('a listener that throws does the turn no harm', async () => {
  const onEvent = traceTurns({
    onSpan: () => {
      throw new Error('no network')
    },
  })
  const turn = createAgent({ model: scriptedModel(['Four.']) }).turn('2 + 2?', { onEvent })
  expect((await turn.untilDone()).outcome.kind).toBe('completed')
})
