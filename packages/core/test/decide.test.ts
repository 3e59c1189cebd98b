import { type AssistantMessage, createAgent, decide, type StopReason } from '@turnloop/core'
import { type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { TurnFold } from '../src/turn-fold.ts'
import { echo, outline, say } from './loop-setup.ts'

const call = { type: 'tool-call', callId: 'c', wireId: 'c', toolName: 'echo', inputText: '{}' } as const

function reply(stopReason: StopReason, content: AssistantMessage['content'], missingCall = false): AssistantMessage {
  return { id: 'a', role: 'assistant', createdAt: 0, content, stopReason, ...(missingCall && { missingCall }) }
}

const text = [{ type: 'text', text: 'Hm.' }] as const
const replies: Record<string, [AssistantMessage, unknown]> = {
  'calls of a clean reply run': [reply('toolUse', [call]), { kind: 'tools' }],
  'an answer ends': [reply('endTurn', text), end('completed')],
  'a stop sequence ends': [reply('stopSequence', text), end('completed')],
  'an unknown word ends': [reply('other', text), end('completed')],
  'text cut by the limit ends': [reply('maxTokens', text), end('completed', { truncated: true })],
  'calls cut by the limit are tried again': [reply('maxTokens', [call]), { kind: 'again', why: 'length-cut' }],
  'a filter blocks': [reply('safety', text), end('blocked', { source: 'model' })],
  'a filter blocks calls too': [reply('safety', [call]), end('blocked', { source: 'model' })],
  'a pause goes on': [reply('pause', text), { kind: 'again', why: 'provider-pause' }],
  'an error fails': [reply('error', text), end('failed')],
  'a provider that cancelled has broken off': [reply('cancelled', text), end('failed')],
  'a provider that timed out has broken off': [reply('timeout', text), end('failed')],
  'nothing is asked for again': [reply('endTurn', []), { kind: 'again', why: 'empty-reply' }],
  'white space is nothing': [reply('endTurn', [{ type: 'text', text: '\n' }]), { kind: 'again', why: 'empty-reply' }],
  'an announced call is asked for': [reply('other', text, true), { kind: 'again', why: 'missing-call' }],
}

/** The counts of a turn that holds these replies. */
function counted(...replies: readonly AssistantMessage[]): TurnFold['counts'] {
  const fold = new TurnFold()
  for (const [index, message] of replies.entries()) fold.apply({ type: 'message', message, sequence: index + 1, at: 0 })
  return fold.counts
}

function end(kind: string, more: object = {}): unknown {
  return { kind: 'end', outcome: expect.objectContaining({ kind, ...more }) }
}

test.each(Object.entries(replies))('%s', (_name, [message, decision]) => {
  expect(decide(message, counted(message))).toEqual(decision)
})

describe('counts', () => {
  const cut = reply('maxTokens', [call])
  const pause = reply('pause', text)
  const empty = reply('endTurn', [])
  const tools = reply('toolUse', [call])

  test('are in a row although other fruitless replies come between', () => {
    expect(counted(cut, pause, cut, empty)).toMatchObject({
      lengthCutsInARow: 2,
      pausesInARow: 1,
      emptyInARow: 1,
    })
  })

  test('start again after tools have run', () => {
    expect(counted(cut, pause, empty, tools)).toMatchObject({
      lengthCutsInARow: 0,
      pausesInARow: 0,
      emptyInARow: 0,
    })
  })

  test('of missing calls are for the whole turn', () => {
    expect(counted(reply('other', text, true), tools, reply('other', text, true)).missingCalls).toBe(2)
  })
})

const cutCall: ScriptStep = { calls: [{ name: 'echo', inputText: '{"te' }], stopReason: 'maxTokens' }
const paused: ScriptStep = { text: 'Wait.', stopReason: 'pause' }

test.each<[string, ScriptStep[], string]>([
  ['pauses and empty replies', [paused, {}], 'failed'],
  ['cut calls and pauses', [cutCall, paused], 'no-progress'],
  ['cut calls and empty replies', [cutCall, {}], 'no-progress'],
  ['pauses alone', [paused], 'completed'],
  ['all of them', [{}, cutCall, paused], 'failed'],
])('a model that never gets anywhere is given up: %s', async (_name, steps, kind) => {
  const model = scriptedModel((_request, index) => {
    if (index > 50) throw new Error('still asking')
    return steps[index % steps.length] ?? ''
  })
  const { outcome } = await createAgent({ model, tools: [echo] })
    .turn('Go')
    .untilDone()
  expect(outcome.kind).toBe(kind)
  expect(model.requests.length).toBeLessThan(15)
})

test('an empty reply that carries metadata is followed by a question', async () => {
  const signed = { type: 'text-end', id: 't', providerMetadata: { google: { thoughtSignature: 's' } } } as const
  const events = [{ type: 'text-start', id: 't' }, signed, { type: 'finish', stopReason: 'endTurn' }] as const
  const model = scriptedModel([{ events }, 'Fine.'])
  const result = await createAgent({ model }).turn('Hello').untilDone()
  expect(outline(model.requests[1]?.messages ?? [])).toEqual([
    'user: Hello',
    'assistant: ',
    'user: Your last reply was empty. Answer now.',
  ])
  expect([result.text, model.violations]).toEqual(['Fine.', []])
})

test('a call that the limit cut is answered, then tried again', async () => {
  const events = [
    { type: 'tool-input-start', id: 'c', toolName: 'echo' },
    { type: 'tool-input-delta', id: 'c', delta: '{"te' },
    { type: 'finish', stopReason: 'maxTokens' },
  ] as const
  const model = scriptedModel([{ events }, { calls: [say('short')] }, 'Done.'])
  const result = await createAgent({ model, tools: [echo] })
    .turn('Go')
    .untilDone()
  expect(outline(result.messages)).toEqual([
    ...['user: Go', 'assistant: ', 'tool: error', 'assistant: ', 'tool: ok', 'assistant: Done.'],
  ])
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('output limit')
})
