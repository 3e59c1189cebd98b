import type { Agent, Session, SessionStore } from '@turnloop/core'
import { useAgentTurn, useSessions } from '@turnloop/react'
import { TurnloopDevtools } from '@turnloop/react/devtools'
import { createElement, type ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { findTurnStore } from '../src/session-registry.ts'

// A server renders without asking either of them anything: whatever is touched throws.
const agent = untouchable<Agent>('agent')
const store = untouchable<SessionStore>('store')

function untouchable<T extends object>(name: string): T {
  const refuse = (): never => {
    throw new Error(`The ${name} was used on a server.`)
  }
  // The type is the point of the proxy: it stands for any of them.
  return new Proxy({}, { get: refuse, has: refuse }) as T
}

function Chat(): ReactNode {
  const { status, messages, session, getEntries } = useAgentTurn(agent, { sessionId: 'a', store })
  return `${status} ${messages.length} ${session === undefined} ${getEntries().length}`
}

function Status(): ReactNode {
  return useAgentTurn(agent, { sessionId: 'a', store }, (turn) => ({ status: turn.status })).status
}

function Sessions(): ReactNode {
  const { status, sessions } = useSessions(store)
  return `${status} ${sessions.length}`
}

test('a server shows a session that loads, and opens nothing', () => {
  expect(renderToString(createElement(Chat))).toBe('loading 0 true 0')
})

test('a selector works on a server', () => {
  expect(renderToString(createElement(Status))).toBe('loading')
})

test('a server shows a list that loads, and reads nothing', () => {
  expect(renderToString(createElement(Sessions))).toBe('loading 0')
})

test('a server remembers no session from one page to the next', () => {
  const options = { sessionId: 'a', store }

  expect(findTurnStore(agent, options)).not.toBe(findTurnStore(agent, options))
})

test('a server renders nothing of the devtools, and asks the session nothing', () => {
  const session = untouchable<Session>('session')

  expect(renderToString(createElement(TurnloopDevtools, { session, initialIsOpen: true }))).toBe('')
})
