import type { Message } from '@turnloop/core'
import { memo, type ReactNode } from 'react'
import { useSession, useTurnStore } from './agent-provider.tsx'
import type { AgentTurn } from './turn-view.ts'
import { type Readable, useSelected } from './use-selected.ts'

/** What `Messages` draws, and how. */
export interface MessagesProps {
  sessionId: string
  /** Draws one message: again only when that has changed, or when the owner renders and this is another function then. */
  children: (message: Message) => ReactNode
}

/**
 * The messages of a conversation, the growing one last, each drawn by the function between the tags.
 *
 * While a reply grows, a frame draws that reply and looks at no other row, with no `memo` of yours, and the owner does not
 * render at all. Needs an `AgentProvider` around it.
 */
export function Messages({ sessionId, children }: MessagesProps): ReactNode {
  const turns = useTurnStore(sessionId)
  const rows = useSession(sessionId, (turn) => turn.messages, isSameList)
  return rows.map((message, index) => (
    <Row key={message.id} message={message} draw={children} turns={index === rows.length - 1 ? turns : STILL} />
  ))
}

/** Whether two lists have the same rows: then the last one, which may grow, draws itself. */
function isSameList(before: readonly Message[], after: readonly Message[]): boolean {
  const last = before.length - 1
  if (after.length !== before.length || after[last]?.id !== before[last]?.id) return false
  return before.every((message, index) => index === last || message === after[index])
}

interface RowProps {
  /** As it was when the list was drawn. */
  readonly message: Message
  readonly draw: MessagesProps['children']
  /** Where the message is looked up while it may grow. */
  readonly turns: Readable<Pick<AgentTurn, 'messages'>>
}

/** One component for closed and growing messages, so that none is mounted anew when it closes. */
const Row = memo(function Row({ message, draw, turns }: RowProps): ReactNode {
  const current = useSelected(
    turns,
    ({ messages }) => messages.findLast(({ id }) => id === message.id) ?? message,
    Object.is,
  )
  return <Drawn message={current} draw={draw} />
})

const Drawn = memo(function Drawn({ message, draw }: Pick<RowProps, 'message' | 'draw'>): ReactNode {
  return draw(message)
})

const NOTHING: { readonly messages: readonly Message[] } = { messages: [] }

/** What a row that is closed looks at: it never changes. */
const STILL: RowProps['turns'] = { getSnapshot: () => NOTHING, subscribe: () => () => {} }
