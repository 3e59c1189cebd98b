import type { AssistantMessage, AssistantPart, StoredMessage, TurnEvent } from '@turnloop/core'
import { expect, test } from 'vitest'
import { TurnChunks } from '../src/turn-chunks.ts'

const live = { turnId: 't', at: 0, after: 0 }
let sequence = 0

function entry(message: StoredMessage, blocked = false): TurnEvent {
  sequence += 1
  return { type: 'message', sequence, at: 0, turnId: 't', message, ...(blocked && { blocked: { trigger: 'x' } }) }
}

function reply(...content: AssistantPart[]): AssistantMessage {
  return { id: 'm', role: 'assistant', createdAt: 0, content, stopReason: 'endTurn' }
}

const started: TurnEvent = { ...live, type: 'model-started', messageId: 'm', modelId: 'x' }
const delta = (text: string, partIndex = 0): TurnEvent => ({
  ...live,
  type: 'text-delta',
  messageId: 'm',
  partIndex,
  delta: text,
})

/** The types of the chunks that events make, text deltas with what they say. */
function told(...events: TurnEvent[]): string[] {
  const chunks = new TurnChunks()
  return events
    .flatMap((event) => chunks.take(event))
    .map((chunk) => (chunk.type === 'text-delta' ? chunk.delta : chunk.type))
}

test('what a hook has changed in a reply is said anew', () => {
  expect(told(started, delta('Secret'), entry(reply({ type: 'text', text: 'Nothing.' })))).toEqual([
    'start',
    'start-step',
    'text-start',
    'Secret',
    'reset-step',
    'text-start',
    'Nothing.',
    'text-end',
  ])
})

test('a reply that only goes on is not said twice', () => {
  expect(told(started, delta('Half'), entry(reply({ type: 'text', text: 'Half of it' })))).toEqual([
    'start',
    'start-step',
    'text-start',
    'Half',
    ' of it',
    'text-end',
  ])
})

test('text that was taken back is gone at once', () => {
  const retracted: TurnEvent = { ...live, type: 'content-retracted', messageId: 'm' }

  expect(told(started, delta('Secret'), retracted).at(-1)).toBe('reset-step')
})

test('a reply that is blocked leaves nothing behind', () => {
  expect(told(started, delta('Secret'), entry(reply({ type: 'text', text: 'Secret' }), true)).at(-1)).toBe('reset-step')
})

test('a part of another kind in the place of one that was shown is said anew', () => {
  expect(told(started, delta('a'), entry(reply({ type: 'reasoning', text: 'a' })))).toContain('reset-step')
})

test('an answer to a call of an earlier turn is left out', () => {
  const answer: AssistantPart = { type: 'provider-result', callId: 'old', wireId: 'old', toolName: 'search', result: 1 }

  expect(told(started, entry(reply(answer, { type: 'text', text: 'a' })))).toEqual([
    'start',
    'start-step',
    'text-start',
    'a',
    'text-end',
  ])
})

test('a result that a hook has put in place of the own is told again', () => {
  const call: AssistantPart = { type: 'tool-call', callId: 'c', wireId: 'c', toolName: 'look', inputText: '{}' }
  const result = { content: [{ type: 'text', text: 'raw' }] } as const
  const changed = { content: [{ type: 'text', text: 'clean' }] } as const
  const chunks = new TurnChunks()
  const outputs = [
    started,
    entry(reply(call)),
    { type: 'tool-settled', sequence: 90, at: 0, turnId: 't', callId: 'c', toolName: 'look', status: 'ok', result },
    entry({ id: 'r', role: 'tool', createdAt: 0, calls: [{ callId: 'c', result: changed }] }),
  ] satisfies TurnEvent[]

  const shown = outputs
    .flatMap((event) => chunks.take(event))
    .flatMap((chunk) => ('output' in chunk ? [chunk.output] : []))

  expect(shown).toEqual(['raw', 'clean'])
})

test('a message that is gone on with starts again and repeats nothing', () => {
  const asked = entry({ id: 'u', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Go' }] })
  const chunks = new TurnChunks()

  chunks.skip([asked, started, entry(reply({ type: 'text', text: 'First.' }))])

  expect(chunks.take({ ...started, messageId: 'n' })).toEqual([
    { type: 'start', messageId: 'u:reply' },
    { type: 'start-step' },
  ])
})

test('what a turn says beside its reply reaches onData and no message', () => {
  const custom: TurnEvent = { ...live, type: 'custom', name: 'weather', data: { degrees: 20 } }

  expect(new TurnChunks().take(custom).at(-1)).toEqual({ type: 'data-weather', data: { degrees: 20 }, transient: true })
})
