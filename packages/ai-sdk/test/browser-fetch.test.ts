import { afterEach, expect, test, vi } from 'vitest'
import { browserFetch } from '../src/browser-fetch.ts'

const calls: { input: unknown; init: RequestInit | undefined }[] = []

function stubFetch(): void {
  vi.stubGlobal('fetch', async (input: unknown, init?: RequestInit) => {
    calls.push({ input, init })
    return new Response('ok')
  })
}

afterEach(() => {
  calls.length = 0
  vi.unstubAllGlobals()
})

/** The headers of the call that was made last. */
function sent(): Record<string, string> {
  return Object.fromEntries(new Headers(calls.at(-1)?.init?.headers))
}

test.each([
  ['an object', { 'User-Agent': 'ai-sdk', 'x-key': '1' }],
  ['a list', [['user-agent', 'ai-sdk'] as [string, string], ['x-key', '1'] as [string, string]]],
  ['Headers', new Headers({ 'user-agent': 'ai-sdk', 'x-key': '1' })],
])('the user-agent header is taken out of %s', async (_, headers) => {
  stubFetch()
  await browserFetch('https://example.org', { method: 'POST', headers })
  expect(sent()).toEqual({ 'x-key': '1' })
  expect(calls[0]?.init?.method).toBe('POST')
})

test('the headers of a request object are cleaned too', async () => {
  stubFetch()
  await browserFetch(new Request('https://example.org', { headers: { 'user-agent': 'a', 'x-key': '1' } }))
  expect(sent()).toEqual({ 'x-key': '1' })
})

test('a call without headers passes unchanged', async () => {
  stubFetch()
  const init = { method: 'GET' }
  const answer = await browserFetch('https://example.org', init)
  expect(calls).toEqual([{ input: 'https://example.org', init }])
  expect(await answer.text()).toBe('ok')
})
