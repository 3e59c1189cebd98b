import type { CallToolResult } from '@turnloop/core'
import { expect, test } from 'vitest'
import { toToolOutput } from '../src/tool-output.ts'
import { answer } from './support/conversation.ts'

const text = (value: string) => ({ type: 'text' as const, text: value })
const picture = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }

test.each<[string, CallToolResult, unknown]>([
  ['text blocks are joined by line', { content: [text('a'), text('b')] }, { type: 'text', value: 'a\nb' }],
  ['no content is empty text', { content: [] }, { type: 'text', value: '' }],
  [
    'structured content that the text repeats is JSON',
    { content: [text('{"a":1}')], structuredContent: { a: 1 } },
    { type: 'json', value: { a: 1 } },
  ],
  ['structured content alone is JSON', { content: [], structuredContent: { a: 1 } }, { type: 'json', value: { a: 1 } }],
  [
    'text that says more than the structured content goes first',
    { content: [text('one row')], structuredContent: { a: 1 } },
    { type: 'text', value: 'one row' },
  ],
  [
    'a link is told by name and address',
    { content: [{ type: 'resource_link', uri: 'file:///a', name: 'a' }] },
    { type: 'text', value: 'a\nfile:///a' },
  ],
  [
    'a text resource is its text',
    { content: [{ type: 'resource', resource: { uri: 'file:///a', text: 'hello' } }] },
    { type: 'text', value: 'hello' },
  ],
])('%s', (_, result, output) => {
  expect(toToolOutput(answer('a', result), true)).toEqual(output)
})

test.each(['error', 'denied', 'cancelled', 'unknown', 'not-run'] as const)('status %s is an error', (status) => {
  expect(toToolOutput(answer('a', 'why', status), true)).toEqual({ type: 'error-text', value: 'why' })
})

test('an answer that says it is an error is one', () => {
  const result = { content: [], structuredContent: { code: 7 }, isError: true }
  expect(toToolOutput(answer('a', result), true)).toEqual({ type: 'error-json', value: { code: 7 } })
})

test('pictures go as files beside the text', () => {
  const result: CallToolResult = {
    content: [text('seen'), picture, { type: 'resource', resource: { uri: 'file:///a', blob: 'BBBB' } }],
  }
  expect(toToolOutput(answer('a', result), true)).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: 'seen' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
      { type: 'file', mediaType: 'application/octet-stream', data: { type: 'data', data: 'BBBB' } },
    ],
  })
})

test('a note stands in for a picture where files are not taken', () => {
  const output = toToolOutput(answer('a', { content: [picture] }), false)
  expect(output).toEqual({ type: 'text', value: expect.stringContaining('image/png') })
  expect(JSON.stringify(output)).not.toContain('AAAA')
})
