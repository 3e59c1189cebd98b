import { AgentTransport } from '@turnloop/ai-sdk/ui'
import { MemoryStore, type ModelEvent, openSession, type Session, type ToolSource } from '@turnloop/core'
import { deferred, manualClock } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { createChat, echo, lastShown, openChat, scriptedAgent, shownTwice, until, untilChat } from './support/chat.ts'

const ask = { calls: [{ name: 'echo', input: { a: 1 } }] }

test('a page that comes back shows the turn from its beginning and to its end', async () => {
  const gate = deferred()
  const store = new MemoryStore()
  const before = openChat(
    [
      { text: 'First.', ...ask },
      { text: 'Half', hang: true },
    ],
    { store, tools: [echo()] },
  )
  const sent = before.chat.sendMessage({ text: 'Go' })
  await untilChat(before.chat, () => lastShown(before.chat).includes('Half'))
  await before.session.close({ running: 'leave' })
  await sent

  const after = openChat([{ text: 'Whole now.', gate: gate.promise }], { store, tools: [echo()] })
  const chat = createChat(after.transport, { messages: await after.transport.loadMessages('chat') })
  expect(chat.messages).toHaveLength(2)
  const resumed = chat.resumeStream()
  await untilChat(chat, () => chat.status === 'streaming')
  gate.resolve()
  await resumed

  expect(chat.messages).toHaveLength(2)
  expect(lastShown(chat)).toEqual(['step-start', 'First.', 'tool-echo output-available', 'step-start', 'Whole now.'])
  const [shown, kept] = shownTwice(chat, after.session)
  expect(shown).toEqual(kept)
})

test('what a cut reply had said is shown until it is begun anew', async () => {
  const store = new MemoryStore()
  const clock = manualClock()
  const before = openChat([{ text: 'Half', hang: true }], { store, clock })
  const sent = before.chat.sendMessage({ text: 'Go' })
  await untilChat(before.chat, () => lastShown(before.chat).includes('Half'))
  // A reply that grows is saved now and then.
  await clock.advance(2000)
  await before.session.close({ running: 'leave' })
  await sent
  const listed = deferred()
  const late: ToolSource = { list: () => listed.promise.then(() => []) }

  const after = openChat(['The whole.'], { store, tools: [late] })
  const chat = createChat(after.transport, { messages: await after.transport.loadMessages('chat') })
  const resumed = chat.resumeStream()
  await untilChat(chat, () => chat.status === 'streaming' && lastShown(chat).join('|') === 'step-start|Half')
  listed.resolve()
  await resumed

  expect(lastShown(chat)).toEqual(['step-start', 'The whole.'])
})

test('arguments that were growing when a page came back are shown once', async () => {
  const gate = deferred()
  const beforeEvent = ({ type }: ModelEvent) => (type === 'tool-input-end' ? gate.promise : undefined)
  const { chat: first, transport } = openChat([ask, 'Done.'], { tools: [echo()], beforeEvent })
  const sent = first.sendMessage({ text: 'Go' })
  await untilChat(first, () => lastShown(first).includes('tool-echo input-streaming'))

  const second = createChat(transport, { messages: await transport.loadMessages('chat') })
  const resumed = second.resumeStream()
  await untilChat(second, () => second.status === 'streaming')
  expect(lastShown(second)).toEqual(['step-start', 'tool-echo input-streaming'])
  gate.resolve()
  await Promise.all([resumed, sent])

  expect(lastShown(second)).toEqual(['step-start', 'tool-echo output-available', 'step-start', 'Done.'])
})

test('a component that is mounted again shows what the turn has said so far', async () => {
  const { session, transport, chat: first } = openChat([{ reasoning: 'Hm.', text: 'So far', hang: true }])
  const sent = first.sendMessage({ text: 'Go' })
  await untilChat(first, () => lastShown(first).includes('So far'))

  const second = createChat(transport, { messages: await transport.loadMessages('chat') })
  const resumed = second.resumeStream()
  await untilChat(second, () => second.status === 'streaming' && lastShown(second).includes('So far'))
  expect(second.messages).toHaveLength(2)
  await second.stop()
  await Promise.all([resumed, sent])
  await until(session, ({ status }) => status === 'idle')

  expect(session.getSnapshot().outcome?.kind).toBe('cancelled')
})

test('a resumed chat without messages builds the reply all the same', async () => {
  const gate = deferred()
  const {
    chat: first,
    transport,
    session,
  } = openChat([ask, { text: 'Done.', gate: gate.promise }], { tools: [echo()] })
  const sent = first.sendMessage({ text: 'Go' })
  await until(session, ({ messages, activity }) => messages.length === 3 && activity?.kind === 'model')

  const second = createChat(transport)
  const resumed = second.resumeStream()
  await untilChat(second, () => second.messages.length === 1)
  gate.resolve()
  await Promise.all([resumed, sent])

  expect(lastShown(second)).toEqual(['step-start', 'tool-echo output-available', 'step-start', 'Done.'])
  expect(second.messages[0]?.id).toBe(first.messages[1]?.id)
})

test('what a running tool last said is shown again', async () => {
  const gate = deferred()
  async function* execute() {
    yield { step: 1 }
    await gate.promise
    yield { step: 2 }
  }
  const { chat: first, transport, session } = openChat([ask, 'Done.'], { tools: [echo({ execute })] })
  const sent = first.sendMessage({ text: 'Go' })
  await until(session, ({ calls }) => [...calls.values()].some(({ progress }) => progress !== undefined))

  const second = createChat(transport)
  const resumed = second.resumeStream()
  await untilChat(second, () => JSON.stringify(second.messages).includes('"output":{"step":1}'))
  gate.resolve()
  await Promise.all([resumed, sent])

  expect(lastShown(second)).toEqual(['step-start', 'tool-echo output-available', 'step-start', 'Done.'])
})

test('a turn that is about to begin is one to reconnect to', async () => {
  const { session, transport } = openChat(['Done.'])
  await transport.loadMessages('chat')
  const sent = session.send('Go')
  expect(session.getSnapshot().turn).toBeUndefined()

  const chat = createChat(transport)
  await chat.resumeStream()
  await sent

  expect(lastShown(chat)).toEqual(['step-start', 'Done.'])
})

test('where nothing runs there is nothing to reconnect to', async () => {
  const { chat, transport, session } = openChat([ask, 'Done.'], { tools: [echo({ needsApproval: true })] })
  expect(await transport.reconnectToStream({ chatId: 'chat' })).toBeNull()
  await chat.sendMessage({ text: 'Go' })

  expect(session.getSnapshot().status).toBe('awaiting')
  expect(await transport.reconnectToStream({ chatId: 'chat' })).toBeNull()
})

test('a question that waits is answered after a reload', async () => {
  const store = new MemoryStore()
  const tools = [echo({ needsApproval: true })]
  const before = openChat([ask], { store, tools })
  await before.chat.sendMessage({ text: 'Go' })
  await before.session.close()

  const after = openChat(['So be it.'], { store, tools })
  const chat = createChat(after.transport, { messages: await after.transport.loadMessages('chat') })
  expect(lastShown(chat)).toEqual(['step-start', 'tool-echo approval-requested'])
  const [request] = after.session.getSnapshot().pending
  await chat.addToolApprovalResponse({ id: request?.id ?? '', approved: true })
  await chat.sendMessage()

  expect(chat.error).toBeUndefined()
  expect(lastShown(chat)).toEqual(['step-start', 'tool-echo output-available', 'step-start', 'So be it.'])
})

test('giving up on reconnecting before the stream is there stops nothing', async () => {
  const gate = deferred()
  const { chat, transport, session } = openChat([{ text: 'Done.', gate: gate.promise }])
  const sent = chat.sendMessage({ text: 'Go' })
  await until(session, ({ activity }) => activity?.kind === 'model')
  const gone = new AbortController()

  const stream = transport.reconnectToStream({ chatId: 'chat', abortSignal: gone.signal })
  gone.abort()
  expect(await stream).toBeNull()
  gate.resolve()
  await sent

  expect(session.getSnapshot().outcome?.kind).toBe('completed')
})

test('a stream that is only left stops nothing', async () => {
  const gate = deferred()
  const { chat, transport, session } = openChat([{ text: 'Done.', gate: gate.promise }])
  const sent = chat.sendMessage({ text: 'Go' })
  await until(session, ({ activity }) => activity?.kind === 'model')

  const stream = await transport.reconnectToStream({ chatId: 'chat' })
  await stream?.cancel()
  gate.resolve()
  await sent

  expect(session.getSnapshot().outcome?.kind).toBe('completed')
})

test('with onStop leave a resumed turn runs on as well', async () => {
  const gate = deferred()
  const { chat: first, session } = openChat([{ text: 'Done.', gate: gate.promise }])
  const sent = first.sendMessage({ text: 'Go' })
  await until(session, ({ activity }) => activity?.kind === 'model')
  const second = createChat(new AgentTransport({ session, onStop: 'leave' }))
  const resumed = second.resumeStream()
  await untilChat(second, () => second.status === 'submitted')

  await second.stop()
  gate.resolve()
  await Promise.all([resumed, sent])

  expect(session.getSnapshot().outcome?.kind).toBe('completed')
})

test('a session that is closed is asked for anew', async () => {
  const store = new MemoryStore()
  const opened: Session[] = []
  const transport = new AgentTransport({
    session: (id) => {
      const session = openSession({ agent: scriptedAgent(['Hi.']), id, store })
      opened.push(session)
      return session
    },
  })
  const chat = createChat(transport)
  await chat.sendMessage({ text: 'A' })
  await opened[0]?.close()

  await chat.sendMessage({ text: 'B' })

  expect(opened).toHaveLength(2)
  expect(lastShown(chat)).toEqual(['step-start', 'Hi.'])
  expect(await transport.loadMessages('chat')).toHaveLength(4)
})
