import { useChat } from '@ai-sdk/react'
import { createRoot } from 'react-dom/client'
import { createRow, Transcript } from './rows.jsx'

const textOf = ({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

/** `useChat` over a transport. */
export function mountChat({ root, history, rows }, transport) {
  const Row = createRow(textOf, rows)
  const earlier = history.map(({ id, role, text }) => ({ id, role, parts: [{ type: 'text', text }] }))
  let send = () => {}
  const Chat = () => {
    const { messages, sendMessage } = useChat({ transport, messages: earlier })
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
  return () => send({ text: 'go' })
}
