import { type AssistantPart, type Message, reconcileHistory, type ToolMessage } from '@turnloop/core'
import { checkHistory } from '@turnloop/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'

type Kind = 'text' | 'blank' | 'empty' | 'signed' | 'unsigned' | 'source' | 'call' | 'search' | 'found'

const kinds = fc.array(
  fc.constantFrom<Kind[]>('text', 'blank', 'empty', 'signed', 'unsigned', 'source', 'call', 'search', 'found'),
  {
    maxLength: 4,
  },
)
const replies = fc.record({ kinds, partial: fc.boolean(), isCut: fc.boolean() })

/** What a log of ours may hold at worst: ids are unique, and anything else may be missing, doubled or cut. */
const damaged = fc
  .tuple(fc.array(replies, { minLength: 1, maxLength: 4 }), fc.array(fc.tuple(fc.nat(), fc.nat(3)), { maxLength: 3 }))
  .map(([given, blows]) => blows.reduce(strike, given.flatMap(exchange)))

function exchange(given: { kinds: Kind[]; partial: boolean; isCut: boolean }, turn: number): Message[] {
  const content = given.kinds.map((kind, place) =>
    part(kind, `${turn}-${place}`, `${turn}-${given.kinds.indexOf('search')}`),
  )
  const calls = content.filter((inner) => inner.type === 'tool-call' && !inner.providerExecuted)
  const results = calls.map((call) => ({
    ...{ callId: 'callId' in call ? call.callId : '', toolName: 'sum', status: 'ok' as const },
    ...{ result: { content: [{ type: 'text' as const, text: '6' }] } },
  }))
  const answers: ToolMessage[] = results.length > 0 ? [{ id: `t${turn}`, role: 'tool', createdAt: 0, results }] : []
  const stopReason = given.isCut ? 'maxTokens' : calls.length > 0 ? 'toolUse' : 'endTurn'
  return [
    { id: `u${turn}`, role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Go on.' }] },
    { id: `a${turn}`, role: 'assistant', createdAt: 0, content, stopReason, ...(given.partial && { partial: true }) },
    ...answers,
  ]
}

function part(kind: Kind, id: string, searchId: string): AssistantPart {
  const signature = { providerMetadata: { anthropic: { signature: 's' } } }
  const call = { type: 'tool-call', callId: id, wireId: id, inputText: '{}' } as const
  switch (kind) {
    case 'call':
      return { ...call, toolName: 'sum' }
    case 'search':
      return { ...call, toolName: 'web_search', providerExecuted: true }
    case 'found':
      return { type: 'provider-result', callId: searchId, wireId: searchId, toolName: 'web_search', result: [] }
    case 'source':
      return { type: 'source', sourceType: 'url', id, url: 'https://example.org' }
    case 'signed':
    case 'unsigned':
      return { type: 'reasoning', text: 'Hm.', ...(kind === 'signed' && signature) }
    default:
      return { type: 'text', text: { text: 'Well.', blank: '\n', empty: '' }[kind] }
  }
}

/** One blow: a message is lost, doubled, moved to the end, or loses its first result. */
function strike(messages: Message[], [where, how]: [number, number]): Message[] {
  const at = 1 + (where % Math.max(1, messages.length - 1))
  const message = messages[at]
  if (message === undefined) return messages
  if (how === 0) return messages.toSpliced(at, 1)
  if (how === 1) return messages.toSpliced(at, 0, message)
  if (how === 2) return [...messages.toSpliced(at, 1), message]
  return message.role === 'tool' ? messages.with(at, { ...message, results: message.results.slice(1) }) : messages
}

const last: Message = { id: 'last', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'And now?' }] }

test('whatever reconcileHistory gives back, every provider takes', () => {
  fc.assert(
    fc.property(damaged, (messages) => {
      const healed = reconcileHistory([...messages, last]).messages
      expect(checkHistory(healed, { request: true }).problems).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('healing a healed history changes nothing', () => {
  fc.assert(
    fc.property(damaged, (messages) => {
      const healed = reconcileHistory([...messages, last]).messages
      expect(reconcileHistory(healed)).toEqual({ messages: healed, report: [] })
    }),
    { numRuns: 500 },
  )
})

test('a doubled tool message lends its id to no other answers', () => {
  const call = { partial: false, isCut: false, kinds: ['call' as const] }
  const [first, second] = [exchange(call, 0), exchange(call, 1)]
  const messages = [...first, ...second.slice(0, -1), ...first.slice(-1), last]
  expect(checkHistory(reconcileHistory(messages).messages, { request: true }).problems).toEqual([])
})
