import { fromUIMessages, toUIMessages } from '@turnloop/ai-sdk/ui'
import type { AssistantPart, ContentBlock, Message, ToolResult } from '@turnloop/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const word = fc.constantFrom('', 'a', 'Hello there', '{"a": 1}', 'naïve 🙂')
const id = fc.uuid()
const metadata = { providerMetadata: fc.constant({ acme: { signature: 'abc' } }) }
const json = fc.constantFrom<unknown>('text', 7, null, [1, 2], { a: 1 }, { result: 5 }, { content: [{ type: 'text' }] })

/** As JSON has them: with the prototype of objects. */
function plain<T>(shape: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) {
  return fc.record(shape, { noNullPrototype: true })
}

/** Records whose listed keys may be missing. */
function some<T, K extends keyof T>(shape: { [Key in keyof T]: fc.Arbitrary<T[Key]> }, requiredKeys: K[]) {
  return fc.record(shape, { requiredKeys, noNullPrototype: true })
}

const data = fc.oneof(
  plain({ base64: fc.constant('aGk=') }),
  plain({ url: fc.constantFrom('https://example.org/a.png', 'data:text/plain;base64,aGk=', '') }),
  plain({ blob: fc.constant('f00d'), byteLength: fc.nat() }),
)
const file = some(
  {
    type: fc.constant('file' as const),
    mediaType: fc.constantFrom('image/png', 'text/plain'),
    data,
    filename: word,
    reasoning: fc.constant(true as const),
    ...metadata,
  },
  ['type', 'mediaType', 'data'],
)
const text = some({ type: fc.constantFrom('text' as const, 'reasoning' as const), text: word, ...metadata }, [
  'type',
  'text',
])
const source = some(
  {
    type: fc.constant('source' as const),
    sourceType: fc.constantFrom('url' as const, 'document' as const),
    id: word,
    url: word,
    title: word,
    mediaType: word,
    filename: word,
    ...metadata,
  },
  ['type', 'sourceType', 'id'],
)
const custom = some({ type: fc.constant('custom' as const), kind: fc.constantFrom('a.b', 'odd'), ...metadata }, [
  'type',
  'kind',
])
const callId = fc.constantFrom('call-1', 'call-2', 'call-3')
const call = some(
  {
    type: fc.constant('tool-call' as const),
    callId,
    wireId: fc.constantFrom('call-1', 'wire'),
    toolName: fc.constantFrom('weather', 'pay-now'),
    inputText: fc.constantFrom('{}', '', '{"city": "Paris"}', '{"city":"Paris"}', '{"cut', '"text"', '7'),
    providerExecuted: fc.constant(true as const),
    dynamic: fc.constant(true as const),
    ...metadata,
  },
  ['type', 'callId', 'wireId', 'toolName', 'inputText'],
)
const ofProvider = some(
  {
    type: fc.constant('provider-result' as const),
    callId,
    wireId: fc.constantFrom('call-1', 'wire'),
    toolName: fc.constant('weather'),
    result: json,
    isError: fc.constant(true as const),
    ...metadata,
  },
  ['type', 'callId', 'wireId', 'toolName', 'result'],
)
const question = some({ type: fc.constant('provider-approval' as const), id, callId, ...metadata }, [
  'type',
  'id',
  'callId',
])

const block = fc.oneof(
  plain({ type: fc.constant('text' as const), text: word }),
  plain({ type: fc.constant('image' as const), data: fc.constant('aGk='), mimeType: fc.constant('image/png') }),
) as fc.Arbitrary<ContentBlock>
const result = some(
  {
    callId,
    toolName: fc.constantFrom('weather', 'pay-now'),
    status: fc.constantFrom<ToolResult['status'][]>('ok', 'error', 'denied', 'cancelled', 'unknown', 'not-run'),
    result: some(
      {
        content: fc.array(block, { maxLength: 2 }),
        structuredContent: fc.constantFrom({ a: 1 }, { result: 5 }),
        isError: fc.boolean(),
      },
      ['content'],
    ),
    startedAt: fc.nat(),
    durationMs: fc.nat(),
  },
  ['callId', 'toolName', 'status', 'result'],
)
const part = fc.oneof(text, file, source, custom, call, ofProvider, question) as fc.Arbitrary<AssistantPart>

const assistant = some(
  {
    id,
    role: fc.constant('assistant' as const),
    createdAt: fc.nat(),
    content: fc.array(part, { maxLength: 5 }),
    stopReason: fc.constantFrom('endTurn' as const, 'toolUse' as const, 'maxTokens' as const),
    rawStopReason: word,
    usage: fc.constant({ inputTokens: 1, outputTokens: 2 }),
    modelId: word,
    partial: fc.constant(true as const),
    missingCall: fc.constant(true as const),
    ...metadata,
  },
  ['id', 'role', 'createdAt', 'content', 'stopReason'],
)
const user = some(
  {
    id,
    role: fc.constant('user' as const),
    createdAt: fc.nat(),
    content: fc.array(
      fc.oneof(
        file,
        text.filter(({ type }) => type === 'text'),
      ),
      { maxLength: 3 },
    ),
    synthetic: fc.constantFrom('nudge' as const, 'summary' as const),
  },
  ['id', 'role', 'createdAt', 'content'],
)
const tools = plain({
  id,
  role: fc.constant('tool' as const),
  createdAt: fc.nat(),
  results: fc.array(result, { maxLength: 3 }),
})
const transcript = fc.array(fc.oneof(user, assistant, tools), { maxLength: 8 }) as unknown as fc.Arbitrary<Message[]>

test('any transcript comes back from its UI messages as it was', () => {
  fc.assert(
    fc.property(transcript, (messages) => {
      expect(fromUIMessages(toUIMessages(messages))).toStrictEqual(messages)
    }),
    { numRuns: 300 },
  )
})

test('any transcript survives a trip of its UI messages through JSON', () => {
  fc.assert(
    fc.property(transcript, (messages) => {
      const sent = JSON.parse(JSON.stringify(toUIMessages(messages)))
      expect(fromUIMessages(sent)).toEqual(JSON.parse(JSON.stringify(messages)))
    }),
    { numRuns: 100 },
  )
})
