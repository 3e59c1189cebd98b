import type { AssistantMessage, Outcome, StopReason } from '@turnloop/core'
import { expect, test } from 'vitest'
import { endChunks } from '../src/end-chunks.ts'

const rollback = { status: 'unchanged', messagesBefore: 1, messagesAfter: 1 } as const
const error = { name: 'ModelError', code: 'model-failed', message: 'The server is down.' } as const

test.each<[Outcome, object]>([
  [
    { kind: 'completed', truncated: true },
    { type: 'finish', finishReason: 'length' },
  ],
  [
    { kind: 'awaiting', pending: [] },
    { type: 'finish', finishReason: 'tool-calls' },
  ],
  [
    { kind: 'max-iterations', maxIterations: 2 },
    { type: 'finish', finishReason: 'tool-calls' },
  ],
  [
    { kind: 'no-progress', reason: 'output-limit' },
    { type: 'finish', finishReason: 'length' },
  ],
  [
    { kind: 'no-progress', reason: 'repeated-call' },
    { type: 'finish', finishReason: 'other' },
  ],
  [
    { kind: 'interrupted', rollback },
    { type: 'finish', finishReason: 'interrupted' },
  ],
  [
    { kind: 'cancelled', reason: 'enough', rollback },
    { type: 'abort', reason: 'enough' },
  ],
  [{ kind: 'cancelled', reason: { name: 'AbortError', message: 'x' }, rollback }, { type: 'abort' }],
  [
    { kind: 'blocked', source: 'model' },
    { type: 'finish', finishReason: 'content-filter' },
  ],
  [
    { kind: 'blocked', source: 'guardrail', message: 'Not that.' },
    { type: 'error', errorText: 'Not that.' },
  ],
  [
    { kind: 'blocked', source: 'guardrail', trigger: 'pii' },
    { type: 'error', errorText: 'Blocked: pii.' },
  ],
  [
    { kind: 'failed', error },
    { type: 'error', errorText: 'The server is down.' },
  ],
])('the outcome %j ends a stream with %j', (outcome, chunk) => {
  const chunks = endChunks(outcome, undefined)

  expect(chunks).toHaveLength(1)
  expect(chunks[0]).toMatchObject(chunk)
})

test.each<[StopReason, string]>([
  ['endTurn', 'stop'],
  ['toolUse', 'tool-calls'],
  ['maxTokens', 'length'],
  ['safety', 'content-filter'],
  ['error', 'error'],
  ['pause', 'other'],
])('a completed turn whose reply ended with %s finishes with %s', (stopReason, finishReason) => {
  const reply: AssistantMessage = { id: 'm', role: 'assistant', createdAt: 0, content: [], stopReason }

  expect(endChunks({ kind: 'completed' }, reply)).toEqual([{ type: 'finish', finishReason }])
})

test('room that ran out is told in tokens', () => {
  const [chunk] = endChunks({ kind: 'context-full', usedTokens: 9, windowTokens: 8 }, undefined)

  expect(chunk).toMatchObject({ type: 'error', errorText: expect.stringContaining('9 of 8 tokens') })
})
