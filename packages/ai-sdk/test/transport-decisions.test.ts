import { agentTool } from '@turnloop/core'
import { lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from 'ai'
import { expect, test } from 'vitest'
import { createChat, echo, lastShown, openChat, scriptedAgent, shownTwice, until, untilChat } from './support/chat.ts'

const ask = { calls: [{ name: 'echo', input: { a: 1 } }] }

const automatically = { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses }

function approvalIn(chat: ReturnType<typeof createChat>): string {
  const part = chat.messages.at(-1)?.parts.findLast((found) => 'state' in found && found.state === 'approval-requested')
  return part !== undefined && 'approval' in part ? (part.approval?.id ?? '') : ''
}

test.each([
  { approved: true, state: 'output-available' },
  { approved: false, state: 'output-denied' },
])('a call that is decided goes on in the same message: $state', async ({ approved, state }) => {
  const { session, transport } = openChat([ask, 'So be it.'], { tools: [echo({ needsApproval: true })] })
  const chat = createChat(transport, automatically)
  await chat.sendMessage({ text: 'Go' })
  expect(lastShown(chat)).toEqual(['step-start', 'tool-echo approval-requested'])
  expect(session.getSnapshot().status).toBe('awaiting')

  await chat.addToolApprovalResponse({ id: approvalIn(chat), approved, reason: 'Because.' })
  await until(session, ({ status }) => status === 'idle')
  await untilChat(chat, () => chat.status === 'ready')

  expect(chat.messages).toHaveLength(2)
  expect(lastShown(chat)).toEqual(['step-start', `tool-echo ${state}`, 'step-start', 'So be it.'])
  expect(JSON.stringify(session.getSnapshot().messages[2])).toContain(approved ? 'heard' : 'Because.')
})

test('two calls are decided together', async () => {
  const both = {
    calls: [
      { name: 'echo', input: { a: 1 } },
      { name: 'echo', input: { b: 2 } },
    ],
  }
  const { session, transport } = openChat([both, 'Done.'], { tools: [echo({ needsApproval: true })] })
  const chat = createChat(transport, automatically)
  await chat.sendMessage({ text: 'Go' })

  await chat.addToolApprovalResponse({ id: approvalIn(chat), approved: false })
  await chat.addToolApprovalResponse({ id: approvalIn(chat), approved: true })
  await until(session, ({ status }) => status === 'idle')
  await untilChat(chat, () => chat.status === 'ready')

  const calls = ['tool-echo output-available', 'tool-echo output-denied']
  expect(lastShown(chat)).toEqual(['step-start', ...calls, 'step-start', 'Done.'])
})

test('the output of a tool that the host answers goes on with the turn', async () => {
  const { execute: _none, ...hosted } = echo()
  const { session, transport } = openChat([ask, 'Noted.'], {
    tools: [{ ...hosted, execute: () => {}, isHostAnswered: true }],
  })
  const chat = createChat(transport, { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls })
  await chat.sendMessage({ text: 'Go' })
  const part = chat.messages.at(-1)?.parts.find(({ type }) => type === 'tool-echo')
  expect(lastShown(chat)).toEqual(['step-start', 'tool-echo input-available'])

  await chat.addToolOutput({
    tool: 'echo',
    toolCallId: part && 'toolCallId' in part ? part.toolCallId : '',
    output: { said: 'yes' },
  })
  await until(session, ({ status }) => status === 'idle')
  await untilChat(chat, () => chat.status === 'ready')

  const [shown, kept] = shownTwice(chat, session)
  expect(shown).toEqual(kept)
  expect(session.getSnapshot().messages[2]).toMatchObject({
    results: [{ result: { structuredContent: { said: 'yes' } } }],
  })
})

test('what an agent that runs as a tool asks is asked in the part of its call', async () => {
  const inner = scriptedAgent([ask, 'Inner done.'], { tools: [echo({ needsApproval: true })] })
  const helper = agentTool(inner, { name: 'delegate', description: 'Delegates' })
  const { session, transport } = openChat([{ calls: [{ name: 'delegate', input: { task: 'x' } }] }, 'Outer done.'], {
    tools: [helper],
  })
  const chat = createChat(transport, automatically)
  await chat.sendMessage({ text: 'Go' })
  expect(lastShown(chat)).toEqual(['step-start', 'tool-delegate approval-requested'])
  expect(lastShown({ messages: await transport.loadMessages('chat') })).toEqual(lastShown(chat))

  await chat.addToolApprovalResponse({ id: approvalIn(chat), approved: true })
  await until(session, ({ status }) => status === 'idle')
  await untilChat(chat, () => chat.status === 'ready')

  expect(lastShown(chat)).toEqual(['step-start', 'tool-delegate output-available', 'step-start', 'Outer done.'])
})

test('an answer to another question decides nothing', async () => {
  const { chat, session } = openChat([ask], { tools: [echo({ needsApproval: true })] })
  await chat.sendMessage({ text: 'Go' })
  await chat.addToolApprovalResponse({ id: approvalIn(chat), approved: true })
  const stale = JSON.stringify(chat.messages).replaceAll(session.getSnapshot().pending[0]?.id ?? '', 'stale')
  chat.messages = JSON.parse(stale)

  await chat.sendMessage()

  expect(chat.error).toMatchObject({ code: 'bad-input' })
  expect(session.getSnapshot().status).toBe('awaiting')
})

test('a tool that the host answers can be answered with an error', async () => {
  const hosted = { ...echo(), isHostAnswered: true as const }
  const { session, transport } = openChat([ask, 'Noted.'], { tools: [hosted] })
  const chat = createChat(transport, { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls })
  await chat.sendMessage({ text: 'Go' })
  const part = chat.messages.at(-1)?.parts.find(({ type }) => type === 'tool-echo')
  const toolCallId = part && 'toolCallId' in part ? part.toolCallId : ''

  await chat.addToolOutput({ tool: 'echo', toolCallId, state: 'output-error', errorText: 'They left.' })
  await until(session, ({ status }) => status === 'idle')

  expect(session.getSnapshot().messages[2]).toMatchObject({
    results: [{ status: 'error', result: { isError: true, content: [{ text: 'They left.' }] } }],
  })
})
