import { createAgent, type ModelEvent, type StopReason } from '@turnloop/core'
import { assertHistory, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { counter } from './loop-setup.ts'

const signed = thought({ providerMetadata: { anthropic: { signature: 's' } } })
const unsigned = thought({})
const blank = texts('\n')
const empty = texts('')
const call: ModelEvent[] = [{ type: 'tool-call', id: 'c', toolName: 'tick', inputText: '{}' }]
const search: ModelEvent[] = [
  { type: 'tool-call', id: 's', toolName: 'web_search', inputText: '{}', providerExecuted: true },
]
const broken: ModelEvent[] = [{ type: 'error', error: 'overloaded' }, ...finish('error')]

function thought(end: { providerMetadata?: { anthropic: { signature: string } } }): ModelEvent[] {
  return [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'r', ...end },
  ]
}

function texts(delta: string): ModelEvent[] {
  return [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta },
    { type: 'text-end', id: 't' },
  ]
}

function finish(stopReason: StopReason): ModelEvent[] {
  return [{ type: 'finish', stopReason }]
}

/** Replies that real providers send and that no provider takes back as they are. */
const oddReplies: Record<string, ModelEvent[]> = {
  'nothing, at the output limit': finish('maxTokens'),
  'nothing, filtered': finish('safety'),
  'nothing, paused': finish('pause'),
  'nothing, with a call announced': finish('toolUse'),
  'signed reasoning, at the output limit': [...signed, ...finish('maxTokens')],
  'signed reasoning, filtered': [...signed, ...finish('safety')],
  'signed reasoning, ended': [...signed, ...finish('endTurn')],
  'signed reasoning, with a call announced': [...signed, ...finish('toolUse')],
  'signed reasoning, broken off': signed,
  'signed reasoning, then an error': [...signed, ...broken],
  'unsigned reasoning, at the output limit': [...unsigned, ...finish('maxTokens')],
  'unsigned reasoning, ended': [...unsigned, ...finish('endTurn')],
  'white space, ended': [...blank, ...finish('endTurn')],
  'white space, then an error': [...blank, ...broken],
  'white space before a call': [...blank, ...call, ...finish('toolUse')],
  'empty text, ended': [...empty, ...finish('endTurn')],
  'empty text, then an error': [...empty, ...broken],
  'empty text before a call': [...empty, ...call, ...finish('toolUse')],
  'a call, broken off': call,
  'a call, then an error': [...call, ...broken],
  'a call, filtered': [...call, ...finish('safety')],
  "the provider's own call, broken off": search,
  "the provider's own call, paused": [...search, ...finish('pause')],
}

test.each(Object.entries(oddReplies))('the next question is asked soundly after: %s', async (_name, events) => {
  const model = scriptedModel((_request, index) => (index === 0 ? { events } : 'Fine.'), { onViolation: () => {} })
  const agent = createAgent({ model, tools: [counter('tick').tool] })
  const { messages } = await agent.turn('Hello').untilDone()
  const next = { id: 'next', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Hello?' }] } as const
  const after = await agent.turn([...messages, next]).untilDone()
  expect(model.violations).toEqual([])
  expect([after.outcome.kind, after.text]).toEqual(['completed', 'Fine.'])
  assertHistory(after.messages)
})
