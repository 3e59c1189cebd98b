import { stream } from '@tanstack/ai-react'
import { createPage } from '../react-page.mjs'
import { eventsOf, mountChat } from '../tanstack-chat.jsx'

/** `useChat` of TanStack AI without an agent behind it: its own events, as a server would send them. */
export default createPage((options) =>
  mountChat(
    options,
    stream(() => eventsOf(options.source)),
  ),
)
