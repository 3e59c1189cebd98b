import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createAgent, type TurnEvent } from '@turnloop/core'
import { expect, test } from 'vitest'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { add, checked } from './support/agent-parts.ts'
import { user } from './support/conversation.ts'

const finish: LanguageModelV4StreamPart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'end' },
  usage: {
    inputTokens: { total: 100, noCache: 10, cacheRead: 80, cacheWrite: 10 },
    outputTokens: { total: 20, text: 5, reasoning: 15 },
  },
}

/** A model that answers with these parts, one list per request, and notes its prompts. */
function modelOf(...replies: readonly (readonly LanguageModelV4StreamPart[])[]) {
  const prompts: LanguageModelV4Prompt[] = []
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'mock',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('never')),
    async doStream({ prompt }) {
      const parts = replies[prompts.push(prompt) - 1] ?? []
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part)
          controller.close()
        },
      })
      return { stream }
    },
  }
  return { model: checked(aiSdkModel(model)), prompts }
}

/** Metadata that says which part it belongs to. */
function meta(of: string) {
  return { providerMetadata: { mock: { of } } }
}

const everything: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [{ type: 'other', message: 'Half the speed today.' }] },
  { type: 'response-metadata', modelId: 'm-2026' },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'r', ...meta('reasoning') },
  { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'BBBB' }, ...meta('sketch') },
  {
    type: 'tool-call',
    toolCallId: 's1',
    toolName: 'search',
    input: '{"q":"x"}',
    providerExecuted: true,
    ...meta('call'),
  },
  { type: 'tool-result', toolCallId: 's1', toolName: 'search', result: { hits: 0 }, preliminary: true },
  { type: 'tool-result', toolCallId: 's1', toolName: 'search', result: { hits: 2 }, ...meta('result') },
  { type: 'source', sourceType: 'url', id: 'u', url: 'https://example.org', title: 'X', ...meta('source') },
  { type: 'custom', kind: 'mock.marker', ...meta('custom') },
  { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' }, ...meta('file') },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Found two.' },
  { type: 'text-end', id: 't', ...meta('text') },
  finish,
]
const after: LanguageModelV4StreamPart[] = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Bye.' },
  { type: 'text-end', id: 't' },
  finish,
]

test('everything a reply can hold is kept and shown', async () => {
  const { model } = modelOf(everything)
  const events: TurnEvent[] = []
  for await (const event of createAgent({ model }).turn('go').events()) events.push(event)
  const said = events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'assistant' ? [event] : [],
  )
  expect(said).toMatchObject([
    {
      message: {
        modelId: 'm-2026',
        usage: { inputTokens: 100, cachedInputTokens: 80, cacheWriteTokens: 10, outputTokens: 20, reasoningTokens: 15 },
        content: [
          { type: 'reasoning', text: 'Hm.', ...meta('reasoning') },
          { type: 'file', reasoning: true, data: { base64: 'BBBB' }, ...meta('sketch') },
          { type: 'tool-call', wireId: 's1', providerExecuted: true, ...meta('call') },
          { type: 'provider-result', wireId: 's1', result: { hits: 2 }, ...meta('result') },
          { type: 'source', url: 'https://example.org', title: 'X', ...meta('source') },
          { type: 'custom', kind: 'mock.marker', ...meta('custom') },
          { type: 'file', data: { base64: 'AAAA' }, ...meta('file') },
          { type: 'text', text: 'Found two.', ...meta('text') },
        ],
      },
    },
  ])
  expect(events).toContainEqual(expect.objectContaining({ type: 'warning', message: 'Half the speed today.' }))
})

test('everything but sources goes back with its metadata', async () => {
  const { model, prompts } = modelOf(everything, after)
  const agent = createAgent({ model })
  const { messages } = await agent.turn('go').untilDone()
  await agent.turn([...messages, user('and?')]).untilDone()
  const back = (of: string) => ({ providerOptions: { mock: { of } } })
  expect(prompts[1]?.[1]).toMatchObject({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm.', ...back('reasoning') },
      { type: 'reasoning-file', data: { type: 'data', data: 'BBBB' }, ...back('sketch') },
      { type: 'tool-call', toolCallId: 's1', providerExecuted: true, input: { q: 'x' }, ...back('call') },
      { type: 'tool-result', toolCallId: 's1', output: { type: 'json', value: { hits: 2 } }, ...back('result') },
      { type: 'custom', kind: 'mock.marker', ...back('custom') },
      { type: 'file', data: { type: 'data', data: 'AAAA' }, ...back('file') },
      { type: 'text', text: 'Found two.', ...back('text') },
    ],
  })
})

test('a result the provider sends in a later reply finds its call', async () => {
  const { model, prompts } = modelOf(
    [
      { type: 'tool-call', toolCallId: 's1', toolName: 'run_code', input: '{}', providerExecuted: true },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: '{"a":1,"b":1}' },
      { ...finish, finishReason: { unified: 'tool-calls', raw: 'tool_use' } },
    ],
    [{ type: 'tool-result', toolCallId: 's1', toolName: 'run_code', result: '42' }, ...after],
    after,
  )
  const agent = createAgent({ model, tools: [add] })
  const { messages } = await agent.turn('go').untilDone()
  await agent.turn([...messages, user('and?')]).untilDone()
  expect(prompts[2]?.map(({ content, role }) => [role, ...content])).toMatchObject([
    ['user', {}],
    ['assistant', { toolCallId: 's1', providerExecuted: true }, { toolCallId: 'c1' }],
    ['tool', { toolCallId: 'c1', output: { value: '2' } }],
    ['assistant', { type: 'tool-result', toolCallId: 's1', output: { value: '42' } }, { text: 'Bye.' }],
    ['user', {}],
  ])
})

test('a call the provider asks leave for is kept with its question, and the talk goes on', async () => {
  const { model, prompts } = modelOf(
    [
      { type: 'tool-call', toolCallId: 'p1', toolName: 'mcp.pay', input: '{"sum":5}', providerExecuted: true },
      { type: 'tool-approval-request', approvalId: 'ask-1', toolCallId: 'p1', ...meta('approval') },
      finish,
    ],
    after,
  )
  const agent = createAgent({ model })
  const { messages } = await agent.turn('pay').untilDone()
  const [, asked] = messages
  const [call, question] = asked?.role === 'assistant' ? asked.content : []
  expect(call).toMatchObject({ type: 'tool-call', toolName: 'mcp.pay', providerExecuted: true })
  const callId = call?.type === 'tool-call' ? call.callId : ''
  expect(question).toEqual({ type: 'provider-approval', id: 'ask-1', callId, ...meta('approval') })
  const next = await agent.turn([...messages, user('never mind')]).untilDone()
  expect(next.outcome.kind).toBe('completed')
  expect(prompts[1]).toMatchObject([{ role: 'user' }, { content: [{ toolCallId: 'p1' }] }, { role: 'user' }])
})
