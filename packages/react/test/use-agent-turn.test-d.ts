import type { Agent, Message, SessionStore, TurnResult } from '@turnloop/core'
import { type AgentTurn, useAgentTurn, useSelected, useSessions } from '@turnloop/react'

// Checked by the compiler alone: a line that stops compiling, or starts to, is the failure.

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

function same<A, B>(_equal: Same<A, B>): void {}

declare const agent: Agent
declare const cityAgent: Agent<{ city: string }>
declare const store: SessionStore
declare const isSameNumber: (a: number, b: number) => boolean
const options = { sessionId: 'a', store }

export function Cases(): void {
  const turn = useAgentTurn(agent, options)
  same<typeof turn, AgentTurn>(true)
  same<typeof turn.messages, readonly Message[]>(true)
  same<ReturnType<typeof turn.send>, Promise<TurnResult>>(true)

  const { send } = useAgentTurn(cityAgent, options)
  same<ReturnType<typeof send>, Promise<TurnResult<{ city: string }>>>(true)

  const sliced = useAgentTurn(cityAgent, options, (s) => s.retry)
  same<ReturnType<typeof sliced>, Promise<TurnResult<{ city: string }>>>(true)

  const status = useAgentTurn(agent, { sessionId: 'a' }, (s) => s.status)
  same<typeof status, AgentTurn['status']>(true)

  const built = useAgentTurn(agent, options, ({ send, messages }) => ({ send, count: messages.length }))
  same<typeof built, { send: AgentTurn['send']; count: number }>(true)

  const asked = useAgentTurn(agent, options, ({ pending, approve }) => ({ pending, approve }))
  same<typeof asked, { pending: AgentTurn['pending']; approve: AgentTurn['approve'] }>(true)

  const title = useAgentTurn(
    agent,
    options,
    (s) => s.title,
    (a, b) => a?.length === b?.length,
  )
  same<typeof title, string | undefined>(true)

  const open = useSelected(turn.session ?? never(), (snapshot) => snapshot.open)
  same<typeof open, AgentTurn['open']>(true)

  const ids = useSessions(store).sessions.map(({ id }) => id)
  same<typeof ids, string[]>(true)

  // @ts-expect-error: a conversation has to be named
  useAgentTurn(agent, { store })
  // @ts-expect-error: two slices are compared, and a status is not a number
  useAgentTurn(agent, options, (s) => s.status, isSameNumber)
  // @ts-expect-error: messages cannot be changed
  turn.messages.push()
  // @ts-expect-error: how a session is closed is not a component's business
  void turn.close
}

function never(): never {
  throw new Error('Never called.')
}
