import type { Message } from '@turnloop/core'
import { memo, type ReactNode } from 'react'
import { useSession } from './agent-provider.tsx'

/** What `Messages` draws, and how. */
export interface MessagesProps {
  sessionId: string
  /** Draws one message: again only when that has changed, or when the owner renders and this is another function then. */
  children: (message: Message) => ReactNode
}

/**
 * The messages of a conversation, the growing one last, each drawn by the function between the tags.
 *
 * While a reply grows, a frame draws that reply and nothing else, with no `memo` of yours, and the owner does not render at
 * all. Needs an `AgentProvider` around it.
 */
export function Messages({ sessionId, children }: MessagesProps): ReactNode {
  const messages = useSession(sessionId, (turn) => turn.messages)
  return messages.map((message) => <Row key={message.id} message={message} draw={children} />)
}

const Row = memo(function Row({ message, draw }: { message: Message; draw: MessagesProps['children'] }): ReactNode {
  return draw(message)
})
