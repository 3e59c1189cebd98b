import type { Agent, SessionHost } from '@turnloop/core'
import { useEffect } from 'react'
import { findTurnStore, type UseAgentTurnOptions } from './session-registry.ts'
import type { AgentTurn } from './turn-view.ts'
import { type IsEqual, useSelected } from './use-selected.ts'

/**
 * Show a conversation and command it.
 *
 * Every component that names the same `store` and `sessionId` shares one session, which is opened after the first commit
 * and goes on when they unmount: a turn runs to its end, and a later mount shows it as it then is. Changing `sessionId`
 * shows the other conversation from the very next commit; the one left goes on too, unless you `cancel()` it. Changing
 * `agent` counts from the next turn on. Create agent and store outside of components. In the place of an agent goes what
 * `connectSession` of `@turnloop/worker/connect` gives: then a worker drives, and this page only shows.
 *
 * While text streams, the component renders at most once per animation frame.
 *
 * On a server, while hydrating and in a first render the `status` is `loading` and `messages` is empty.
 */
export function useAgentTurn<Output>(
  agent: Agent<Output> | SessionHost,
  options: UseAgentTurnOptions,
): AgentTurn<Output>
/**
 * Show a part of a conversation: renders again only when what `select` returns has changed.
 *
 * `select` may be written inline and may build objects; see `useSelected` for when two results count as the same.
 */
export function useAgentTurn<Slice, Output = unknown>(
  agent: Agent<Output> | SessionHost,
  options: UseAgentTurnOptions,
  select: (turn: AgentTurn<Output>) => Slice,
  isEqual?: IsEqual<Slice>,
): Slice
export function useAgentTurn(
  agent: Agent | SessionHost,
  options: UseAgentTurnOptions,
  select: (turn: AgentTurn) => unknown = (turn) => turn,
  isEqual?: IsEqual<unknown>,
): unknown {
  const turns = findTurnStore(agent, options)
  // Before the subscription, which opens the session with the agent it is given here.
  useEffect(() => turns.setAgent(agent), [turns, agent])
  return useSelected(turns, select, isEqual)
}
