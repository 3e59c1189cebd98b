import { AgentTransport, type TurnloopUIMessage } from '@turnloop/ai-sdk/ui'
import { MemoryStore, openSession, type Tool } from '@turnloop/core'
import { deferred, manualClock } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { createChat, echo, lastShown, openChat, scriptedAgent, shownTwice, until, untilChat } from './support/chat.ts'

const ask = { calls: [{ name: 'echo', input: { a: 1 } }] }

test('what is sent streams into a chat as the session keeps it', async () => {
  const { chat, session } = openChat([{ reasoning: 'Let me see.', text: 'Hello you.' }])
  const growing: string[] = []
  chat['~registerMessagesCallback'](() => growing.push(lastShown(chat).join('|')))

  await chat.sendMessage({ text: 'Hi' })

  expect(chat.status).toBe('ready')
  expect(growing).toContain('step-start|Let me see.|Hello')
  const [shown, kept] = shownTwice(chat, session)
  expect(shown).toEqual(kept)
  expect(chat.messages[1]).toMatchObject({
    id: `${session.getSnapshot().messages[0]?.id}:reply`,
    metadata: { outcome: { kind: 'completed' }, usage: { inputTokens: 10, outputTokens: 5 } },
  })
})

test('files that are sent reach the model', async () => {
  const { chat, session } = openChat(['Nice.'])
  const url = 'data:image/png;base64,aGk='

  await chat.sendMessage({ text: 'Look', files: [{ type: 'file', mediaType: 'image/png', url, filename: 'a.png' }] })

  expect(session.getSnapshot().messages[0]).toMatchObject({
    content: [{ type: 'file', mediaType: 'image/png', data: { base64: 'aGk=' }, filename: 'a.png' }, { text: 'Look' }],
  })
})

test('a tool runs between two steps and shows its progress', async () => {
  async function* execute() {
    yield { step: 1 }
    yield { step: 2 }
  }
  const { chat, session } = openChat([{ text: 'Wait.', ...ask }, 'Done.'], { tools: [echo({ execute })] })
  const states = new Set<string>()
  chat['~registerMessagesCallback'](() => {
    const part = chat.messages.at(-1)?.parts.find(({ type }) => type === 'tool-echo')
    if (part && 'state' in part)
      states.add(`${part.state}${'preliminary' in part && part.preliminary ? ' so far' : ''}`)
  })

  await chat.sendMessage({ text: 'Go' })

  expect([...states]).toEqual(['input-streaming', 'input-available', 'output-available so far', 'output-available'])
  const [shown, kept] = shownTwice(chat, session)
  expect(shown).toEqual(kept)
})

test('a tool that fails is an error in its part and the turn goes on', async () => {
  const execute = () => {
    throw new Error('No network')
  }
  const { chat, session } = openChat([ask, 'Sorry.'], { tools: [echo({ execute })] })

  await chat.sendMessage({ text: 'Go' })

  expect(lastShown(chat)).toEqual(['step-start', 'tool-echo output-error', 'step-start', 'Sorry.'])
  const [shown, kept] = shownTwice(chat, session)
  expect(shown).toEqual(kept)
})

test('a reply that is tried again takes the place of the first', async () => {
  const clock = manualClock()
  const { chat, session } = openChat([{ text: 'Half of', cut: true }, 'The whole.'], {
    clock,
    retry: { restart: true },
  })
  const shownBefore: string[] = []
  chat['~registerMessagesCallback'](() => shownBefore.push(lastShown(chat).join('|')))

  const sent = chat.sendMessage({ text: 'Go' })
  await until(session, ({ activity }) => activity?.kind === 'retry-wait')
  await untilChat(chat, () => lastShown(chat).join('|') === 'step-start')
  await clock.advance(60_000)
  await sent

  expect(shownBefore).toContain('step-start|Half of')
  expect(lastShown(chat)).toEqual(['step-start', 'The whole.'])
  const [shown, kept] = shownTwice(chat, session)
  expect(shown).toEqual(kept)
})

test('a turn that fails is the error of the chat', async () => {
  const { chat, session } = openChat([{ throws: new Error('The server is down') }, 'Back.'], { retry: { attempts: 1 } })

  await chat.sendMessage({ text: 'Go' })
  expect(chat.status).toBe('error')
  expect(chat.error?.message).toContain('The server is down')
  await chat.sendMessage({ text: 'And now?' })

  expect(lastShown(chat)).toEqual(['step-start', 'Back.'])
  expect(session.getSnapshot().outcome?.kind).toBe('completed')
})

test('Stop ends the turn and the next message is answered', async () => {
  const { chat, session } = openChat([{ text: 'On and on', hang: true }, 'Yes.'])
  const sent = chat.sendMessage({ text: 'Go' })
  await untilChat(chat, () => lastShown(chat).includes('On and on'))

  await chat.stop()
  await sent
  expect(chat.status).toBe('ready')
  await chat.sendMessage({ text: 'Still there?' })

  expect(lastShown(chat)).toEqual(['step-start', 'Yes.'])
  const { messages } = session.getSnapshot()
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(messages[1]).toMatchObject({ partial: true, stopReason: 'cancelled' })
})

test('Stop reaches a tool that runs', async () => {
  const started = deferred()
  const execute: Tool['execute'] = (_input, { signal }) => {
    started.resolve()
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const { chat, session } = openChat([ask, 'Yes.'], { tools: [echo({ execute })] })
  const sent = chat.sendMessage({ text: 'Go' })
  await started.promise

  await chat.stop()
  await sent
  await chat.sendMessage({ text: 'Still there?' })

  expect(lastShown(chat)).toEqual(['step-start', 'Yes.'])
  expect(session.getSnapshot().messages[2]).toMatchObject({ results: [{ status: 'cancelled' }] })
})

test('with onStop leave the turn runs on', async () => {
  const gate = deferred()
  const { session } = openChat([{ text: 'In the end.', gate: gate.promise }])
  const chat = createChat(new AgentTransport({ session, onStop: 'leave' }))
  const sent = chat.sendMessage({ text: 'Go' })
  await until(session, ({ activity }) => activity?.kind === 'model')

  await chat.stop()
  await sent
  gate.resolve()
  await until(session, ({ status }) => status === 'idle')

  expect(session.getSnapshot().outcome?.kind).toBe('completed')
})

test.each([false, true])('regenerate tries the last reply again, named by its id: %s', async (isNamed) => {
  const { chat, session } = openChat(['First.', 'Second.'])
  await chat.sendMessage({ text: 'Go' })

  await chat.regenerate(isNamed ? { messageId: chat.messages[1]?.id ?? '' } : {})

  expect(chat.messages).toHaveLength(2)
  expect(lastShown(chat)).toEqual(['step-start', 'Second.'])
  expect(session.getSnapshot().outcome?.kind).toBe('completed')
})

test('regenerate leaves behind what was said elsewhere since', async () => {
  const { chat, session } = openChat(['First.', 'Other.', 'Second.'])
  await chat.sendMessage({ text: 'Go' })
  await session.send('Something else')

  await chat.regenerate()

  expect(lastShown(chat)).toEqual(['step-start', 'Second.'])
  expect(session.getSnapshot().messages).toHaveLength(2)
})

test('regenerate of an earlier reply leaves behind what came after it', async () => {
  const { chat, session } = openChat(['First.', 'Second.', 'First again.'])
  await chat.sendMessage({ text: 'One' })
  await chat.sendMessage({ text: 'Two' })

  await chat.regenerate({ messageId: chat.messages[1]?.id ?? '' })

  expect(chat.messages).toHaveLength(2)
  const [shown, kept] = shownTwice(chat, session)
  expect(shown).toEqual(kept)
})

test('an earlier message is edited, and what came after it is left behind', async () => {
  const { chat, session } = openChat(['First.', 'Second.', 'Other.'])
  await chat.sendMessage({ text: 'One' })
  await chat.sendMessage({ text: 'Two' })

  await chat.sendMessage({ text: 'Uno', messageId: chat.messages[0]?.id ?? '' })

  expect(chat.error).toBeUndefined()
  expect(lastShown(chat)).toEqual(['step-start', 'Other.'])
  const [shown, kept] = shownTwice(chat, session)
  expect(shown).toEqual(kept)
})

test('an edited message can be edited once more', async () => {
  const { chat, session } = openChat(['First.', 'Second.', 'Third.'])
  await chat.sendMessage({ text: 'One' })
  const messageId = chat.messages[0]?.id ?? ''

  await chat.sendMessage({ text: 'Uno', messageId })
  await chat.sendMessage({ text: 'Eins', messageId })

  expect(chat.messages).toHaveLength(2)
  const [shown, kept] = shownTwice(chat, session)
  expect(shown).toEqual(kept)
})

test('what was loaded from the session can be edited and answered anew', async () => {
  const store = new MemoryStore()
  const before = openChat(['First.', 'Second.'], { store })
  await before.chat.sendMessage({ text: 'One' })
  await before.chat.sendMessage({ text: 'Two' })
  await before.session.close()
  const after = openChat(['Other.', 'Another.'], { store })
  const chat = createChat(after.transport, { messages: await after.transport.loadMessages('chat') })

  await chat.sendMessage({ text: 'Due', messageId: chat.messages[2]?.id ?? '' })
  expect(lastShown(chat)).toEqual(['step-start', 'Other.'])
  await chat.regenerate()

  expect(lastShown(chat)).toEqual(['step-start', 'Another.'])
  const [shown, kept] = shownTwice(chat, after.session)
  expect(shown).toEqual(kept)
})

test('Stop reaches an edit', async () => {
  const { chat, session } = openChat(['First.', { text: 'On and on', hang: 'until-abort' }])
  await chat.sendMessage({ text: 'One' })
  const sent = chat.sendMessage({ text: 'Uno', messageId: chat.messages[0]?.id ?? '' })
  await untilChat(chat, () => lastShown(chat).includes('On and on'))

  await chat.stop()
  await sent
  await until(session, ({ status }) => status === 'idle')

  expect(session.getSnapshot().outcome?.kind).toBe('cancelled')
})

test('a message that never becomes a turn ends its stream', async () => {
  const { session, transport } = openChat([{ text: 'On and on', hang: 'until-abort' }])
  const running = session.send('First')
  const stop = new AbortController()
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'chat',
    messageId: undefined,
    messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Second' }] }],
    abortSignal: stop.signal,
  })

  stop.abort('enough')
  const chunks: unknown[] = []
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
  }
  await session.cancel()
  await running

  expect(chunks).toEqual([{ type: 'abort', reason: 'enough' }])
})

test('what is stopped before it is sent asks nothing', async () => {
  const { session, transport } = openChat(['First.', 'Second.'])
  await session.send('Go')

  const sending = transport.sendMessages({
    trigger: 'regenerate-message',
    chatId: 'chat',
    messageId: undefined,
    messages: [],
    abortSignal: AbortSignal.abort(),
  })

  await expect(sending).rejects.toMatchObject({ name: 'AbortError' })
  expect(session.getEntries().filter(({ type }) => type === 'turn-started')).toHaveLength(1)
})

test('a message that the session does not know cannot be changed', async () => {
  const { chat } = openChat(['First.'])
  const said: TurnloopUIMessage = { id: 'foreign', role: 'user', parts: [{ type: 'text', text: 'One' }] }
  chat.messages = [said]

  await chat.sendMessage({ text: 'Other', messageId: 'foreign' })
  expect(chat.error).toMatchObject({ code: 'bad-input' })
  chat.messages = [said]
  await chat.regenerate()

  expect(chat.error).toMatchObject({ code: 'bad-input' })
})

test('each chat id has a session of its own, opened once', async () => {
  const opened: string[] = []
  const store = new MemoryStore()
  const transport = new AgentTransport({
    session: (id) => {
      opened.push(id)
      return openSession({ agent: scriptedAgent(['One.', 'Two.']), id, store })
    },
  })
  const chat = createChat(transport)

  await chat.sendMessage({ text: 'A' })
  await chat.sendMessage({ text: 'B' })
  await transport.loadMessages('other')

  expect(opened).toEqual(['chat', 'other'])
  expect(await transport.loadMessages('chat')).toHaveLength(4)
})
