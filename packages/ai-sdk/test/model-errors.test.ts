import {
  APICallError,
  InvalidResponseDataError,
  LoadAPIKeyError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { ModelError } from '@turnloop/core'
import { describe, expect, test, vi } from 'vitest'
import { brokenReply, notAStream, toModelError } from '../src/model-errors.ts'

const model = { provider: 'acme.chat', modelId: 'm-1' }
const url = 'https://user:secret@api.example.org/v1/chat?key=secret#x'

function apiError(
  statusCode: number | undefined,
  body: unknown,
  more: { headers?: Record<string, string>; cause?: unknown } = {},
) {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body)
  return new APICallError({
    message: 'status text',
    url,
    requestBodyValues: { secret: 'secret' },
    responseBody,
    cause: more.cause,
    responseHeaders: { authorization: 'secret', ...more.headers },
    ...(statusCode !== undefined && { statusCode }),
  })
}

/** Every error of this file, as it fails before the server has begun to answer. */
function mapped(error: unknown, hasAnswered = false): ModelError {
  const result = toModelError(error, model, hasAnswered)
  expect(result).toBeInstanceOf(ModelError)
  // The line above has just checked it.
  return result as ModelError
}

describe('codes', () => {
  test.each<[string, number, unknown, string]>([
    [
      'OpenAI key',
      401,
      { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } },
      'model-unauthorized',
    ],
    [
      'Anthropic key',
      401,
      { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
      'model-unauthorized',
    ],
    [
      'Google key',
      400,
      { error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
      'model-unauthorized',
    ],
    ['forbidden', 403, { error: { message: 'no access' } }, 'model-unauthorized'],
    ['Ollama model', 404, { error: 'model "x" not found, try pulling it first' }, 'model-not-found'],
    ['busy', 429, { error: { message: 'Rate limit reached: too many tokens per minute' } }, 'model-rate-limited'],
    ['too large', 413, 'Request Entity Too Large', 'context-too-long'],
    ['OpenAI context', 400, { error: { message: 'x', code: 'context_length_exceeded' } }, 'context-too-long'],
    [
      'Anthropic context',
      400,
      { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' } },
      'context-too-long',
    ],
    [
      'Google context',
      400,
      { error: { message: 'The input token count (9) exceeds the maximum number of tokens allowed (5).' } },
      'context-too-long',
    ],
    [
      'vLLM context',
      400,
      { object: 'error', message: "This model's maximum context length is 4096 tokens." },
      'context-too-long',
    ],
    [
      'llama.cpp context',
      500,
      { error: { message: 'the request exceeds the available context size' } },
      'context-too-long',
    ],
    ['Groq context', 413, { error: { message: 'Please reduce the length of the messages.' } }, 'context-too-long'],
    ['bad request', 400, { error: { message: 'tools.0.name: invalid' } }, 'model-refused-request'],
    ['unprocessable', 422, { detail: 'field required' }, 'model-refused-request'],
    ['no credit', 402, { error: { message: 'Insufficient credits' } }, 'model-refused-request'],
    ['wrong method', 405, 'Method Not Allowed', 'model-bad-response'],
    ['Cloudflare', 522, 'connection timed out', 'model-failed'],
    ['a limit of a key', 403, { error: { message: 'context window of this plan' } }, 'model-unauthorized'],
    ['broken server', 500, { error: { message: 'internal' } }, 'model-failed'],
    ['bad gateway', 502, '<html><body>502</body></html>', 'model-overloaded'],
    ['unavailable', 503, '', 'model-overloaded'],
    ['Anthropic overload', 529, { error: { type: 'overloaded_error', message: 'Overloaded' } }, 'model-overloaded'],
    ['a page for a model', 404, '<!DOCTYPE html><title>Not found</title>', 'model-bad-response'],
    ['a page with success', 200, '<html></html>', 'model-bad-response'],
  ])('%s (%i) is told apart', (_, status, body, code) => {
    expect(mapped(apiError(status, body))).toMatchObject({ code, facts: { status } })
  })

  test.each<[string, unknown, string]>([
    ['Anthropic', { type: 'overloaded_error', message: 'Overloaded' }, 'model-overloaded'],
    [
      'OpenAI Responses',
      { type: 'error', error: { type: 'invalid_request_error', message: 'no' } },
      'model-refused-request',
    ],
    [
      'OpenAI response.failed',
      { response: { error: { code: 'rate_limit_exceeded', message: 'slow' } } },
      'model-rate-limited',
    ],
    ['stream error object', { message: 'busy', statusCode: 503, isRetryable: true, data: {} }, 'model-overloaded'],
    ['OpenRouter', { message: 'no such model', code: 404 }, 'model-not-found'],
    ['Google', { code: 429, message: 'quota', status: 'RESOURCE_EXHAUSTED' }, 'model-rate-limited'],
    ['plain text', 'something broke', 'model-failed'],
    ['an error', new Error('something broke'), 'model-failed'],
    ['nothing', undefined, 'model-failed'],
  ])('an error part of %s is told apart', (_, error, code) => {
    expect(mapped(error, true).code).toBe(code)
  })

  test.each<[string, unknown, string]>([
    ['a missing key', new LoadAPIKeyError({ message: 'API key is missing.' }), 'model-unauthorized'],
    ['a missing feature', new UnsupportedFunctionalityError({ functionality: 'audio' }), 'model-refused-request'],
    ['unreadable data', new InvalidResponseDataError({ data: 1, message: 'Expected id' }), 'model-bad-response'],
    [
      'a stream without an end',
      new InvalidResponseDataError({ data: 1, message: 'Response stream ended without a finish reason.' }),
      'stream-cut',
    ],
  ])('%s is told apart', (_, error, code) => {
    expect(mapped(error, true).code).toBe(code)
  })
})

describe('connections', () => {
  test.each(['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed', 'fetch failed'])(
    'fetch that says "%s" could not reach the server',
    (message) => {
      const error = mapped(new TypeError(message))
      expect(error.code).toBe('model-unreachable')
      expect(error.message).toContain('CORS')
      expect(error.message).toContain('no server')
    },
  )

  test('a refused connection names the address', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    const error = mapped(apiError(undefined, '', { cause }))
    expect(error).toMatchObject({ code: 'model-unreachable', facts: { url: 'https://api.example.org/v1/chat' } })
    expect(error.message).toContain('https://api.example.org/v1/chat')
  })

  test('a device that is offline is told so, except for a server on itself', () => {
    vi.stubGlobal('navigator', { onLine: false })
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    const local = new APICallError({ message: 'x', url: 'http://localhost:11434/v1', requestBodyValues: {}, cause })
    const messages = [new TypeError('Failed to fetch'), local].map((error) => mapped(error).message)
    vi.unstubAllGlobals()
    expect(messages).toEqual([expect.stringContaining('is offline'), expect.stringContaining('no server')])
  })

  test.each(['network error', 'terminated', 'Error in input stream', 'The network connection was lost.'])(
    'a stream that breaks with "%s" was cut',
    (message) => {
      expect(mapped(new TypeError(message), true).code).toBe('stream-cut')
      expect(mapped(apiError(200, '', { cause: new TypeError(message) })).code).toBe('stream-cut')
    },
  )

  test('a mistake in a program is no lost connection', () => {
    expect(mapped(new TypeError('x.connection is not a function')).code).toBe('model-failed')
  })
})

describe('facts', () => {
  test.each<[string, Record<string, string>, unknown, number | undefined]>([
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, {}, 1500],
    ['seconds', { 'retry-after': '12' }, {}, 12_000],
    ['a date long past', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, {}, 0],
    ['the body', {}, { error: { message: 'x', details: [{ retryDelay: '36.5s' }] } }, 36_500],
    ['nothing', {}, {}, undefined],
    ['nonsense', { 'retry-after': 'soon' }, {}, undefined],
  ])('the wait is read from %s', (_, headers, body, retryAfterMs) => {
    expect(mapped(apiError(429, body, { headers })).facts.retryAfterMs).toBe(retryAfterMs)
  })

  test('a date to come is a wait', () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    const wait = mapped(apiError(429, {}, { headers: { 'retry-after': inAMinute } })).facts.retryAfterMs
    expect(wait).toBeGreaterThan(50_000)
    expect(wait).toBeLessThanOrEqual(60_000)
  })

  test.each<[number, unknown, boolean]>([
    [401, {}, false],
    [400, {}, false],
    [429, {}, true],
    [429, { error: { message: 'pay', code: 'insufficient_quota' } }, false],
    [500, {}, true],
    [529, {}, true],
  ])('status %i with %j is worth retrying: %s', (status, body, isRetryable) => {
    expect(mapped(apiError(status, body)).facts.isRetryable).toBe(isRetryable)
  })

  test('provider, model and address are there; keys and headers are not', () => {
    const error = mapped(apiError(500, { error: { message: 'x' } }))
    expect(error.facts).toEqual({
      provider: 'acme.chat',
      modelId: 'm-1',
      status: 500,
      url: 'https://api.example.org/v1/chat',
      isRetryable: true,
    })
    expect(JSON.stringify([error.message, error.facts])).not.toContain('secret')
  })

  test('the cause is the provider’s own error', () => {
    const cause = apiError(500, {})
    expect(mapped(cause).cause).toBe(cause)
  })
})

describe('messages', () => {
  test.each<[string, unknown, string]>([
    ['OpenAI', { error: { message: 'the words' } }, 'the words'],
    ['Ollama', { error: 'the words' }, 'the words'],
    ['FastAPI', { detail: 'the words' }, 'the words'],
    ['vLLM', { object: 'error', message: 'the words' }, 'the words'],
    ['plain text', 'the words', 'the words'],
    ['nobody', '', 'status text'],
  ])('what the server says in the way of %s is told', (_, body, words) => {
    expect(mapped(apiError(400, body)).message).toContain(words)
  })

  test('a page is named and not quoted', () => {
    const { message } = mapped(apiError(404, '<!doctype html><body>Some words</body>'))
    expect(message).toContain('HTML')
    expect(message).toContain('base URL')
    expect(message).not.toContain('Some words')
  })

  test('a long answer is shortened', () => {
    expect(mapped(apiError(400, { error: { message: 'x'.repeat(10_000) } })).message.length).toBeLessThan(600)
  })

  test('a wait is told in seconds', () => {
    expect(mapped(apiError(429, {}, { headers: { 'retry-after': '12' } })).message).toContain('in 12 s')
  })
})

test('an error of ours passes unchanged', () => {
  const ours = new ModelError('stream-cut', 'cut')
  expect(toModelError(ours, model, true)).toBe(ours)
})

test('a document and a broken reply have their own errors', () => {
  expect(notAStream('application/json', model)).toMatchObject({ code: 'model-bad-response', facts: model })
  expect(notAStream('text/html', model).message).toContain('HTML')
  expect(brokenReply('interrupted', model)).toMatchObject({ code: 'stream-cut', facts: model })
  const malformed = brokenReply('MALFORMED_FUNCTION_CALL', model, 'No such call.')
  expect(malformed).toMatchObject({ message: expect.stringContaining('No such call'), facts: { isRetryable: false } })
  expect(brokenReply('OTHER', model)).toMatchObject({ code: 'model-failed', message: expect.stringContaining('OTHER') })
})
