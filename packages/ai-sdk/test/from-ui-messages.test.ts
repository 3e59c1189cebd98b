import { fromUIMessages, toUIMessages } from '@turnloop/ai-sdk/ui'
import { createAgent, type Message } from '@turnloop/core'
import { checkHistory, scriptedModel } from '@turnloop/testing'
import type { UIMessage } from 'ai'
import { expect, test } from 'vitest'

/** A chat as `useChat` leaves it, with everything that happened to calls. */
const foreign: UIMessage[] = [
  { id: 'sys', role: 'system', parts: [{ type: 'text', text: 'Be kind.' }] },
  {
    id: 'u1',
    role: 'user',
    metadata: { createdAt: 5 },
    parts: [
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,aGk=', filename: 'a.png' },
      { type: 'data-note', data: 1 },
      { type: 'text', text: 'Do it.' },
    ],
  },
  {
    id: 'a1',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm.', providerMetadata: { anthropic: { signature: 's' } } },
      { type: 'tool-look', toolCallId: 'c1', state: 'output-available', input: { at: 1 }, output: 'seen' },
      {
        type: 'tool-pay',
        toolCallId: 'c2',
        state: 'output-denied',
        input: {},
        approval: { id: 'p', approved: false, reason: 'no' },
      },
      { type: 'dynamic-tool', toolName: 'mcp', toolCallId: 'c3', state: 'output-error', input: {}, errorText: 'broke' },
      { type: 'tool-late', toolCallId: 'c4', state: 'input-available', input: {} },
      { type: 'tool-cut', toolCallId: 'c5', state: 'input-streaming', input: {} },
      { type: 'step-start' },
      { type: 'text', text: 'Do', state: 'streaming' },
    ],
  },
]

test('what useChat has kept becomes a transcript that a provider takes', () => {
  const messages = fromUIMessages(foreign)

  expect(checkHistory(messages).problems).toEqual([])
  expect(messages.map(({ id, role }) => [id, role])).toEqual([
    ['u1', 'user'],
    ['a1', 'assistant'],
    ['a1.0.results', 'tool'],
    ['a1.1', 'assistant'],
  ])
  expect(messages[0]).toMatchObject({
    createdAt: 5,
    content: [
      { type: 'file', data: { base64: 'aGk=' }, filename: 'a.png' },
      { type: 'text', text: 'Do it.' },
    ],
  })
  expect(messages[2]).toMatchObject({
    results: [
      { callId: 'c1', status: 'ok', result: { content: [{ type: 'text', text: 'seen' }] } },
      { callId: 'c2', status: 'denied' },
      { callId: 'c3', status: 'error', toolName: 'mcp' },
      { callId: 'c4', status: 'not-run' },
    ],
  })
  expect(messages[3]).toMatchObject({ partial: true, stopReason: 'cancelled' })
})

test('an agent goes on with what useChat has kept', async () => {
  const model = scriptedModel(['Gladly.'])
  const more: UIMessage = { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Go on.' }] }

  const { text } = await createAgent({ model })
    .turn(fromUIMessages([...foreign, more]))
    .untilDone()

  expect(text).toBe('Gladly.')
  expect(model.requests[0]?.messages).toHaveLength(5)
})

/** A reply that its parts cannot say exactly: text after the answer of a call that the provider ran. */
const searched: Message[] = [
  {
    id: 'a',
    role: 'assistant',
    createdAt: 1,
    stopReason: 'endTurn',
    modelId: 'm',
    content: [
      { type: 'tool-call', callId: 'c', wireId: 'c', toolName: 'search', inputText: '{}', providerExecuted: true },
      { type: 'text', text: 'I look.' },
      { type: 'provider-result', callId: 'c', wireId: 'c', toolName: 'search', result: ['a'] },
    ],
  },
]

test('a reply that was written down whole follows its parts once they are edited', () => {
  const [shown] = structuredClone(toUIMessages(searched))
  expect(fromUIMessages(shown ? [shown] : [])).toEqual(searched)
  for (const part of shown?.parts ?? []) if (part.type === 'text') part.text = 'Edited.'

  const [back] = fromUIMessages(shown ? [shown] : [])

  expect(back).toMatchObject({
    id: 'a',
    content: [{ type: 'tool-call' }, { type: 'provider-result', result: ['a'] }, { type: 'text', text: 'Edited.' }],
  })
})

test('a message that has lost a step follows its parts', () => {
  const more: Message = {
    id: 'b',
    role: 'assistant',
    createdAt: 2,
    stopReason: 'endTurn',
    content: [{ type: 'text', text: 'More.' }],
  }
  const [shown] = toUIMessages([...searched, more])
  const parts =
    shown?.parts.slice(
      0,
      shown.parts.findLastIndex(({ type }) => type === 'step-start'),
    ) ?? []

  const back = fromUIMessages(shown ? [{ ...shown, parts }] : [])

  expect(back).toHaveLength(1)
  expect(back[0]).toMatchObject({
    role: 'assistant',
    content: [{ type: 'tool-call' }, { type: 'provider-result' }, { text: 'I look.' }],
  })
})

test('a step that was taken out of a message leaves no reply behind', () => {
  const say = (id: string): Message => ({
    id,
    role: 'assistant',
    createdAt: 1,
    stopReason: 'endTurn',
    content: [{ type: 'text', text: id }],
  })
  const [shown] = toUIMessages([say('a'), say('b')])

  const back = fromUIMessages(shown ? [{ ...shown, parts: shown.parts.slice(0, 2) }] : [])

  expect(back).toMatchObject([{ role: 'assistant', content: [{ type: 'text', text: 'a' }] }])
})

test('steps that say nothing become no reply', () => {
  const empty: UIMessage = { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, { type: 'data-x', data: 1 }] }

  expect(fromUIMessages([empty])).toEqual([])
})

test('an output that was only preliminary is no result', () => {
  const cut: UIMessage = {
    id: 'a',
    role: 'assistant',
    parts: [
      { type: 'tool-look', toolCallId: 'c', state: 'output-available', input: {}, output: 'half', preliminary: true },
    ],
  }

  expect(fromUIMessages([cut]).map(({ role }) => role)).toEqual(['assistant'])
})

test('arguments and outputs of other kinds keep what they say', () => {
  const odd: UIMessage = {
    id: 'a',
    role: 'assistant',
    parts: [
      {
        type: 'dynamic-tool',
        dynamic: false,
        toolName: 'x',
        toolCallId: 'c1',
        state: 'output-available',
        input: [1],
        output: [1, 2],
      },
      {
        type: 'tool-y',
        toolCallId: 'c2',
        state: 'output-error',
        input: undefined,
        rawInput: '{"cut',
        errorText: 'bad',
      },
      { type: 'tool-z', toolCallId: 'c3', state: 'output-available', input: {}, output: null },
    ],
  }

  const [reply, answers] = fromUIMessages([odd])

  expect(reply).toMatchObject({
    content: [{ toolName: 'x', inputText: '[1]' }, { inputText: '{"cut' }, { inputText: '{}' }],
  })
  expect(reply?.role === 'assistant' && reply.content.some((part) => 'dynamic' in part)).toBe(false)
  expect(answers).toMatchObject({
    results: [
      { result: { structuredContent: { result: [1, 2] }, content: [{ text: '[1,2]' }] } },
      { status: 'error' },
      { result: { content: [{ text: '' }] } },
    ],
  })
  expect(toUIMessages([reply, answers].filter((message) => message !== undefined))[0]?.parts[1]).toMatchObject({
    output: [1, 2],
  })
})

test('an approval that was refused and never sent is a refusal', () => {
  const approval = { id: 'p', approved: false, reason: 'no' }
  const refused: UIMessage = {
    id: 'a',
    role: 'assistant',
    parts: [{ type: 'tool-pay', toolCallId: 'c', state: 'approval-responded', input: {}, approval }],
  }

  expect(fromUIMessages([refused])[1]).toMatchObject({
    results: [{ status: 'denied', result: { content: [{ text: 'no' }] } }],
  })
})

test('a person whose message has nothing to say is passed over', () => {
  expect(fromUIMessages([{ id: 'u', role: 'user', parts: [{ type: 'data-x', data: 1 }] }])).toEqual([])
})
