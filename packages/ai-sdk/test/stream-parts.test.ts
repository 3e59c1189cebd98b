import type { ModelEvent } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { toStopReason, toUsage } from '../src/finish-part.ts'
import type { StreamPart } from '../src/spec-versions.ts'
import { toModelEvents } from '../src/stream-parts.ts'

describe('parts', () => {
  test.each<[string, StreamPart, Partial<ModelEvent>[]]>([
    ['metadata of the reply', { type: 'response-metadata', modelId: 'm' }, [{ type: 'started', modelId: 'm' }]],
    ['text', { type: 'text-delta', id: '1', delta: 'a' }, [{ type: 'text-delta', id: '1', delta: 'a' }]],
    [
      'the signature at the end of reasoning',
      { type: 'reasoning-end', id: '1', providerMetadata: { anthropic: { signature: 's' } } },
      [{ type: 'reasoning-end', id: '1', providerMetadata: { anthropic: { signature: 's' } } }],
    ],
    [
      'a whole call',
      { type: 'tool-call', toolCallId: 'c', toolName: 'a', input: '{"x":1}', dynamic: true },
      [{ type: 'tool-call', id: 'c', toolName: 'a', inputText: '{"x":1}', dynamic: true }],
    ],
    [
      'a result of the provider',
      { type: 'tool-result', toolCallId: 'c', toolName: 'a', result: { x: 1 }, isError: true },
      [{ type: 'provider-result', id: 'c', toolName: 'a', result: { x: 1 }, isError: true }],
    ],
    [
      'an approval the provider asks for',
      { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'c' },
      [{ type: 'provider-approval', approvalId: 'p', id: 'c' }],
    ],
    [
      'a source',
      { type: 'source', sourceType: 'url', id: '1', url: 'https://example.org' },
      [{ type: 'source', sourceType: 'url', id: '1', url: 'https://example.org' }],
    ],
    ['a custom part', { type: 'custom', kind: 'a.b' }, [{ type: 'custom', kind: 'a.b' }]],
    ['an error', { type: 'error', error: 'x' }, [{ type: 'error', error: 'x' }]],
  ])('%s is passed on', (_, part, events) => {
    expect(toModelEvents(part)).toEqual(events)
  })

  test.each<[string, StreamPart]>([
    ['a ping', { type: 'ping' }],
    ['a raw chunk', { type: 'raw', rawValue: {} }],
    ['a preliminary result', { type: 'tool-result', toolCallId: 'c', toolName: 'a', result: 1, preliminary: true }],
    // A kind that no version has yet.
    ['a part of a new kind', { type: 'hologram' } as unknown as StreamPart],
  ])('%s only tells that the server is at work', (_, part) => {
    expect(toModelEvents(part)).toEqual([{ type: 'ping' }])
  })

  test('the start of a stream without warnings tells nothing', () => {
    expect(toModelEvents({ type: 'stream-start', warnings: [] })).toEqual([])
  })

  test.each<[string, StreamPart, Partial<ModelEvent>]>([
    ['v2 bytes', { type: 'file', mediaType: 'a/b', data: new Uint8Array([104, 105]) }, { data: { base64: 'aGk=' } }],
    ['v3 text', { type: 'file', mediaType: 'a/b', data: 'aGk=' }, { data: { base64: 'aGk=' } }],
    ['v4 data', { type: 'file', mediaType: 'a/b', data: { type: 'data', data: 'aGk=' } }, { data: { base64: 'aGk=' } }],
    [
      'v4 address',
      { type: 'file', mediaType: 'a/b', data: { type: 'url', url: new URL('https://example.org/a') } },
      { data: { url: 'https://example.org/a' } },
    ],
    [
      'reasoning',
      { type: 'reasoning-file', mediaType: 'a/b', data: { type: 'data', data: 'aGk=' } },
      { data: { base64: 'aGk=' }, reasoning: true },
    ],
  ])('a file of %s becomes plain data', (_, part, file) => {
    expect(toModelEvents(part)).toEqual([{ type: 'file', mediaType: 'a/b', ...file }])
  })

  test('a large file is encoded whole', () => {
    const [event] = toModelEvents({ type: 'file', mediaType: 'a/b', data: new Uint8Array(200_000) })
    expect(event).toMatchObject({ data: { base64: `${'A'.repeat(266_667)}=` } })
  })

  test('parsed arguments become text', () => {
    // Against the contract, and seen in models that run in the page.
    const part = { type: 'tool-call', toolCallId: 'c', toolName: 'a', input: { x: 1 } } as unknown as StreamPart
    expect(toModelEvents(part)).toMatchObject([{ inputText: '{"x":1}' }])
  })

  test('warnings of each version are told in words, equal ones once', () => {
    const warnings: Extract<StreamPart, { type: 'stream-start' }>['warnings'][number][] = [
      { type: 'unsupported', feature: 'topK' },
      { type: 'unsupported', feature: 'topK' },
      { type: 'unsupported-setting', setting: 'seed', details: 'never' },
      { type: 'unsupported-tool', tool: { type: 'function', name: 'a', inputSchema: {} } },
      { type: 'deprecated', setting: 'x', message: 'use y' },
      { type: 'other', message: 'free text' },
    ]
    // The union of the versions' parts has one array type each; this mixes them to test all at once.
    const part = { type: 'stream-start', warnings } as StreamPart
    expect(toModelEvents(part).map((event) => event.type === 'warning' && event.message)).toEqual([
      'unsupported: topK',
      'unsupported-setting: seed (never)',
      'unsupported-tool: a',
      'deprecated: x (use y)',
      'free text',
    ])
  })
})

describe('finish', () => {
  test.each([
    ['stop', 'endTurn'],
    ['length', 'maxTokens'],
    ['content-filter', 'safety'],
    ['tool-calls', 'toolUse'],
    ['error', 'error'],
    ['other', 'other'],
    ['unknown', 'other'],
  ] as const)('the v2 word %s is %s', (word, stopReason) => {
    expect(toStopReason(word)).toEqual({ stopReason, rawStopReason: word })
  })

  test.each([
    ['stop', 'end_turn', 'endTurn'],
    ['stop', 'pause_turn', 'pause'],
    ['stop', 'stop_sequence', 'stopSequence'],
    ['tool-calls', 'stop_sequence', 'toolUse'],
    ['length', 'max_tokens', 'maxTokens'],
    ['content-filter', 'refusal', 'safety'],
    ['interrupted', undefined, 'error'],
    ['other', 'compaction', 'other'],
  ] as const)('the word %s with %s is %s', (unified, raw, stopReason) => {
    expect(toStopReason({ unified, raw })).toEqual({ stopReason, rawStopReason: raw ?? unified })
  })

  test('a word that is not known yet is other', () => {
    // Beyond what the type allows today.
    const unified = 'constructor' as 'stop'
    expect(toStopReason({ unified, raw: undefined }).stopReason).toBe('other')
  })

  test('flat counts are taken as they are', () => {
    const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 9, reasoningTokens: 2, cachedInputTokens: 1 }
    expect(toUsage(usage)).toEqual(usage)
  })

  test('nested counts are made flat and summed', () => {
    const usage = {
      inputTokens: { total: 3, noCache: 1, cacheRead: 2, cacheWrite: 0 },
      outputTokens: { total: 4, text: 3, reasoning: 1 },
    }
    expect(toUsage(usage)).toEqual({
      inputTokens: 3,
      outputTokens: 4,
      totalTokens: 7,
      cachedInputTokens: 2,
      cacheWriteTokens: 0,
      reasoningTokens: 1,
    })
  })

  test('what was not counted is absent', () => {
    const unknown = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
    const output = { total: 4, text: undefined, reasoning: undefined }
    expect(toUsage({ inputTokens: unknown, outputTokens: output })).toEqual({ outputTokens: 4 })
    expect(toUsage({ inputTokens: undefined, outputTokens: undefined, totalTokens: undefined })).toBeUndefined()
    expect(toUsage(undefined)).toBeUndefined()
  })
})
