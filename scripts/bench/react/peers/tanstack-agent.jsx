import { chat } from '@tanstack/ai'
import { stream } from '@tanstack/ai-react'
import { createPage } from '../react-page.mjs'
import { eventsOf, mountChat } from '../tanstack-chat.jsx'

/** `useChat` over TanStack AI's `chat` in the page. */
function mount(options) {
  const adapter = {
    kind: 'text',
    name: 'mock',
    model: 'mock',
    chatStream: (run) => eventsOf(options.source, run),
    structuredOutput: async () => ({}),
  }
  return mountChat(
    options,
    stream((messages) => chat({ adapter, messages })),
  )
}

export default createPage(mount)
