import { AgentTransport } from '@turnloop/ai-sdk/ui'
import { createAgent, messageText } from '@turnloop/core'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { expect, test } from 'vitest'
import { createChat, echo, lastShown, scriptedAgent, untilChat } from './support/chat.ts'

const ask = { calls: [{ name: 'echo', input: { a: 1 } }] }

test('the messages of the chat are the conversation', async () => {
  const model = scriptedModel([{ text: 'Look.', ...ask }, 'One.', 'Two.'])
  const agent = createAgent({ model, tools: [echo()], clock: manualClock() })
  const chat = createChat(new AgentTransport({ agent }))

  await chat.sendMessage({ text: 'A' })
  await chat.sendMessage({ text: 'B' })

  expect(lastShown(chat)).toEqual(['step-start', 'Two.'])
  const [, , third] = model.requests
  const [, second] = model.requests
  // Word for word what the model was shown before, and what it said to it.
  expect(third?.messages.slice(1, 3)).toEqual(second?.messages.slice(1, 3))
  expect(third?.messages.map((message) => (message.role === 'tool' ? 'results' : messageText(message)))).toEqual([
    'A',
    'Look.',
    'results',
    'One.',
    'B',
  ])
})

test('an earlier message can be edited and a reply made again', async () => {
  const model = scriptedModel(['One.', 'Two.', 'Other.', 'Another.'])
  const chat = createChat(new AgentTransport({ agent: createAgent({ model, clock: manualClock() }) }))
  await chat.sendMessage({ text: 'A' })
  await chat.sendMessage({ text: 'B' })

  await chat.sendMessage({ text: 'C', messageId: chat.messages[0]?.id ?? '' })
  expect(lastShown(chat)).toEqual(['step-start', 'Other.'])
  await chat.regenerate()

  expect(chat.messages).toHaveLength(2)
  expect(lastShown(chat)).toEqual(['step-start', 'Another.'])
  expect(model.requests[3]?.messages).toMatchObject([{ content: [{ text: 'C' }] }])
})

test('a call is approved and the turn goes on in the same message', async () => {
  const agent = scriptedAgent([ask, 'So be it.'], { tools: [echo({ needsApproval: true })] })
  const chat = createChat(new AgentTransport({ agent }), {
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  await chat.sendMessage({ text: 'Go' })

  await chat.addToolApprovalResponse({ id: approvalIn(chat), approved: true })
  await untilChat(chat, () => lastShown(chat).includes('So be it.') && chat.status === 'ready')

  expect(chat.messages).toHaveLength(2)
  expect(lastShown(chat)).toEqual(['step-start', 'tool-echo output-available', 'step-start', 'So be it.'])
})

/** The id of the question that a chat shows. */
function approvalIn(chat: ReturnType<typeof createChat>): string {
  const part = chat.messages.at(-1)?.parts.find(({ type }) => type === 'tool-echo')
  return part && 'approval' in part ? (part.approval?.id ?? '') : ''
}

test('a turn waits on when it is gone on with before anything is decided', async () => {
  const chat = createChat(
    new AgentTransport({ agent: scriptedAgent([ask, 'So be it.'], { tools: [echo({ needsApproval: true })] }) }),
  )
  await chat.sendMessage({ text: 'Go' })
  await chat.sendMessage()
  expect(chat.error).toMatchObject({ code: 'bad-input' })

  await chat.addToolApprovalResponse({ id: approvalIn(chat), approved: true })
  await chat.sendMessage()

  expect(chat.error).toBeUndefined()
  expect(lastShown(chat)).toEqual(['step-start', 'tool-echo output-available', 'step-start', 'So be it.'])
})

test('Stop also cancels a turn that was gone on with', async () => {
  const model = scriptedModel([ask, { text: 'On and on', hang: 'until-abort' }])
  const agent = createAgent({ model, tools: [echo({ needsApproval: true })], clock: manualClock() })
  const chat = createChat(new AgentTransport({ agent }))
  await chat.sendMessage({ text: 'Go' })
  await chat.addToolApprovalResponse({ id: approvalIn(chat), approved: true })
  const sent = chat.sendMessage()
  await untilChat(chat, () => lastShown(chat).includes('On and on'))

  await chat.stop()
  await sent

  expect(model.abortedRequests).toEqual([1])
})

test('decisions that nothing waits for are an error with the way out', async () => {
  const chat = createChat(new AgentTransport({ agent: scriptedAgent(['Hi.']) }))
  await chat.sendMessage({ text: 'Go' })

  await chat.sendMessage()

  expect(chat.error?.message).toMatch(/Give the transport a session/)
})

test('a question that is passed over is answered as not run', async () => {
  const model = scriptedModel([ask, 'Never mind.'])
  const agent = createAgent({ model, tools: [echo({ needsApproval: true })], clock: manualClock() })
  const chat = createChat(new AgentTransport({ agent }))
  await chat.sendMessage({ text: 'Go' })

  await chat.sendMessage({ text: 'Forget it' })

  expect(lastShown(chat)).toEqual(['step-start', 'Never mind.'])
  expect(model.requests[1]?.messages[2]).toMatchObject({ role: 'tool', results: [{ toolName: 'echo' }] })
})

test('Stop cancels the turn and the next one sees what had arrived', async () => {
  const model = scriptedModel([{ text: 'On and on', hang: true }, 'Yes.'])
  const chat = createChat(new AgentTransport({ agent: createAgent({ model, clock: manualClock() }) }))
  const sent = chat.sendMessage({ text: 'Go' })
  await untilChat(chat, () => lastShown(chat).includes('On and on'))

  await chat.stop()
  await sent
  await chat.sendMessage({ text: 'Still there?' })

  expect(lastShown(chat)).toEqual(['step-start', 'Yes.'])
  expect(model.requests[1]?.messages).toHaveLength(3)
})

test('a stream that nobody reads any more stops its turn', async () => {
  const model = scriptedModel([{ text: 'On and on', hang: 'until-abort' }])
  const transport = new AgentTransport({ agent: createAgent({ model, clock: manualClock() }) })
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'chat',
    messageId: undefined,
    messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go' }] }],
    abortSignal: undefined,
  })
  const reader = stream.getReader()
  await reader.read()

  await reader.cancel()

  expect(model.abortedRequests).toEqual([0])
})

test('there is nothing to reconnect to and nothing stored', async () => {
  const transport = new AgentTransport({ agent: scriptedAgent([]) })

  expect(await transport.reconnectToStream({ chatId: 'chat' })).toBeNull()
  expect(await transport.loadMessages('chat')).toEqual([])
})
