import { useSyncExternalStore } from 'react'
import { randomId } from './random-id.ts'

const SESSION_HASH = /^#\/s\/([\w-]{1,64})$/

/** The address of a session within this browser. */
export function sessionHref(sessionId: string): string {
  return `#/s/${sessionId}`
}

/** Go to a session and make a step in the history, so that Back returns here. */
export function goToSession(sessionId: string): void {
  location.hash = sessionHref(sessionId)
}

/** Go to a session that does not exist yet; it is stored with its first message. */
export function goToNewSession(): void {
  goToSession(randomId())
}

/** The session that the address names. An address that names none is replaced by that of a new session. */
export function useSessionId(): string {
  return useSyncExternalStore(subscribe, currentSessionId)
}

function currentSessionId(): string {
  const named = SESSION_HASH.exec(location.hash)?.[1]
  if (named !== undefined) return named
  const fresh = randomId()
  history.replaceState(null, '', sessionHref(fresh))
  return fresh
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange)
  return () => window.removeEventListener('hashchange', onChange)
}
