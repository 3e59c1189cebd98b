import { useChat } from '@tanstack/ai-react'
import { createRoot } from 'react-dom/client'
import { createRow, Transcript } from './rows.jsx'

const textOf = ({ parts }) => parts.map((part) => (part.type === 'text' ? part.content : '')).join('')

/** TanStack AI's `useChat` over a connection. */
export function mountChat({ root, history, rows }, connection) {
  const Row = createRow(textOf, rows)
  const initialMessages = history.map(({ id, role, text }) => ({ id, role, parts: [{ type: 'text', content: text }] }))
  let send = () => {}
  const Chat = () => {
    const { messages, sendMessage } = useChat({ connection, initialMessages })
    send = sendMessage
    return (
      <Transcript>
        {messages.map((message) => (
          <Row key={message.id} message={message} />
        ))}
      </Transcript>
    )
  }
  createRoot(root).render(<Chat />)
  return () => send('go')
}

/** One answer as the library's own events. */
export async function* eventsOf(source, { runId = 'r', threadId = 't' } = {}) {
  const stamp = () => ({ model: 'mock', timestamp: Date.now() })
  yield { type: 'RUN_STARTED', runId, threadId, ...stamp() }
  yield { type: 'TEXT_MESSAGE_START', messageId: 'm0', role: 'assistant', ...stamp() }
  for await (const delta of source()) {
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm0', delta, model: 'mock', timestamp: Date.now() }
  }
  yield { type: 'TEXT_MESSAGE_END', messageId: 'm0', ...stamp() }
  yield { type: 'RUN_FINISHED', runId, threadId, finishReason: 'stop', ...stamp() }
}
