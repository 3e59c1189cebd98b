import { type AgentTurn, useAgentTurn } from '@turnloop/react'
import { usePlayground } from './playground-context.ts'
import { useSessionId } from './route.ts'

/** A slice of the session in the address; renders again only when the slice, or a member of one that is built, changes. */
export function useTurn<Slice>(select: (turn: AgentTurn) => Slice, isEqual?: (a: Slice, b: Slice) => boolean): Slice {
  const { agent, store } = usePlayground()
  const sessionId = useSessionId()
  return useAgentTurn(agent, { sessionId, store }, select, isEqual)
}
