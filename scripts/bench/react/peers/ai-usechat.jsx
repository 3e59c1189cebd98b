import { mountChat } from '../ai-chat.jsx'
import { streamOf } from '../browser-model.mjs'
import { createPage } from '../react-page.mjs'

async function* chunksOf(source) {
  yield { type: 'start' }
  yield { type: 'start-step' }
  yield { type: 'text-start', id: 't0' }
  for await (const delta of source()) yield { type: 'text-delta', id: 't0', delta }
  yield { type: 'text-end', id: 't0' }
  yield { type: 'finish-step' }
  yield { type: 'finish' }
}

/** `useChat` of the AI SDK without an agent behind it: its own stream chunks, as a server would send them. */
const mount = (options) =>
  mountChat(options, {
    sendMessages: async () => streamOf(chunksOf(options.source)),
    reconnectToStream: async () => null,
  })

export default createPage(mount)
