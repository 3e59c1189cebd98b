import { type AssistantPart, type Message, reconcileHistory, type ToolResult } from '@turnloop/core'
import { checkHistory } from '@turnloop/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/** What one exchange holds: how many calls, which provider parts, and how it ended. */
const exchange = fc.record({
  calls: fc.nat(3),
  parts: fc.array(fc.constantFrom('text', 'signed', 'unsigned', 'search', 'found', 'source', 'file'), { maxLength: 4 }),
  stopReason: fc.constantFrom('toolUse' as const, 'endTurn' as const, 'maxTokens' as const, 'cancelled' as const),
  partial: fc.boolean(),
  nudged: fc.boolean(),
})

type Exchange = typeof exchange extends fc.Arbitrary<infer T> ? T : never

/** One blow: which message it hits, which of its parts, and how. */
const blow = fc.record({
  message: fc.nat(),
  part: fc.nat(),
  how: fc.constantFrom(
    'delete',
    'double',
    'move',
    'cut',
    'delete part',
    'double part',
    'move part',
    'cut parts',
    'swap',
  ),
})

type Blow = typeof blow extends fc.Arbitrary<infer T> ? T : never

function write(given: Exchange, turn: number): Message[] {
  const ids = Array.from({ length: given.calls }, (_value, index) => `c${turn}-${index}`)
  const calls = ids.map((id): AssistantPart => ({ ...callOf(id), toolName: 'sum' }))
  const content = [...given.parts.map((kind, index) => partOf(kind, `p${turn}-${index}`, `p${turn}-0`)), ...calls]
  const results = ids.map((callId): ToolResult => ({ callId, toolName: 'sum', status: 'ok', result: { content: [] } }))
  const { stopReason, partial } = given
  return [
    { id: `u${turn}`, role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Go on.' }] },
    {
      id: `a${turn}`,
      role: 'assistant',
      createdAt: 0,
      content,
      stopReason,
      ...(partial && { partial: true as const }),
    },
    ...(results.length > 0 ? [{ id: `t${turn}`, role: 'tool' as const, createdAt: 0, results }] : []),
    ...(given.nudged ? [nudge(turn)] : []),
  ]
}

function nudge(turn: number): Message {
  return { id: `n${turn}`, role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Now.' }], synthetic: 'nudge' }
}

function callOf(id: string) {
  return { type: 'tool-call', callId: id, wireId: id, inputText: '{}' } as const
}

function partOf(kind: string, id: string, searchId: string): AssistantPart {
  const providerMetadata = { test: { signature: 's' } }
  if (kind === 'search') return { ...callOf(id), toolName: 'search', providerExecuted: true }
  if (kind === 'found')
    return { type: 'provider-result', callId: searchId, wireId: searchId, toolName: 'search', result: [] }
  if (kind === 'source') return { type: 'source', sourceType: 'url', id, url: 'https://example.org' }
  if (kind === 'file') return { type: 'file', mediaType: 'image/png', data: { base64: 'AA==' } }
  if (kind === 'signed') return { type: 'reasoning', text: 'Hm.', providerMetadata }
  return kind === 'unsigned' ? { type: 'reasoning', text: 'Hm.' } : { type: 'text', text: 'Well.' }
}

/** The first message stays: a history begins with a person. */
function strike(messages: Message[], { message: where, part, how }: Blow): Message[] {
  const at = 1 + (where % Math.max(1, messages.length - 1))
  const message = messages[at]
  if (message === undefined) return messages
  if (how === 'delete') return messages.toSpliced(at, 1)
  if (how === 'double') return messages.toSpliced(at, 0, message)
  if (how === 'move') return messages.toSpliced(at, 1).toSpliced(1 + (part % messages.length), 0, message)
  if (how === 'cut') return messages.slice(0, at)
  if (how === 'swap') return messages.with(at, messages[1] ?? message).with(1, message)
  if (message.role === 'user') return messages
  if (message.role === 'tool') return messages.with(at, { ...message, results: hit(message.results, part, how) })
  return messages.with(at, { ...message, content: hit(message.content, part, how) })
}

function hit<T>(items: readonly T[], where: number, how: string): T[] {
  const at = where % Math.max(1, items.length)
  const item = items[at]
  if (item === undefined) return [...items]
  if (how === 'delete part') return items.toSpliced(at, 1)
  if (how === 'double part') return items.toSpliced(at, 0, item)
  if (how === 'cut parts') return items.slice(0, at)
  return [...items.toSpliced(at, 1), item]
}

const damaged = fc
  .tuple(fc.array(exchange, { minLength: 1, maxLength: 4 }), fc.array(blow, { maxLength: 5 }))
  .map(([exchanges, blows]) => blows.reduce(strike, exchanges.flatMap(write)))

const last: Message = { id: 'last', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'And now?' }] }

test('a history damaged in its messages and parts becomes one that every provider takes', () => {
  fc.assert(
    fc.property(damaged, (messages) => {
      const healed = reconcileHistory([...messages, last]).messages
      expect(checkHistory(healed, { request: true }).problems).toEqual([])
    }),
    { numRuns: 600 },
  )
})

test('healing a damaged history once is enough', () => {
  fc.assert(
    fc.property(damaged, (messages) => {
      const once = reconcileHistory(messages).messages
      expect(reconcileHistory(once)).toEqual({ messages: once, report: [] })
    }),
    { numRuns: 600 },
  )
})

test('healing keeps every word of every person, in order, and edits nothing it is given', () => {
  fc.assert(
    fc.property(damaged, (messages) => {
      const before = structuredClone(messages)
      const { messages: healed } = reconcileHistory(messages)
      const said = (all: readonly Message[]): string[] => [
        ...new Set(all.flatMap((message) => (message.role === 'user' ? [message.id] : []))),
      ]
      expect(said(healed)).toEqual(said(messages))
      expect(messages).toEqual(before)
    }),
    { numRuns: 300 },
  )
})
