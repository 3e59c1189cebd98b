import { isTurnloopError, type SessionHead, type SessionStore, StorageError, type TurnloopError } from '@turnloop/core'
import { useSyncExternalStore } from 'react'
import { createStore } from 'zustand/vanilla'
import { noProvider, useProvidedStore } from './agent-provider.tsx'
import { discardSession } from './session-registry.ts'
import type { Readable } from './use-selected.ts'

/** The sessions of a store, and what can be done with the list. */
export interface SessionsView {
  /** Newest first. After a failed reading: as they last were. */
  readonly sessions: readonly SessionHead[]
  readonly status: 'loading' | 'ready' | 'failed'
  /** Why the last reading failed. */
  readonly error: TurnloopError | undefined
  /** Read the list again. Never rejects: a failure is in `error`. */
  refresh(): Promise<void>
  /**
   * Stop the session if it is open in this page, and remove it for good. Whoever still shows it sees `closed`. Rejects
   * with what the store throws.
   */
  remove(sessionId: string): Promise<void>
}

const lists = new WeakMap<SessionStore, Readable<SessionsView>>()

/**
 * Show the sessions of a store, newest first, kept up to date while the component is mounted. Default: the store of the
 * `AgentProvider` around it.
 *
 * Components with the same store share one list. It is read after the first commit and again whenever the store tells
 * of a change; `refresh` is for stores that cannot tell.
 */
export function useSessions(given?: SessionStore): SessionsView {
  const provided = useProvidedStore()
  const store = given ?? provided
  if (store === undefined) throw noProvider('useSessions')
  const list = lists.get(store) ?? createSessionList(store)
  lists.set(store, list)
  return useSyncExternalStore(list.subscribe, list.getSnapshot, list.getServerSnapshot)
}

/** The list of one store's sessions, kept up to date while somebody shows it. */
function createSessionList(store: SessionStore): Readable<SessionsView> {
  let users = 0
  let stopWatching: (() => void) | undefined
  let reading: Promise<void> | undefined
  let isStale = false

  // A change during a reading asks for one more, however many changes there were.
  const refresh = (): Promise<void> => {
    isStale = true
    reading ??= readWhileStale()
    return reading
  }
  const readWhileStale = async (): Promise<void> => {
    while (isStale) {
      isStale = false
      view.setState(await readHeads(store))
    }
    reading = undefined
  }
  const remove = async (sessionId: string): Promise<void> => {
    await discardSession(store, sessionId)
    await store.remove(sessionId)
    await refresh()
  }
  const view = createStore<SessionsView>(() => ({ sessions: [], status: 'loading', error: undefined, refresh, remove }))

  const subscribe = (listener: () => void): (() => void) => {
    const unsubscribe = view.subscribe(listener)
    users += 1
    if (users === 1) {
      stopWatching = store.subscribe?.(refresh)
      void refresh()
    }
    return () => {
      unsubscribe()
      users -= 1
      if (users === 0) stopWatching?.()
    }
  }
  return { getSnapshot: view.getState, getServerSnapshot: view.getInitialState, subscribe }
}

/** Never rejects. */
async function readHeads(store: SessionStore): Promise<Partial<SessionsView>> {
  try {
    return { sessions: await store.list(), status: 'ready', error: undefined }
  } catch (cause) {
    const message = 'The list of sessions could not be read. See `cause` for what the store threw.'
    const error = isTurnloopError(cause) ? cause : new StorageError('storage-unavailable', message, { cause })
    return { status: 'failed', error }
  }
}
