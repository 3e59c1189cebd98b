import { AgentProvider, Messages, useSession } from '@turnloop/react'
import { createRoot } from 'react-dom/client'
import { createPage } from '../react-page.mjs'
import { createRow, Transcript } from '../rows.jsx'
import { textOf, turnloopChat } from '../turnloop-chat.jsx'

/** Turnloop with a session; the rows are drawn by `<Messages>`. */
async function mount(options) {
  const { agent, store, sessionId } = await turnloopChat(options)
  const Row = createRow(textOf, options.rows)
  let send = () => {}
  const Chat = () => {
    send = useSession(sessionId, (turn) => turn.send)
    return (
      <Transcript>
        <Messages sessionId={sessionId}>{(message) => <Row message={message} />}</Messages>
      </Transcript>
    )
  }
  createRoot(options.root).render(
    <AgentProvider agent={agent} store={store}>
      <Chat />
    </AgentProvider>,
  )
  return () => send('go')
}

export default createPage(mount)
