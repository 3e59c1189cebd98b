import { type Agent, type OpenSessionOptions, type SessionHost, type SessionStore, TurnloopError } from '@turnloop/core'
import { createContext, type ReactNode, use, useMemo } from 'react'
import { findTurnStore, type UseAgentTurnOptions } from './session-registry.ts'
import type { TurnStore } from './turn-store.ts'
import type { AgentTurn } from './turn-view.ts'
import { useAgentTurn } from './use-agent-turn.ts'
import type { IsEqual } from './use-selected.ts'

/** What the conversations below an `AgentProvider` have in common. */
export interface AgentProviderProps {
  /** Who answers; or what `connectSession` of `@turnloop/worker/connect` gives, and then a worker drives. */
  agent: Agent | SessionHost
  /** Where conversations are kept. Default: in memory, as long as the agent lives. */
  store?: SessionStore
  /** How they are opened: `makeRoom`, `resume`, and what else `openSession` takes. Counts for whoever opens one. */
  sessionOptions?: Omit<OpenSessionOptions, 'agent' | 'id' | 'store'>
  children?: ReactNode
}

type Home = Pick<AgentProviderProps, 'agent' | 'store' | 'sessionOptions'>

const HomeContext = createContext<Home | undefined>(undefined)

/**
 * Say once which agent answers and where conversations are kept, for `useSession`, `useSessions` and `<Messages>` below.
 *
 * It holds nothing and opens nothing. Another `agent` counts from the next turn on, another `store` shows other conversations.
 */
export function AgentProvider({ agent, store, sessionOptions, children }: AgentProviderProps): ReactNode {
  const home = useMemo(
    () => ({ agent, ...(store && { store }), ...(sessionOptions && { sessionOptions }) }),
    [agent, store, sessionOptions],
  )
  return <HomeContext value={home}>{children}</HomeContext>
}

/** `useAgentTurn` with the agent and the store of the `AgentProvider` around it. Throws `bad-option` where there is none. */
export function useSession(sessionId: string): AgentTurn
/** Show a part of it: renders again only when what `select` returns has changed. */
export function useSession<Slice>(
  sessionId: string,
  select: (turn: AgentTurn) => Slice,
  isEqual?: IsEqual<Slice>,
): Slice
export function useSession(
  sessionId: string,
  select: (turn: AgentTurn) => unknown = (turn) => turn,
  isEqual?: IsEqual<unknown>,
): unknown {
  const { agent, ...options } = useConversation(sessionId, 'useSession')
  return useAgentTurn(agent, options, select, isEqual)
}

/** The store of a conversation below an `AgentProvider`, of which `useSession` shows a part. */
export function useTurnStore(sessionId: string): TurnStore {
  const { agent, ...options } = useConversation(sessionId, 'Messages')
  return findTurnStore(agent, options)
}

function useConversation(sessionId: string, user: string): UseAgentTurnOptions & Pick<Home, 'agent'> {
  const home = use(HomeContext)
  if (home === undefined) throw noProvider(user)
  const { agent, store, sessionOptions } = home
  return { ...sessionOptions, agent, sessionId, ...(store && { store }) }
}

/** The store of the `AgentProvider` around a component, or of the host that it names. */
export function useProvidedStore(): SessionStore | undefined {
  const home = use(HomeContext)
  return home?.store ?? (home && 'open' in home.agent ? home.agent.store : undefined)
}

/** The error of a hook that finds nothing around it. */
export function noProvider(hook: string): TurnloopError {
  return new TurnloopError('bad-option', `${hook}: put <AgentProvider agent={…} store={…}> around this component.`)
}
