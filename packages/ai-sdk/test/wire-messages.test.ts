import { createAnthropic } from '@ai-sdk/anthropic'
import { createAgent } from '@turnloop/core'
import { deferred } from '@turnloop/testing'
import { afterEach, expect, test } from 'vitest'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { add, checked } from './support/agent-parts.ts'
import { collect, ofType, rejection, textOf } from './support/collect.ts'
import { request, user } from './support/conversation.ts'
import { type Exchange, type ProviderServer, serve } from './support/provider-server.ts'
import { messagesBlock, messagesReply } from './support/wire-replies.ts'

let server: ProviderServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

async function modelOn(respond: (exchange: Exchange) => void | Promise<void>) {
  server = await serve(respond)
  return aiSdkModel(createAnthropic({ baseURL: server.url, apiKey: 'secret' })('m-1'))
}

const hello = messagesReply('end_turn', { type: 'text', text: 'Hello.' })

test('text arrives with its usage', async () => {
  const model = await modelOn((exchange) => exchange.finish(...hello))
  const events = await collect(model, request([user('hi')], { instructions: 'Be brief.' }))
  expect(textOf(events)).toBe('Hello.')
  expect(events.at(-1)).toMatchObject({
    type: 'finish',
    stopReason: 'endTurn',
    rawStopReason: 'end_turn',
    usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
  })
  expect(server?.exchanges[0]?.body).toMatchObject({ system: [{ type: 'text', text: 'Be brief.' }] })
})

test('thinking goes back with its signature, before the call it led to', async () => {
  const model = await modelOn((exchange) => {
    if (exchange.index > 0) return exchange.finish(...hello)
    exchange.finish(
      ...messagesReply(
        'tool_use',
        { type: 'thinking', text: 'I should add.', signature: 'sig-1' },
        { type: 'call', id: 'toolu_1', name: 'add', input: '{"a":2,"b":3}' },
      ),
    )
  })
  const result = await createAgent({ model: checked(model), tools: [add] })
    .turn('2 + 3?')
    .untilDone()
  expect(result).toMatchObject({ outcome: { kind: 'completed' }, text: 'Hello.' })
  expect(server?.exchanges[1]?.body.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: '2 + 3?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I should add.', signature: 'sig-1' },
        { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 2, b: 3 } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '5' }] },
  ])
})

test('signs of life between two pieces reach the loop', async () => {
  const model = await modelOn((exchange) => {
    exchange.finish(...hello.slice(0, 2), { type: 'ping' }, ...hello.slice(2))
  })
  const types = (await collect(model, request([user('hi')]))).map(({ type }) => type)
  expect(types.indexOf('ping')).toBeGreaterThan(types.indexOf('text-start'))
  expect(types.indexOf('ping')).toBeLessThan(types.indexOf('text-delta'))
})

test('what came from the provider’s cache and went into it is counted', async () => {
  const usage = { input_tokens: 5, cache_read_input_tokens: 70, cache_creation_input_tokens: 25, output_tokens: 1 }
  const model = await modelOn((exchange) => {
    const [start, ...rest] = hello
    exchange.finish(JSON.stringify(start).replace(/"usage":{[^}]*}/, `"usage":${JSON.stringify(usage)}`), ...rest)
  })
  const events = await collect(model, request([user('hi')]))
  expect(ofType(events, 'finish')).toMatchObject([
    { usage: { inputTokens: 100, cachedInputTokens: 70, cacheWriteTokens: 25, outputTokens: 3 } },
  ])
})

test('parallel calls are answered in one message, errors marked', async () => {
  const model = await modelOn((exchange) => {
    if (exchange.index > 0) return exchange.finish(...hello)
    exchange.finish(
      ...messagesReply(
        'tool_use',
        { type: 'call', id: 'toolu_1', name: 'add', input: '{"a":1,"b":1}' },
        { type: 'call', id: 'toolu_2', name: 'subtract', input: '{}' },
      ),
    )
  })
  await createAgent({ model: checked(model), tools: [add] })
    .turn('go')
    .untilDone()
  expect(server?.exchanges[1]?.body.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ id: 'toolu_1' }, { id: 'toolu_2' }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: '2' },
        { type: 'tool_result', tool_use_id: 'toolu_2', is_error: true },
      ],
    },
  ])
})

test('a reply without content is not sent back', async () => {
  const model = await modelOn((exchange) => {
    exchange.finish(...(exchange.index > 0 ? hello : messagesReply('refusal')))
  })
  const agent = createAgent({ model: checked(model) })
  const first = await agent.turn('hi').untilDone()
  await agent.turn([...first.messages, user('again?')]).untilDone()
  const sent = JSON.stringify(server?.exchanges[1]?.body.messages)
  expect(sent).toContain('again?')
  expect(sent).not.toContain('assistant')
})

test.each([
  ['pause_turn', 'pause'],
  ['stop_sequence', 'stopSequence'],
  ['max_tokens', 'maxTokens'],
  ['refusal', 'safety'],
])('the stop reason %s is %s', async (raw, stopReason) => {
  const model = await modelOn((exchange) => exchange.finish(...messagesReply(raw, { type: 'text', text: 'x' })))
  const events = await collect(model, request([user('hi')]))
  expect(events.at(-1)).toMatchObject({ type: 'finish', stopReason, rawStopReason: raw })
})

test('aborting closes the connection', async () => {
  const controller = new AbortController()
  const closed = deferred()
  const model = await modelOn(async (exchange) => {
    exchange.send(...hello.slice(0, 3))
    await exchange.closed
    closed.resolve()
  })
  for await (const event of model.stream(request([user('hi')]), controller)) {
    if (event.type === 'text-delta') controller.abort()
  }
  await closed.promise
})

test('a reply cut in a call has no call and no clean finish', async () => {
  const call = messagesBlock({ type: 'call', id: 'toolu_1', name: 'add', input: '{"a":2,"b":3}' }, 0)
  const model = await modelOn((exchange) => exchange.finish(hello[0], ...call.slice(0, 2)))
  const events = await collect(model, request([user('hi')]))
  expect(ofType(events, 'tool-call')).toEqual([])
  expect(ofType(events, 'error')).toMatchObject([{ error: { code: 'stream-cut' } }])
  expect(ofType(events, 'finish')).toMatchObject([{ stopReason: 'error' }])
})

test('overload is told apart before and in the middle of a reply', async () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const early = await modelOn((exchange) => exchange.finish(overloaded))
  expect(await rejection(collect(early, request([user('hi')])))).toMatchObject({ code: 'model-overloaded' })
  await server?.close()
  const late = await modelOn((exchange) => exchange.finish(...hello.slice(0, 3), overloaded))
  const events = await collect(late, request([user('hi')]))
  expect(ofType(events, 'error')).toMatchObject([{ error: { code: 'model-overloaded', facts: { isRetryable: true } } }])
})

test('a wrong key and a page are told apart', async () => {
  const refused = { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }
  const model = await modelOn((exchange) => {
    if (exchange.index === 0) return exchange.answer(401, JSON.stringify(refused))
    exchange.answer(200, '<!doctype html><p>Hi</p>', { 'content-type': 'text/html' })
  })
  expect(await rejection(collect(model, request([user('hi')])))).toMatchObject({ code: 'model-unauthorized' })
  expect(await rejection(collect(model, request([user('hi')])))).toMatchObject({ code: 'model-bad-response' })
})
