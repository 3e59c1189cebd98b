import {
  type AssistantMessage,
  type AssistantPart,
  type Message,
  reconcileHistory,
  type ToolMessage,
} from '@turnloop/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SoundHistory } from '../src/sound-history.ts'

const signature = { providerMetadata: { anthropic: { signature: 's' } } }

const ids = fc.nat(60)
const callIds = fc.integer({ min: 1, max: 40 }).map((id) => `c${id}`)

const call = callIds.map((callId): AssistantPart => asked(callId))
const parts: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc.constantFrom<AssistantPart>(
    { type: 'text', text: 'Well.' },
    { type: 'text', text: ' \n' },
    { type: 'text', text: '', ...signature },
    { type: 'reasoning', text: 'Hm.', ...signature },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' },
    { type: 'provider-approval', id: 'p', callId: 'c1' },
  ),
  call,
  callIds.map((callId): AssistantPart => ({ ...asked(callId), providerExecuted: true })),
  callIds.map((callId): AssistantPart => ({ ...answer(callId), type: 'provider-result', wireId: callId, result: [] })),
)

const replies = fc.record({
  id: ids,
  content: fc.array(parts, { maxLength: 4 }),
  stopReason: fc.constantFrom<AssistantMessage['stopReason'][]>('toolUse', 'endTurn', 'pause', 'maxTokens'),
  answers: fc.constantFrom('all', 'all', 'all', 'none', 'turned', 'first'),
})

const exchange = fc.oneof(
  ids.map((id): Message[] => [{ id: `u${id}`, role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Go.' }] }]),
  fc.tuple(ids, fc.array(callIds, { maxLength: 2 })).map(([id, calls]): Message[] => [toolMessage(`t${id}`, calls)]),
  replies.map(({ id, answers, ...given }): Message[] => {
    const reply: Message = { id: `a${id}`, role: 'assistant', createdAt: 0, ...given }
    const calls = given.content.flatMap((part) =>
      part.type === 'tool-call' && !part.providerExecuted ? [part.callId] : [],
    )
    if (answers === 'none' || calls.length === 0) return [reply]
    const answered = answers === 'turned' ? calls.toReversed() : answers === 'first' ? calls.slice(0, 1) : calls
    return [reply, toolMessage(`t${id}`, answered)]
  }),
)

function asked(callId: string): Extract<AssistantPart, { type: 'tool-call' }> {
  return { type: 'tool-call', callId, wireId: callId, toolName: 'sum', inputText: '{}' }
}

function answer(callId: string): { callId: string; toolName: string } {
  return { callId, toolName: 'sum' }
}

function toolMessage(id: string, calls: readonly string[]): ToolMessage {
  const result = { content: [{ type: 'text' as const, text: '6' }] }
  return {
    id,
    role: 'tool',
    createdAt: 0,
    results: calls.map((callId) => ({ ...answer(callId), status: 'ok', result })),
  }
}

test('at every step it is what reconcileHistory makes of the whole', () => {
  fc.assert(
    fc.property(fc.array(exchange, { maxLength: 8 }), fc.nat(12), (exchanges, start) => {
      const messages = exchanges.flat()
      const history = new SoundHistory(messages.slice(0, start))
      for (let end = Math.min(start, messages.length); ; end += 1) {
        expect(history.messages).toEqual(reconcileHistory(messages.slice(0, end)).messages)
        const next = messages[end]
        if (next === undefined) return
        history.add(next)
      }
    }),
    { numRuns: 2000 },
  )
})

test('a history that is sound keeps its messages, and its reply its open calls', () => {
  const user: Message = { id: 'u', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Go.' }] }
  const reply: Message = { id: 'a', role: 'assistant', createdAt: 0, content: [asked('c1')], stopReason: 'toolUse' }
  const history = new SoundHistory([user])
  history.add(reply)
  const unanswered = history.unanswered()
  expect(history.messages).toHaveLength(3)
  const results = toolMessage('t', ['c1'])
  history.add(results)
  expect(unanswered()).toEqual([user, reply])
  expect(history.messages.map((message, index) => message === [user, reply, results][index])).toEqual([
    true,
    true,
    true,
  ])
})

test('blank text in a reply does not make later steps look at earlier messages', () => {
  const history = new SoundHistory()
  let looks = 0
  for (let step = 0; step < 20; step += 1) {
    const content: AssistantPart[] = [{ type: 'text', text: '\n' }, asked(`c${step}`)]
    const reply: Message = { id: `a${step}`, role: 'assistant', createdAt: 0, stopReason: 'toolUse', content }
    const counted = { ...reply }
    Object.defineProperty(counted, 'content', {
      get: () => {
        looks += 1
        return content
      },
    })
    history.add(counted)
    history.add(toolMessage(`t${step}`, [`c${step}`]))
    expect(history.messages).toHaveLength(2 * step + 2)
  }
  expect(looks).toBeLessThan(20 * 20)
})
