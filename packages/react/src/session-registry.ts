import { type Agent, type OpenSessionOptions, openSession, type SessionHost, type SessionStore } from '@turnloop/core'
import { TurnStore } from './turn-store.ts'

/**
 * Which conversation a hook shows. `store` is where it is kept: without one it lives in memory, as long as the agent does.
 * The other options of `openSession` count for whoever opens it. A worker that drives has its own.
 */
export interface UseAgentTurnOptions extends Omit<OpenSessionOptions, 'agent' | 'id'> {
  sessionId: string
}

/** One store per conversation, whatever the number of hooks. Weak: what nobody can name any more is forgotten. */
const turnStores = new WeakMap<SessionStore | Agent, Map<string, TurnStore>>()

/**
 * Find the store of a conversation: the same one for every hook with this `store` (or, without one, this `agent`) and id.
 *
 * It may be called while rendering: nothing is opened here. A server renders many people's pages in one process, so
 * there nothing is remembered either.
 */
export function findTurnStore(agent: Agent | SessionHost, options: UseAgentTurnOptions): TurnStore {
  const { sessionId, ...rest } = options
  const home = options.store ?? ('open' in agent ? agent.store : agent)
  const known = turnStores.get(home)?.get(sessionId)
  if (known !== undefined) return known
  const turns = new TurnStore(agent, (current) =>
    'open' in current ? current.open(sessionId) : openSession({ ...rest, agent: current, id: sessionId }),
  )
  if (typeof window !== 'undefined') turnStores.set(home, (turnStores.get(home) ?? new Map()).set(sessionId, turns))
  return turns
}

/** Stop and close a conversation of this page, if it is open, so that its log can be removed. */
export async function discardSession(store: SessionStore, sessionId: string): Promise<void> {
  await turnStores.get(store)?.get(sessionId)?.discard()
}
