import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { collect, ofType } from './support/collect.ts'
import { answer, answers, call, reply, request, user } from './support/conversation.ts'

const finish: LanguageModelV4StreamPart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
}

function modelOf(parts: readonly LanguageModelV4StreamPart[], more: { provider?: string; contentType?: string } = {}) {
  return new MockLanguageModelV4({
    provider: more.provider ?? 'mock.messages',
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part)
          controller.close()
        },
      }),
      ...(more.contentType !== undefined && { response: { headers: { 'content-type': more.contentType } } }),
    }),
  })
}

describe('options', () => {
  test('name, provider and window are those of the model', () => {
    const model = aiSdkModel(modelOf([]), { contextWindow: 8_000 })
    expect(model).toMatchObject({ provider: 'mock.messages', modelId: 'mock-model-id', contextWindow: 8_000 })
  })

  test.each<[string, unknown, string]>([
    ['a name', 'openai/gpt-5', 'only a name'],
    ['nothing', undefined, 'undefined'],
    ['a provider', () => {}, 'Call it with the name of a model'],
    ['a model of something else', { specificationVersion: 'v4', doEmbed() {} }, 'doStream'],
    ['a model of an older version', { specificationVersion: 'v1', doStream() {} }, '"v1"'],
    ['a model of a newer version', { specificationVersion: 'v9', doStream() {} }, 'AI SDK 5, 6 or 7'],
  ])('%s is refused with the repair', (_, model, words) => {
    // Against the type on purpose: JavaScript users have no type.
    expect(() => aiSdkModel(model as MockLanguageModelV4)).toThrow(
      expect.objectContaining({ code: 'bad-option', message: expect.stringContaining(words) }),
    )
  })

  test.each([0, -1, 1.5, Number.NaN])('a context window of %s is refused', (contextWindow) => {
    expect(() => aiSdkModel(modelOf([]), { contextWindow })).toThrow(expect.objectContaining({ code: 'bad-option' }))
  })
})

test('an option that does not exist is refused by its name', () => {
  // Against the type on purpose: a typo in JavaScript.
  const options = { contextwindow: 8_000 } as object
  expect(() => aiSdkModel(modelOf([]), options)).toThrow(
    expect.objectContaining({ code: 'bad-option', message: expect.stringContaining('contextwindow') }),
  )
})

describe('requests', () => {
  test('tools, choice, instructions and settings reach the provider', async () => {
    const mock = modelOf([finish])
    const asked = request([user('hi')], {
      instructions: 'Be brief.',
      tools: [{ name: 'a', description: 'does a', inputSchema: { type: 'object' } }],
      toolChoice: { toolName: 'a' },
      settings: { temperature: 0, stopSequences: ['x'], reasoning: 'low' },
    })
    await collect(aiSdkModel(mock), asked)
    expect(mock.doStreamCalls[0]).toMatchObject({
      prompt: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      tools: [{ type: 'function', name: 'a', description: 'does a', inputSchema: { type: 'object' } }],
      toolChoice: { type: 'tool', toolName: 'a' },
      temperature: 0,
      stopSequences: ['x'],
      reasoning: 'low',
    })
  })

  test('what is not set is not sent', async () => {
    const mock = modelOf([finish])
    await collect(aiSdkModel(mock), request([user('hi')], { toolChoice: 'none' }))
    expect(Object.keys(mock.doStreamCalls[0] ?? {}).sort()).toEqual(['abortSignal', 'prompt'])
  })

  test('a request’s settings go before those of the model', async () => {
    const mock = modelOf([finish])
    const settings = {
      temperature: 1,
      seed: 7,
      headers: { a: '1', b: '1' },
      providerOptions: { openai: { store: false, user: 'x' } },
    }
    const wanted = { temperature: 0, headers: { b: '2' }, providerOptions: { openai: { user: 'y' } } }
    await collect(aiSdkModel(mock, { settings }), request([user('hi')], { settings: wanted }))
    expect(mock.doStreamCalls[0]).toMatchObject({
      temperature: 0,
      seed: 7,
      headers: { a: '1', b: '2' },
      providerOptions: { openai: { store: false, user: 'y' } },
    })
  })

  test.each([
    ['mock.messages', undefined, 'content'],
    ['mock.chat', undefined, 'text'],
    ['mock.chat', true, 'content'],
    ['mock.messages', false, 'text'],
  ])('a picture for %s with files %s goes as %s', async (provider, filesInToolResults, type) => {
    const mock = modelOf([finish], { provider })
    const picture = { content: [{ type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }] }
    const model = aiSdkModel(mock, filesInToolResults === undefined ? {} : { filesInToolResults })
    await collect(model, request([user('look'), reply([call('a')]), answers(answer('a', picture))]))
    expect(mock.doStreamCalls[0]?.prompt[2]).toMatchObject({ content: [{ output: { type } }] })
  })
})

describe('replies', () => {
  test('a finish word that is an error comes with an error', async () => {
    const broken = { ...finish, finishReason: { unified: 'error' as const, raw: 'MALFORMED_FUNCTION_CALL' } }
    const events = await collect(aiSdkModel(modelOf([broken])), request([user('hi')]))
    expect(events).toMatchObject([
      { type: 'error', error: { code: 'model-failed', message: expect.stringContaining('MALFORMED_FUNCTION_CALL') } },
      { type: 'finish', stopReason: 'error' },
    ])
  })

  test('an interrupted reply is a cut stream', async () => {
    const cut = { ...finish, finishReason: { unified: 'interrupted' as const, raw: undefined } }
    const text: LanguageModelV4StreamPart = { type: 'text-delta', id: '1', delta: 'a' }
    const events = await collect(aiSdkModel(modelOf([text, cut])), request([user('hi')]))
    expect(events).toMatchObject([{}, { type: 'error', error: { code: 'stream-cut' } }, { type: 'finish' }])
  })

  test('an error part is told once, and the stream goes on', async () => {
    const error: LanguageModelV4StreamPart = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }
    const broken = { ...finish, finishReason: { unified: 'error' as const, raw: undefined } }
    const events = await collect(aiSdkModel(modelOf([error, broken])), request([user('hi')]))
    expect(ofType(events, 'error')).toMatchObject([{ error: { code: 'model-overloaded' } }])
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
  })

  test.each(['text/html; charset=utf-8', 'application/json'])('an empty answer of type %s is named', async (type) => {
    const model = aiSdkModel(modelOf([], { contentType: type }))
    await expect(collect(model, request([user('hi')]))).rejects.toMatchObject({
      name: 'ModelError',
      code: 'model-bad-response',
      message: expect.stringContaining('base URL'),
    })
  })

  test('a stream that ends without a finish just ends', async () => {
    expect(await collect(aiSdkModel(modelOf([])), request([user('hi')]))).toEqual([])
  })

  test('our own errors pass unchanged', async () => {
    const file = { type: 'file' as const, mediaType: 'image/png', data: { url: 'nowhere' } }
    await expect(collect(aiSdkModel(modelOf([])), request([user([file])]))).rejects.toMatchObject({
      name: 'TurnloopError',
      code: 'bad-input',
    })
  })
})
