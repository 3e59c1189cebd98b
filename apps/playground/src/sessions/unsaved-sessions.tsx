import type { StorageStatus } from '@turnloop/core'
import { useAgentTurn, useSessions } from '@turnloop/react'
import { type ReactElement, useEffect, useEffectEvent } from 'react'
import { type Observable, observable, useObservable } from '../app/observable.ts'
import { useData, usePlayground } from '../app/playground-context.ts'
import { useSessionId } from '../app/route.ts'
import { toasts } from '../app/toasts.tsx'
import { useTurn } from '../app/use-turn.ts'

/** Conversations of which something waits in this tab because it cannot be saved: their titles by their ids. */
export const unsavedSessions: Observable<ReadonlyMap<string, string>> = observable<ReadonlyMap<string, string>>(
  new Map(),
)

/**
 * Keeps in mind what cannot be saved, also of conversations that were left: they stay within reach, are saved once there is
 * room, and the tab is not closed without a question.
 */
export function UnsavedSessions(): ReactElement[] {
  const unsaved = useObservable(unsavedSessions)
  useNotedWhenUnsaved()
  useAskedBeforeLeaving(unsaved.size > 0)
  return [...unsaved.keys()].map((id) => <Unsaved key={id} sessionId={id} />)
}

/** Whether something waits that the browser does not take. What is on its way is saved in a moment. */
function isUnsaved({ state, waiting }: StorageStatus): boolean {
  return waiting > 0 && (state === 'full' || state === 'blocked' || state === 'degraded')
}

function useNotedWhenUnsaved(): void {
  const sessionId = useSessionId()
  const title = useTurn((turn) => (isUnsaved(turn.storage) ? (turn.title ?? 'Untitled') : undefined))
  useEffect(() => {
    if (title !== undefined) unsavedSessions.set(new Map(unsavedSessions.get()).set(sessionId, title))
  }, [sessionId, title])
}

function Unsaved({ sessionId }: { sessionId: string }): null {
  const { agent, store } = usePlayground()
  const { tables } = useData()
  const { sessions } = useSessions(store)
  const { waits, isSaved, flush } = useAgentTurn(agent, { sessionId, store }, ({ storage, status, flush }) => ({
    waits: isUnsaved(storage) || status === 'loading',
    isSaved: storage.state === 'ready',
    flush,
  }))
  useEffect(() => {
    if (waits) return
    const others = [...unsavedSessions.get()].filter(([id]) => id !== sessionId)
    unsavedSessions.set(new Map(others))
    if (isSaved && others.length === 0) toasts.add({ title: 'Everything is saved again.' })
  }, [waits, isSaved, sessionId])
  const kept = sessions.length + tables.length
  const save = useEffectEvent(() => flush())
  // biome-ignore lint/correctness/useExhaustiveDependencies: something was deleted, so there may be room
  useEffect(() => {
    void save()
  }, [kept])
  return null
}

function useAskedBeforeLeaving(isUnsafe: boolean): void {
  useEffect(() => {
    if (!isUnsafe) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isUnsafe])
}
