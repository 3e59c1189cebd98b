import type { LanguageModelV2CallOptions, LanguageModelV2StreamPart, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { MockLanguageModelV3 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { collect } from './support/collect.ts'
import { answer, answers, call, reply, request, user } from './support/conversation.ts'

function streamOf<Part>(parts: readonly Part[]): ReadableStream<Part> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

const v2Parts: LanguageModelV2StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-delta', id: '1', delta: 'hello' },
  { type: 'tool-call', toolCallId: 'c', toolName: 'a', input: '{}' },
  {
    type: 'finish',
    finishReason: 'tool-calls',
    usage: { inputTokens: 1, outputTokens: 2, totalTokens: 4, reasoningTokens: 1 },
  },
]

const v3Parts: LanguageModelV3StreamPart[] = [
  { type: 'text-delta', id: '1', delta: 'hello' },
  { type: 'file', mediaType: 'image/png', data: 'AAAA' },
  {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'end' },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 2, text: 2, reasoning: 0 },
    },
  },
]

const picture = { content: [{ type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }] }
const sound = { content: [{ type: 'audio' as const, data: 'BBBB', mimeType: 'audio/wav' }] }
const conversation = [
  user([
    { type: 'text', text: 'look' },
    { type: 'file', mediaType: 'image/png', data: { base64: 'AAAA' } },
    { type: 'file', mediaType: 'image/png', data: { url: 'https://example.org/a.png' } },
  ]),
  reply([{ type: 'custom', kind: 'anthropic.message_start' }, 'ok', call('a'), call('b'), call('c')]),
  answers(answer('a', picture), answer('b', 'done'), answer('c', sound)),
]

/** `ai/test` has no mock of this version any more. */
function v2Model() {
  const doStreamCalls: LanguageModelV2CallOptions[] = []
  return {
    specificationVersion: 'v2' as const,
    provider: 'mock.messages',
    modelId: 'mock',
    supportedUrls: {},
    doStreamCalls,
    doGenerate: (): never => {
      throw new Error('Only streams are asked for.')
    },
    async doStream(options: LanguageModelV2CallOptions) {
      doStreamCalls.push(options)
      return { stream: streamOf(v2Parts) }
    },
  }
}

describe('v2', () => {
  test('the reply is read', async () => {
    const events = await collect(aiSdkModel(v2Model()), request([user('hi')]))
    expect(events).toMatchObject([
      { type: 'text-delta', delta: 'hello' },
      { type: 'tool-call', id: 'c', inputText: '{}' },
      {
        type: 'finish',
        stopReason: 'toolUse',
        rawStopReason: 'tool-calls',
        usage: { inputTokens: 1, outputTokens: 2, totalTokens: 4, reasoningTokens: 1 },
      },
    ])
  })

  test('files are bare, and custom parts are left out', async () => {
    const model = v2Model()
    await collect(aiSdkModel(model), request(conversation))
    expect(model.doStreamCalls[0]?.prompt).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'file', mediaType: 'image/png', data: 'AAAA' },
          { type: 'file', mediaType: 'image/png', data: new URL('https://example.org/a.png') },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'ok' },
          ...['a', 'b', 'c'].map((toolName) => ({
            type: 'tool-call',
            toolCallId: `wire-${toolName}`,
            toolName,
            input: {},
          })),
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'wire-a',
            toolName: 'a',
            output: { type: 'content', value: [{ type: 'media', data: 'AAAA', mediaType: 'image/png' }] },
          },
          { type: 'tool-result', toolCallId: 'wire-b', toolName: 'b', output: { type: 'text', value: 'done' } },
          {
            type: 'tool-result',
            toolCallId: 'wire-c',
            toolName: 'c',
            output: { type: 'content', value: [{ type: 'media', data: 'BBBB', mediaType: 'audio/wav' }] },
          },
        ],
      },
    ])
  })

  test('a reasoning setting is told to be lost and not sent', async () => {
    const model = v2Model()
    const events = await collect(aiSdkModel(model, { settings: { reasoning: 'low' } }), request([user('hi')]))
    expect(events[0]).toMatchObject({ type: 'warning', message: expect.stringContaining('reasoning') })
    expect(model.doStreamCalls[0]).not.toHaveProperty('reasoning')
  })

  test('an approval for the provider is left out', async () => {
    const model = v2Model()
    const asked = reply([
      call('pay', '{}', { providerExecuted: true }),
      { type: 'provider-approval', id: 'p', callId: 'call-pay' },
    ])
    await collect(aiSdkModel(model), request([user('hi'), asked, answers(answer('pay', 'yes'))]))
    expect(model.doStreamCalls[0]?.prompt).toHaveLength(2)
  })
})

describe('v3', () => {
  const mock = () => new MockLanguageModelV3({ doStream: async () => ({ stream: streamOf(v3Parts) }) })

  test('the reply is read', async () => {
    const events = await collect(aiSdkModel(mock()), request([user('hi')]))
    expect(events).toMatchObject([
      { type: 'text-delta', delta: 'hello' },
      { type: 'file', data: { base64: 'AAAA' } },
      { type: 'finish', stopReason: 'endTurn', rawStopReason: 'end', usage: { totalTokens: 3 } },
    ])
  })

  test('pictures in results have their own name', async () => {
    const model = mock()
    await collect(aiSdkModel(model), request(conversation))
    expect(model.doStreamCalls[0]?.prompt[2]).toMatchObject({
      content: [
        { output: { value: [{ type: 'image-data', data: 'AAAA', mediaType: 'image/png' }] } },
        { output: { type: 'text', value: 'done' } },
        { output: { value: [{ type: 'file-data', data: 'BBBB', mediaType: 'audio/wav' }] } },
      ],
    })
  })

  test('a converted message is kept for the next request', async () => {
    const model = mock()
    const adapted = aiSdkModel(model)
    await collect(adapted, request(conversation))
    await collect(adapted, request(conversation))
    const [first, second] = model.doStreamCalls
    expect(first?.prompt[1]).toBe(second?.prompt[1])
  })
})
