import { useChat } from '@ai-sdk/react'
import { AgentTransport, type TurnloopUIMessage } from '@turnloop/ai-sdk/ui'
import { createAgent, MemoryStore, openSession, type Session, type SessionStore, tool } from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { deferred, type Script, scriptedModel } from '@turnloop/testing'
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from './strict-render.ts'

const weather = tool({
  name: 'weather',
  description: 'Weather',
  input: jsonSchema({ type: 'object' }),
  effect: 'read',
  execute: () => ({ degrees: 20 }),
})
const pay = tool({
  name: 'pay',
  description: 'Pays',
  input: jsonSchema({ type: 'object' }),
  needsApproval: true,
  execute: () => 'paid',
})

function open(
  script: Script,
  store: SessionStore = new MemoryStore(),
): { session: Session; transport: AgentTransport } {
  const agent = createAgent({ model: scriptedModel(script), tools: [weather, pay] })
  const session = openSession({ agent, id: 'chat', store })
  return { session, transport: new AgentTransport({ session }) }
}

interface ChatProps {
  readonly transport: AgentTransport
  readonly messages?: TurnloopUIMessage[]
}

/** As it stands in the AI SDK's own guides. */
function Chat({ transport, messages: initial = [] }: ChatProps): ReactNode {
  const { messages, sendMessage, status, stop, error, addToolApprovalResponse } = useChat<TurnloopUIMessage>({
    id: 'chat',
    messages: initial,
    transport,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  return (
    <>
      <output aria-label="status">{error === undefined ? status : error.message}</output>
      <button type="button" onClick={() => sendMessage({ text: 'Go' })}>
        Send
      </button>
      <button type="button" onClick={stop}>
        Stop
      </button>
      <ol>
        {messages.map(({ id, role, parts }) => (
          <li key={id}>
            {`${role}: `}
            {parts.map((part, index) => {
              const key = `${id}.${index}`
              if (part.type === 'text') return <span key={key}>{part.text} </span>
              if (part.type === 'tool-weather') return <span key={key}>{JSON.stringify(part.output)} </span>
              if (part.type !== 'tool-pay') return null
              if (part.state !== 'approval-requested') return <span key={key}>{part.state} </span>
              const { id: approvalId } = part.approval
              return (
                <button
                  key={key}
                  type="button"
                  onClick={() => addToolApprovalResponse({ id: approvalId, approved: true })}
                >
                  Allow
                </button>
              )
            })}
          </li>
        ))}
      </ol>
    </>
  )
}

function show(props: ChatProps) {
  return render(<Chat {...props} />)
}

const lines = () =>
  page
    .getByRole('listitem')
    .elements()
    .map(({ textContent }) => textContent?.trim())
const status = page.getByRole('status')

test('a question is answered with a tool on the way', async () => {
  const { transport } = open([{ text: 'Let me look.', calls: [{ name: 'weather' }] }, 'It is warm.'])
  await show({ transport })

  await page.getByText('Send').click()

  await expect.poll(lines).toEqual(['user: Go', 'assistant: Let me look. {"degrees":20} It is warm.'])
  await expect.element(status).toHaveTextContent('ready')
})

test('Stop cuts the reply and the next question is answered', async () => {
  const { transport, session } = open([{ text: 'On and on', hang: 'until-abort' }, 'Yes.'])
  await show({ transport })
  await page.getByText('Send').click()
  await expect.poll(lines).toEqual(['user: Go', 'assistant: On and on'])
  await expect.element(status).toHaveTextContent('streaming')

  await page.getByText('Stop').click()
  await expect.element(status).toHaveTextContent('ready')
  await page.getByText('Send').click()

  await expect.poll(lines).toEqual(['user: Go', 'assistant: On and on', 'user: Go', 'assistant: Yes.'])
  await expect.poll(() => session.getSnapshot().outcome?.kind).toBe('completed')
})

test('a call is allowed by a button in its own part', async () => {
  const { transport } = open([{ calls: [{ name: 'pay' }] }, 'Done.'])
  await show({ transport })
  await page.getByText('Send').click()

  await page.getByText('Allow').click()

  await expect.poll(lines).toEqual(['user: Go', 'assistant: output-available Done.'])
})

test('a reload in the middle of a reply goes on where the log stands', async () => {
  const store = new MemoryStore()
  const gate = deferred()
  const before = open(
    [
      { text: 'First.', calls: [{ name: 'weather' }] },
      { text: 'Half', hang: 'until-abort' },
    ],
    store,
  )
  const first = await show({ transport: before.transport })
  await page.getByText('Send').click()
  await expect.poll(lines).toEqual(['user: Go', 'assistant: First. {"degrees":20} Half'])
  // What a page that is gone leaves behind: no end of the turn, and no clean-up of components.
  await before.session.close({ running: 'leave' })
  await first.unmount()

  const after = open([{ text: 'The whole.', gate: gate.promise }], store)
  await show({ transport: after.transport, messages: await after.transport.loadMessages('chat') })
  await expect.element(status).toHaveTextContent('streaming')
  gate.resolve()

  await expect.poll(lines).toEqual(['user: Go', 'assistant: First. {"degrees":20} The whole.'])
  await expect.element(status).toHaveTextContent('ready')
  expect(after.session.getSnapshot().outcome?.kind).toBe('completed')
})

test('a component that comes back shows a turn that ran on', async () => {
  const gate = deferred()
  const { session } = open([{ text: 'So far. The end.', gate: gate.promise }])
  const transport = new AgentTransport({ session, onStop: 'leave' })
  const first = await show({ transport })
  await page.getByText('Send').click()
  await expect.poll(() => session.getSnapshot().activity?.kind).toBe('model')
  await first.unmount()

  await show({ transport, messages: await transport.loadMessages('chat') })
  await expect.element(status).toHaveTextContent('submitted')
  gate.resolve()

  await expect.poll(lines).toEqual(['user: Go', 'assistant: So far. The end.'])
  await expect.element(status).toHaveTextContent('ready')
})
