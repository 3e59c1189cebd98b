import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ModelOutput, ModelTool } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { ofType } from './support/collect.ts'
import { request, user } from './support/conversation.ts'
import { sentRequest } from './support/sent-request.ts'

const schema: ModelOutput['schema'] = {
  type: 'object',
  properties: { sum: { type: 'number' } },
  required: ['sum'],
  additionalProperties: false,
}
const output: ModelOutput = { schema, name: 'total', description: 'The sum.' }
const lookUp: ModelTool = { name: 'look_up', description: 'Looks up.', inputSchema: { type: 'object', properties: {} } }
const asked = request([user('hi')], { output })

type Create = (fetch: typeof globalThis.fetch) => LanguageModelV4

const anthropic =
  (id: string): Create =>
  (fetch) =>
    createAnthropic({ apiKey: 'key', fetch })(id)

const compatible =
  (supportsStructuredOutputs?: boolean): Create =>
  (fetch) =>
    createOpenAICompatible({
      name: 'local',
      baseURL: 'https://example.org',
      apiKey: 'key',
      fetch,
      ...(supportsStructuredOutputs !== undefined && { supportsStructuredOutputs }),
    })('m-1')

const chat: Create = (fetch) => createOpenAI({ apiKey: 'key', fetch }).chat('gpt-5.2')
const responses: Create = (fetch) => createOpenAI({ apiKey: 'key', fetch }).responses('gpt-5.2')
const google: Create = (fetch) => createGoogle({ apiKey: 'key', fetch })('gemini-3-pro')

function can(create: Create): boolean | undefined {
  return aiSdkModel(create(fetch)).capabilities?.structuredOutput
}

describe('models that take a schema', () => {
  test.each<[string, Create, object]>([
    ['OpenAI chat', chat, { response_format: { type: 'json_schema', json_schema: { name: 'total', schema } } }],
    ['OpenAI responses', responses, { text: { format: { type: 'json_schema', name: 'total', schema } } }],
    ['Google', google, { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: {} } }],
    ['Anthropic', anthropic('claude-sonnet-4-5'), { output_config: { format: { type: 'json_schema' } } }],
    ['an endpoint set up so', compatible(true), { response_format: { json_schema: { name: 'total', schema } } }],
  ])('%s says so and is sent the schema', async (_, create, sent) => {
    expect(can(create)).toBe(true)
    expect((await sentRequest(create, asked)).body).toMatchObject(sent)
  })

  test.each([
    'claude-3-haiku-20240307',
    'claude-3-7-sonnet-latest',
    'claude-sonnet-4-20250514',
    'claude-sonnet-4-0',
    'claude-opus-4-0',
    'claude-opus-4-1',
    'claude-sonnet-4-5-20250929',
    'claude-opus-4-6',
    'claude-haiku-4-5',
    'claude-sonnet-5',
    'claude-next',
    'some-other-model',
  ])('Anthropic’s %s is as its package has it', async (id) => {
    const { body } = await sentRequest(anthropic(id), asked)
    expect(can(anthropic(id))).toBe('output_config' in body)
  })

  test.each<[string, string, boolean | undefined]>([
    ['openai.chat', 'gpt-3.5-turbo', false],
    ['openai.chat', 'gpt-4', false],
    ['openai.responses', 'gpt-4-turbo', false],
    ['openai.responses', 'gpt-4o', true],
    ['openai.responses', 'gpt-4.1-mini', true],
    ['openai.responses', 'o3', true],
    ['openai.completion', 'gpt-3.5-turbo-instruct', undefined],
    ['azure.responses', 'our-deployment', true],
    ['google.generative-ai', 'gemma-3-27b-it', false],
    ['google.vertex.chat', 'gemini-2.5-flash', true],
    ['vertex.anthropic.messages', 'claude-sonnet-4-5', undefined],
    ['mistral.chat', 'mistral-large-latest', true],
    ['xai.responses', 'grok-4', true],
    ['groq.chat', 'openai/gpt-oss-120b', undefined],
    ['deepseek.chat', 'deepseek-chat', undefined],
    ['unheard-of', 'm', undefined],
  ])('%s with %s: %s', (provider, modelId, structuredOutput) => {
    const doStream: LanguageModelV4['doStream'] = async () => ({ stream: new ReadableStream() })
    const doGenerate: LanguageModelV4['doGenerate'] = () => Promise.reject(new Error('never'))
    const specificationVersion = 'v4'
    const named: LanguageModelV4 = { specificationVersion, provider, modelId, supportedUrls: {}, doStream, doGenerate }
    expect(aiSdkModel(named).capabilities?.structuredOutput).toBe(structuredOutput)
  })

  test('an endpoint of which nothing was said takes none', () => {
    expect(can(compatible())).toBe(false)
  })

  test('what the caller says goes before', () => {
    const options = { capabilities: { structuredOutput: true } }
    expect(aiSdkModel(compatible()(fetch), options).capabilities).toEqual({ structuredOutput: true })
  })
})

describe('a schema along with tools', () => {
  const both = request([user('hi')], { output, tools: [lookUp] })

  test.each<[string, Create]>([
    ['OpenAI chat', chat],
    ['OpenAI responses', responses],
    ['Google', google],
    ['Anthropic with a schema', anthropic('claude-sonnet-4-5')],
    ['Anthropic without', anthropic('claude-3-haiku-20240307')],
    ['an endpoint', compatible()],
  ])('K4: %s is sent every tool', async (_, create) => {
    expect(JSON.stringify((await sentRequest(create, both)).body.tools)).toContain('"look_up"')
  })

  test('K4: a schema that cannot be sent is told as a warning', async () => {
    const { events } = await sentRequest(compatible(), both)
    expect(ofType(events, 'warning')).toMatchObject([{ message: expect.stringContaining('responseFormat') }])
  })

  test('K4: a provider that leaves tools out is told as a warning', async () => {
    const { events } = await sentRequest((fetch) => createOpenAI({ apiKey: 'key', fetch }).completion('m'), both)
    const words = ofType(events, 'warning').map(({ message }) => message)
    expect(words).toContainEqual(expect.stringContaining('tools'))
  })

  test('K2: which models take a schema is known before any call', () => {
    const [native, none] = [chat, compatible(false)].map((create) =>
      aiSdkModel(create(() => Promise.reject(new Error('asked')))),
    )
    expect([native?.capabilities, none?.capabilities]).toEqual([
      { structuredOutput: true },
      { structuredOutput: false },
    ])
  })
})

test.each(['v2', 'v3', 'v4'] as const)('a model of version %s is given the schema', async (specificationVersion) => {
  const calls: unknown[] = []
  const model = {
    specificationVersion,
    provider: 'mock',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('never')),
    async doStream(options: unknown) {
      calls.push(options)
      return { stream: new ReadableStream({ start: (controller) => controller.close() }) }
    },
  }
  for await (const _ of aiSdkModel(model).stream(asked, { signal: new AbortController().signal }));
  expect(calls).toMatchObject([{ responseFormat: { type: 'json', schema, name: 'total', description: 'The sum.' } }])
})
