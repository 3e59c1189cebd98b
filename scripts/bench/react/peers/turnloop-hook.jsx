import { useAgentTurn } from '@turnloop/react'
import { createRoot } from 'react-dom/client'
import { createPage } from '../react-page.mjs'
import { createRow, Transcript } from '../rows.jsx'
import { textOf, turnloopChat } from '../turnloop-chat.jsx'

/** Turnloop with a session; the component that has the hook draws the rows itself, as the other peers do. */
async function mount(options) {
  const { agent, store, sessionId } = await turnloopChat(options)
  const Row = createRow(textOf, options.rows)
  let send = () => {}
  const Chat = () => {
    const turn = useAgentTurn(agent, { sessionId, store })
    send = turn.send
    return (
      <Transcript>
        {turn.messages.map((message) => (
          <Row key={message.id} message={message} />
        ))}
      </Transcript>
    )
  }
  createRoot(options.root).render(<Chat />)
  return () => send('go')
}

export default createPage(mount)
