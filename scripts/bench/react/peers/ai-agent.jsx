import { DirectChatTransport, ToolLoopAgent } from 'ai'
import { mountChat } from '../ai-chat.jsx'
import { browserModel } from '../browser-model.mjs'
import { createPage } from '../react-page.mjs'

/** `useChat` over the AI SDK's `ToolLoopAgent` in the page. */
const mount = (options) => {
  const agent = new ToolLoopAgent({ model: browserModel(options.source) })
  return mountChat(options, new DirectChatTransport({ agent }))
}

export default createPage(mount)
