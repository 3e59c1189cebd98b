import { createAnthropic } from '@ai-sdk/anthropic'
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { CacheMarks, Message, ModelRequest, ModelTool } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { collect, ofType } from './support/collect.ts'
import { answer, answers, call, reply, request, user } from './support/conversation.ts'
import { sentRequest } from './support/sent-request.ts'

const ephemeral = { anthropic: { cacheControl: { type: 'ephemeral' } } }
const everywhere: CacheMarks = { on: ['instructions', 'tools', 'messages'], providerOptions: ephemeral }
const tools: ModelTool[] = ['zeta', 'alpha'].map((name) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: {} },
}))

const history: Message[] = [
  user('one'),
  reply([call('a')]),
  answers(answer('a', '1')),
  reply([call('b'), call('c')]),
  answers(answer('b', '2'), answer('c', '3')),
  reply(['half']),
]

function marked(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return request(messages, { instructions: 'Be brief.', tools, cacheMarks: everywhere, ...more })
}

/** A model that notes what it is asked. */
function noting() {
  const asked: LanguageModelV4CallOptions[] = []
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'mock',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('never')),
    async doStream(options) {
      asked.push(options)
      return { stream: new ReadableStream({ start: (controller) => controller.close() }) }
    },
  }
  return { model: aiSdkModel(model), asked }
}

describe('marks', () => {
  test('they stand on the instructions, the last tool and the last two messages to the model', async () => {
    const { model, asked } = noting()
    await collect(model, marked(history))
    expect(asked[0]?.prompt.map(({ providerOptions }) => providerOptions)).toEqual([
      ephemeral,
      undefined,
      undefined,
      ephemeral,
      undefined,
      ephemeral,
      undefined,
    ])
    expect(asked[0]?.tools).toMatchObject([{ name: 'zeta' }, { name: 'alpha', providerOptions: ephemeral }])
    expect(asked[0]?.tools?.[0]).not.toHaveProperty('providerOptions')
  })

  test.each(['instructions', 'tools', 'messages'] as const)('on %s alone, nothing else has any', async (place) => {
    const { model, asked } = noting()
    await collect(model, marked(history, { cacheMarks: { on: [place], providerOptions: ephemeral } }))
    const places = {
      instructions: asked[0]?.prompt.filter(({ providerOptions, role }) => providerOptions && role === 'system').length,
      tools: asked[0]?.tools?.filter((tool) => 'providerOptions' in tool).length,
      messages: asked[0]?.prompt.filter(({ providerOptions, role }) => providerOptions && role !== 'system').length,
    }
    expect(places).toEqual({ instructions: 0, tools: 0, messages: 0, [place]: place === 'messages' ? 2 : 1 })
  })

  test('what has moved away from the end has none any more', async () => {
    const { model, asked } = noting()
    await collect(model, marked(history))
    await collect(model, marked([...history, user('two'), reply(['ok']), user('three')]))
    const places = asked[1]?.prompt.flatMap(({ providerOptions }, index) => (providerOptions ? [index] : []))
    expect(places).toEqual([0, 7, 9])
  })

  test('a message is converted once, marked or not', async () => {
    const { model, asked } = noting()
    await collect(model, marked(history))
    await collect(model, marked([...history, user('two')]))
    const [first, second] = asked.map(({ prompt }) => prompt.map(({ content }) => content))
    expect(second?.slice(1, 7).every((content, index) => content === first?.[index + 1])).toBe(true)
  })

  test('a part’s own metadata stays', async () => {
    const { model, asked } = noting()
    const providerMetadata = { anthropic: { caller: { type: 'direct' } } }
    await collect(
      model,
      marked([user('go'), reply([call('a', '{}', { providerMetadata })]), answers(answer('a', '1'))]),
    )
    expect(asked[0]?.prompt.at(-1)).toMatchObject({
      providerOptions: ephemeral,
      content: [{ providerOptions: providerMetadata }],
    })
  })

  test('a request without marks has none', async () => {
    const { model, asked } = noting()
    await collect(model, request(history, { tools }))
    expect(JSON.stringify(asked[0])).not.toContain('providerOptions')
  })
})

describe('on the wire', () => {
  const claude = (fetch: typeof globalThis.fetch) => createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5')

  test('Anthropic gets as many marks as it allows, and has nothing to say about them', async () => {
    const { body, events } = await sentRequest(claude, marked(history))
    const cached = { cache_control: { type: 'ephemeral' } }
    expect(body.system).toMatchObject([cached])
    expect(body.tools).toMatchObject([{ name: 'zeta' }, { name: 'alpha', ...cached }])
    expect(body.messages).toMatchObject([
      {},
      {},
      { content: [cached] },
      {},
      { content: [{ tool_use_id: 'wire-b' }, { tool_use_id: 'wire-c', ...cached }] },
      {},
    ])
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
    expect(ofType(events, 'warning')).toEqual([])
  })
})
