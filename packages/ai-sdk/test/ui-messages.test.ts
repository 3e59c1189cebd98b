import { fromUIMessages, type TurnloopUIMessage, toUIMessages } from '@turnloop/ai-sdk/ui'
import {
  type CallToolResult,
  createAgent,
  EMPTY_SNAPSHOT,
  type Message,
  openSession,
  reduce,
  type Snapshot,
  type TurnEvent,
  tool,
} from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { manualClock, type Script, scriptedModel } from '@turnloop/testing'
import { convertToModelMessages, type UIMessage, validateUIMessages } from 'ai'
import { expect, test } from 'vitest'

const weather = tool({
  name: 'weather',
  description: 'Weather',
  input: jsonSchema({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: () => ({ degrees: 20 }),
})

/** A turn with one call, as messages and as every snapshot on the way. */
async function weatherTurn(
  script: Script = [{ text: 'Let me look.', calls: [{ name: 'weather', input: { city: 'Paris' } }] }, '20 degrees.'],
) {
  const agent = createAgent({ model: scriptedModel(script), tools: [weather], clock: manualClock() })
  const snapshots: Snapshot[] = [EMPTY_SNAPSHOT]
  const onEvent = (event: TurnEvent): void => void snapshots.push(reduce(snapshots.at(-1) ?? EMPTY_SNAPSHOT, event))
  const { messages } = await agent.turn('Weather?', { onEvent }).untilDone()
  return { messages, snapshots }
}

const kinds = ({ parts }: UIMessage) =>
  parts.map((part) => ('state' in part ? `${part.type} ${part.state}` : part.type))

test('a turn is one message of a person and one that answers it', async () => {
  const { messages } = await weatherTurn()

  const shown = toUIMessages(messages)

  expect(shown.map(({ id, role }) => [id, role])).toEqual([
    [messages[0]?.id, 'user'],
    [`${messages[0]?.id}:reply`, 'assistant'],
  ])
  expect(shown.map(kinds)).toEqual([
    ['text'],
    ['step-start', 'text done', 'tool-weather output-available', 'step-start', 'text done'],
  ])
  expect(shown[1]?.parts[2]).toMatchObject({ input: { city: 'Paris' }, output: { degrees: 20 } })
  expect(shown[1]?.metadata).toMatchObject({ usage: { inputTokens: 20, outputTokens: 10 } })
})

test('the AI SDK takes the messages and makes the same prompt of them', async () => {
  const { messages } = await weatherTurn()
  const shown = toUIMessages(messages)

  await expect(validateUIMessages({ messages: shown })).resolves.toHaveLength(2)
  const prompt = await convertToModelMessages(shown)

  expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(prompt[2]?.content).toMatchObject([{ type: 'tool-result', output: { type: 'json', value: { degrees: 20 } } }])
})

test('messages that are complete stay the same objects', async () => {
  const { messages } = await weatherTurn()
  const [asked, answered] = toUIMessages(messages)
  const more: Message = { id: 'next', role: 'user', createdAt: 1, content: [{ type: 'text', text: 'And Rome?' }] }

  const shown = toUIMessages([...messages, more])

  expect(shown[0]).toBe(asked)
  expect(shown[1]).toBe(answered)
})

test('a reply that has grown since is shown as it is now', async () => {
  const { messages } = await weatherTurn()
  const early = toUIMessages(messages.slice(0, 3))

  const late = toUIMessages(messages)

  expect(early[1]?.parts).toHaveLength(3)
  expect(late[1]?.parts).toHaveLength(5)
  expect(late[0]).toBe(early[0])
})

test('a reply is named after what it answers', async () => {
  const { messages } = await weatherTurn()
  const [asked, reply] = messages

  expect(toUIMessages(messages)[1]?.id).toBe(`${asked?.id}:reply`)
  expect(toUIMessages(messages.slice(1))[0]?.id).toBe(reply?.id)
})

test.each<[string, CallToolResult, unknown]>([
  ['text', { content: [{ type: 'text', text: 'hi' }] }, 'hi'],
  ['a value', { content: [{ type: 'text', text: '{"result":5}' }], structuredContent: { result: 5 } }, { result: 5 }],
  ['a bare value', { content: [{ type: 'text', text: '5' }], structuredContent: { result: 5 } }, 5],
  ['what toModelOutput hid', { content: [{ type: 'text', text: 'x' }], _meta: { 'ai-sdk/output': [1] } }, [1]],
])('the output of a call that gave %s is what its tool returned', (_what, result, output) => {
  const call = { type: 'tool-call', callId: 'c', wireId: 'c', toolName: 'look', inputText: '{}' } as const
  const messages: Message[] = [
    { id: 'a', role: 'assistant', createdAt: 1, content: [call], stopReason: 'toolUse' },
    { id: 't', role: 'tool', createdAt: 1, results: [{ callId: 'c', toolName: 'look', status: 'ok', result }] },
  ]

  expect(toUIMessages(messages)[0]?.parts[1]).toMatchObject({ state: 'output-available', output })
})

test('a snapshot gives the same list twice', async () => {
  const { snapshots } = await weatherTurn()

  for (const snapshot of snapshots) expect(toUIMessages(snapshot)).toBe(toUIMessages(snapshot))
})

test('while a reply grows, what came before stays the same objects', async () => {
  const { snapshots } = await weatherTurn()
  const shown = snapshots.filter(({ open }) => open !== undefined).map((snapshot) => toUIMessages(snapshot))

  expect(shown.length).toBeGreaterThan(4)
  expect(new Set(shown.map(([asked]) => asked)).size).toBe(1)
})

test('a reply that is complete stays the same object when the next turn begins', async () => {
  const session = openSession({ agent: createAgent({ model: scriptedModel(['One.', 'Two.']), clock: manualClock() }) })
  await session.send('A')
  const [, first] = toUIMessages(session.getSnapshot())

  await session.send('B')

  expect(first?.metadata?.outcome).toEqual({ kind: 'completed' })
  expect(toUIMessages(session.getSnapshot())[1]).toBe(first)
})

test('a list of messages that was drawn without its end gets it from a snapshot', async () => {
  const session = openSession({ agent: createAgent({ model: scriptedModel(['One.']), clock: manualClock() }) })
  await session.send('A')
  const { messages } = session.getSnapshot()

  expect(toUIMessages(messages)[1]?.metadata?.outcome).toBeUndefined()
  expect(toUIMessages(session.getSnapshot())[1]?.metadata?.outcome).toEqual({ kind: 'completed' })
})

test('snapshots show text and calls as they grow', async () => {
  const { snapshots } = await weatherTurn()

  const states = new Set(
    snapshots.map((snapshot) => toUIMessages(snapshot).at(-1)).flatMap((last) => (last ? kinds(last) : [])),
  )

  expect([...states]).toEqual([
    'text',
    'step-start',
    'text streaming',
    'tool-weather input-streaming',
    'text done',
    'tool-weather input-available',
    'tool-weather output-available',
  ])
})

test('a turn is never more than two messages on its way', async () => {
  const { snapshots } = await weatherTurn()

  const lengths = snapshots.map((snapshot) => toUIMessages(snapshot).length)

  expect([...new Set(lengths)]).toEqual([0, 1, 2])
})

test('every snapshot of a turn comes back as its messages', async () => {
  const { snapshots } = await weatherTurn()

  for (const snapshot of snapshots) {
    const { messages, open } = snapshot
    const told = open === undefined ? messages : [...messages, open]
    const back = fromUIMessages(toUIMessages(snapshot))
    // A call whose arguments are still growing has not been made.
    if (open === undefined) expect(back).toEqual(told)
    else expect(back.length).toBe(told.length)
  }
})

test('metadata repeats nothing that the parts say', async () => {
  const { messages } = await weatherTurn()

  const records = toUIMessages(messages).flatMap(({ metadata }) => metadata?.turnloop ?? [])

  expect(records).toHaveLength(messages.length)
  expect(records.filter((record) => 'content' in record || 'results' in record)).toEqual([])
})

test('edited text comes back edited', async () => {
  const { messages } = await weatherTurn()
  const [asked, answered] = structuredClone(toUIMessages(messages)) as TurnloopUIMessage[]
  for (const part of answered?.parts ?? []) if (part.type === 'text') part.text = 'Edited.'

  const back = fromUIMessages([asked, answered].filter((message) => message !== undefined))

  expect(back.map(({ id }) => id)).toEqual(messages.map(({ id }) => id))
  expect(back[1]).toMatchObject({ content: [{ type: 'text', text: 'Edited.' }, { type: 'tool-call' }] })
})

test('what a person refused is shown as denied', () => {
  const result = { content: [{ type: 'text', text: 'No.' }], isError: true } as const
  const call = { type: 'tool-call', callId: 'c', wireId: 'c', toolName: 'pay', inputText: '{}' } as const
  const messages: Message[] = [
    { id: 'a', role: 'assistant', createdAt: 1, content: [call], stopReason: 'toolUse' },
    { id: 't', role: 'tool', createdAt: 1, results: [{ callId: 'c', toolName: 'pay', status: 'denied', result }] },
  ]

  expect(toUIMessages(messages)[0]?.parts[1]).toMatchObject({
    state: 'output-denied',
    approval: { approved: false, reason: 'No.' },
  })
})

test('a summary is a system message and no word of a person', () => {
  const summary: Message = {
    id: 's',
    role: 'user',
    createdAt: 1,
    content: [{ type: 'text', text: 'They spoke of rain.' }],
    synthetic: 'summary',
  }

  const shown = toUIMessages([summary])

  expect(shown).toMatchObject([{ role: 'system', parts: [{ type: 'text', text: 'They spoke of rain.' }] }])
  expect(fromUIMessages(shown)).toEqual([summary])
})
