import type { ModelEvent, TurnloopError } from '@turnloop/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { checkBaseUrl } from '../src/model/check-base-url.ts'
import { createModel, type ModelSettings } from '../src/model/providers.ts'

const PAGE = 'http://localhost:5173/#/s/1'
const file = { running: () => Promise.reject(new Error('no file is open')), drop: () => {} }
const context = { tables: () => [], file }

beforeEach(() => {
  vi.stubGlobal('location', new URL(PAGE))
})

afterEach(() => {
  vi.unstubAllGlobals()
})

async function refusal(settings: ModelSettings): Promise<TurnloopError> {
  const error: unknown = await createModel(settings, context).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'bad-option' })
  // Just checked.
  return error as TurnloopError
}

/** Ask once; the server refuses the key. Gives the request as it went out. */
async function requestOf(settings: ModelSettings): Promise<{ url: string; headers: Headers; error: unknown }> {
  const sent: { url: string; headers: Headers }[] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    sent.push({ url: String(url), headers: new Headers(init.headers) })
    const body = JSON.stringify({ error: { message: 'wrong key', type: 'authentication_error' } })
    return Promise.resolve(new Response(body, { status: 401, headers: { 'content-type': 'application/json' } }))
  })
  const model = await createModel(settings, context)
  const events: ModelEvent[] = []
  let error: unknown
  try {
    const request = { messages: [{ id: 'm', role: 'user' as const, createdAt: 0, content: [] }], tools: [] }
    for await (const event of model.stream(request, { signal: new AbortController().signal })) events.push(event)
  } catch (thrown) {
    error = thrown
  }
  const [request] = sent
  if (request === undefined) throw new Error('nothing was sent')
  return { ...request, error }
}

describe('the address of an endpoint', () => {
  test.each([
    ['http://localhost:11434/v1', 'http://localhost:11434/v1'],
    [' https://openrouter.ai/api/v1/ ', 'https://openrouter.ai/api/v1'],
    ['https://example.org/v1/chat/completions', 'https://example.org/v1'],
    ['/proxy/v1', 'http://localhost:5173/proxy/v1'],
  ])('%j is taken as %j', (given, url) => {
    expect(checkBaseUrl(given, PAGE)).toBe(url)
  })

  test.each([
    ['', 'is missing'],
    ['localhost:11434', 'is no address. Write it whole'],
    ['not an address', 'is no address'],
    ['ftp://example.org', 'has to begin with http'],
    ['https://key@example.org/v1', 'Put the key into its own field'],
    ['https://example.org/v1?key=1', 'no "?"'],
  ])('%j is refused', (given, part) => {
    expect(() => checkBaseUrl(given, PAGE)).toThrow(part)
  })

  test('a page from https may call this machine without it, and no other', () => {
    expect(checkBaseUrl('http://127.0.0.1:1234/v1', 'https://example.org/')).toBe('http://127.0.0.1:1234/v1')
    expect(() => checkBaseUrl('http://10.0.0.2/v1', 'https://example.org/')).toThrow('the browser refuses')
  })
})

describe('making a model', () => {
  test('the practice model needs nothing', async () => {
    expect(await createModel({ kind: 'practice' }, context)).toMatchObject({ modelId: 'practice-model' })
  })

  test.each([
    [{ kind: 'openai', modelId: ' ', apiKey: 'k' }, 'modelId'],
    [{ kind: 'anthropic', modelId: 'm', apiKey: '' }, 'apiKey'],
    [{ kind: 'google', modelId: 'm', apiKey: 'key with “quotes”' }, 'apiKey'],
    [{ kind: 'openai-compatible', modelId: 'm', baseUrl: 'here' }, 'baseUrl'],
  ] as const)('settings that cannot work name their field: %j', async (settings, field) => {
    expect((await refusal(settings)).facts).toEqual({ field })
  })

  test.each([
    [{ kind: 'openai', modelId: 'm', apiKey: 'k' }, 'api.openai.com', 'authorization', 'Bearer k'],
    [{ kind: 'anthropic', modelId: 'm', apiKey: 'k' }, 'api.anthropic.com', 'x-api-key', 'k'],
    [{ kind: 'google', modelId: 'm', apiKey: 'k' }, 'generativelanguage.googleapis.com', 'x-goog-api-key', 'k'],
    [
      { kind: 'openai-compatible', modelId: 'm', apiKey: 'k', baseUrl: 'http://localhost:1/v1' },
      'localhost:1',
      'authorization',
      'Bearer k',
    ],
  ] as const)('%j is asked with its key', async (settings, host, header, value) => {
    const { url, headers, error } = await requestOf(settings)

    expect(new URL(url).host).toBe(host)
    expect(headers.get(header)).toBe(value)
    expect(headers.get('user-agent')).toBeNull()
    expect(error).toMatchObject({ name: 'ModelError', code: 'model-unauthorized' })
  })

  test('Anthropic is told that the call comes from a page', async () => {
    const { headers } = await requestOf({ kind: 'anthropic', modelId: 'm', apiKey: 'k' })

    expect(headers.get('anthropic-dangerous-direct-browser-access')).toBe('true')
  })

  test('an endpoint without a key is asked without one', async () => {
    const { url, headers } = await requestOf({ kind: 'openai-compatible', modelId: 'm', baseUrl: '/proxy/v1' })

    expect(url).toBe('http://localhost:5173/proxy/v1/chat/completions')
    expect(headers.get('authorization')).toBeNull()
  })
})
