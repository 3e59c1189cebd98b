import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createAgent, tool } from '@turnloop/core'
import { deferred } from '@turnloop/testing'
import { afterEach, expect, test } from 'vitest'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { add, checked } from './support/agent-parts.ts'
import { collect, ofType, rejection, textOf } from './support/collect.ts'
import { request, user } from './support/conversation.ts'
import { type Exchange, type ProviderServer, serve } from './support/provider-server.ts'
import { chatCallParts, chatCalls, chatText } from './support/wire-replies.ts'

let server: ProviderServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

async function modelOn(respond: (exchange: Exchange) => void | Promise<void>) {
  server = await serve(respond)
  return modelAt(`${server.url}/v1`)
}

function modelAt(baseURL: string) {
  return aiSdkModel(createOpenAICompatible({ name: 'local', baseURL, apiKey: 'secret' })('m-1'))
}

test('text arrives in pieces with its usage', async () => {
  const model = await modelOn((exchange) => exchange.finish(...chatText('Hello there')))
  const events = await collect(model, request([user('hi')]))
  expect(textOf(events)).toBe('Hello there')
  expect(ofType(events, 'text-delta')).toHaveLength(2)
  expect(events.at(-1)).toMatchObject({ type: 'finish', stopReason: 'endTurn', usage: { totalTokens: 10 } })
  expect(server?.exchanges[0]).toMatchObject({
    path: '/v1/chat/completions',
    body: { model: 'm-1', stream: true, messages: [{ role: 'user', content: 'hi' }] },
  })
})

test('a tool’s answer follows its call in the second request', async () => {
  const model = await modelOn((exchange) => {
    if (exchange.index > 0) return exchange.finish(...chatText('It is 5.'))
    exchange.finish(...chatCalls({ id: 'c1', name: 'add', input: '{"a":2,"b":3}' }))
  })
  const result = await createAgent({ model: checked(model), tools: [add] })
    .turn('2 + 3?')
    .untilDone()
  expect(result).toMatchObject({ outcome: { kind: 'completed' }, text: 'It is 5.' })
  expect(server?.exchanges[1]?.body.messages).toEqual([
    { role: 'user', content: '2 + 3?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: '5' },
  ])
})

test('parallel calls are answered in call order', async () => {
  const model = await modelOn((exchange) => {
    if (exchange.index > 0) return exchange.finish(...chatText('done'))
    exchange.finish(
      ...chatCalls(
        { id: 'c1', name: 'add', input: '{"a":1,"b":1}' },
        { id: 'c2', name: 'add', input: '{"a":2,"b":2}' },
        { id: 'c3', name: 'add', input: '{"a":"x"' },
      ),
    )
  })
  await createAgent({ model: checked(model), tools: [add] })
    .turn('go')
    .untilDone()
  const calls = [
    { id: 'c1', function: { arguments: '{"a":1,"b":1}' } },
    { id: 'c2', function: { arguments: '{"a":2,"b":2}' } },
    { id: 'c3', function: { arguments: '{}' } },
  ]
  expect(server?.exchanges[1]?.body.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: calls },
    { role: 'tool', tool_call_id: 'c1', content: '2' },
    { role: 'tool', tool_call_id: 'c2', content: '4' },
    { role: 'tool', tool_call_id: 'c3', content: expect.stringMatching(/JSON/) },
  ])
})

test('cancelling a turn closes the connection', async () => {
  const closed = deferred()
  const model = await modelOn(async (exchange) => {
    exchange.send(chatText('Hello there')[0])
    await exchange.closed
    closed.resolve()
  })
  const turn = createAgent({ model }).turn('hi')
  for await (const event of turn.events()) if (event.type === 'text-delta') turn.cancel('enough')
  await closed.promise
  expect((await turn.untilDone()).outcome).toMatchObject({ kind: 'cancelled', reason: 'enough' })
})

test('leaving the events early closes the connection', async () => {
  const closed = deferred()
  const model = await modelOn(async (exchange) => {
    exchange.send(chatText('Hello there')[0])
    await exchange.closed
    closed.resolve()
  })
  for await (const event of model.stream(request([user('hi')]), { signal: new AbortController().signal })) {
    if (event.type === 'text-delta') break
  }
  await closed.promise
})

test('aborting before the server answers closes the connection', async () => {
  const controller = new AbortController()
  const closed = deferred()
  const model = await modelOn(async (exchange) => {
    controller.abort()
    await exchange.closed
    closed.resolve()
  })
  expect(await collect(model, request([user('hi')]), controller.signal)).toEqual([])
  await closed.promise
})

test('a call cut in the middle is never complete with a clean finish', async () => {
  const model = await modelOn((exchange) => {
    exchange.send(...chatCallParts([{ id: 'c1', name: 'add', input: '{"a":2,"b":3}' }]).slice(0, 1))
    exchange.finish()
  })
  const events = await collect(model, request([user('hi')]))
  expect(ofType(events, 'error')).toMatchObject([{ error: { code: 'stream-cut' } }])
  expect(ofType(events, 'finish')).toMatchObject([{ stopReason: 'error' }])
})

test('a connection that breaks in a call ends the turn, and nothing runs', async () => {
  let ran = 0
  const counted = tool({ name: 'add', description: 'Add.', execute: () => ran++ })
  const model = await modelOn(async (exchange) => {
    exchange.send(...chatCallParts([{ id: 'c1', name: 'add', input: '{"a":2,"b":3}' }]))
    await new Promise((resolve) => setImmediate(resolve))
    exchange.cut()
  })
  const result = await createAgent({ model, tools: [counted] })
    .turn('hi')
    .untilDone()
  expect(result.outcome).toMatchObject({ kind: 'failed', error: { code: 'stream-cut' } })
  expect(ran).toBe(0)
})

test('after a broken connection the next question finds every call answered', async () => {
  const model = await modelOn((exchange) => {
    if (exchange.index > 0) return exchange.finish(...chatText('Hello.'))
    exchange.send(...chatText('Half an').slice(0, 1))
    exchange.finish(...chatCallParts([{ id: 'c1', name: 'add', input: '{"a":2,"b":3}' }]))
  })
  const agent = createAgent({ model: checked(model), tools: [add] })
  const first = await agent.turn('hi').untilDone()
  expect(first.outcome.kind).toBe('failed')
  const second = await agent.turn([...first.messages, user('again?')]).untilDone()
  expect(second.text).toBe('Hello.')
  expect(server?.exchanges[1]?.body.messages).toMatchObject([
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'Half', tool_calls: [{ id: 'c1' }] },
    { role: 'tool', tool_call_id: 'c1', content: expect.stringContaining('not run') },
    { role: 'user', content: 'again?' },
  ])
})

const asked = request([user('hi')])

test.each<[string, (exchange: Exchange) => void, object]>([
  [
    'a page with status 200',
    (exchange) => exchange.answer(200, '<!doctype html><p>Hi</p>', { 'content-type': 'text/html' }),
    { code: 'model-bad-response', message: expect.stringContaining('HTML') },
  ],
  [
    'a page with status 404',
    (exchange) => exchange.answer(404, '<!doctype html><p>Hi</p>', { 'content-type': 'text/html' }),
    { code: 'model-bad-response', message: expect.stringContaining('HTML'), facts: { status: 404 } },
  ],
  [
    'a whole reply instead of a stream',
    (exchange) => exchange.answer(200, '{"choices":[]}'),
    { code: 'model-bad-response', message: expect.stringContaining('application/json') },
  ],
  [
    'a wrong key',
    (exchange) => exchange.answer(401, '{"error":{"message":"Wrong key."}}'),
    { code: 'model-unauthorized', message: expect.stringContaining('Wrong key.'), facts: { status: 401 } },
  ],
  [
    'too many requests',
    (exchange) => exchange.answer(429, '{"error":{"message":"Slow down."}}', { 'retry-after': '2' }),
    { code: 'model-rate-limited', facts: { retryAfterMs: 2000, isRetryable: true } },
  ],
  [
    'a text of its own shape',
    (exchange) => exchange.answer(404, '{"error":"model m-1 not found"}'),
    { code: 'model-not-found', message: expect.stringContaining('model m-1 not found') },
  ],
])('%s is told apart', async (_, respond, error) => {
  const model = await modelOn(respond)
  const seen = await collect(model, asked).then(
    (events) => ofType(events, 'error')[0]?.error,
    (thrown: unknown) => thrown,
  )
  expect(seen).toMatchObject({ name: 'ModelError', ...error })
  expect(JSON.stringify(seen)).not.toContain('secret')
})

test('a refused connection is a server that cannot be reached', async () => {
  await modelOn(() => {})
  const { url } = server ?? { url: '' }
  await server?.close()
  const error = await rejection(collect(modelAt(`${url}/v1`), asked))
  expect(error).toMatchObject({ code: 'model-unreachable', message: expect.stringContaining(url) })
})
