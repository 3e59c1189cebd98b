import { isEntry, type LiveEvent, type Session, type TurnEvent } from '@turnloop/core'
import { useEffect } from 'react'
import { type Observable, observable, useObservable } from './observable.ts'
import { useTurn } from './use-turn.ts'

/** What hooks let the page hear while they run. None of it is stored. */
export type HookNote = Extract<
  LiveEvent,
  {
    type:
      | 'hook-started'
      | 'hook-finished'
      | 'hook-failed'
      | 'hook-blocked'
      | 'background-hook-failed'
      | 'eval-result'
      | 'content-retracted'
  }
>

/** What is told of one run of a hook. */
export type HookRun = Extract<HookNote, { id: string }>

/** Older ones are let go of: the log still tells what hooks did to their turns. */
const MOST_NOTES = 1_000

const NONE: Observable<readonly HookNote[]> = observable<readonly HookNote[]>([])
const heard = observable<ReadonlyMap<Session, Observable<readonly HookNote[]>>>(new Map())

/** What the hooks of the session in the address have told since this page opened it, oldest first. */
export function useHookNotes(): readonly HookNote[] {
  const session = useTurn((turn) => turn.session)
  const bySession = useObservable(heard)
  return useObservable((session && bySession.get(session)) ?? NONE)
}

/** Listen to the hooks of the session in the address from now on, also while another one is shown. */
export function useHookListener(): void {
  const session = useTurn((turn) => turn.session)
  useEffect(() => {
    if (session === undefined || heard.get().has(session)) return
    const notes = observable<readonly HookNote[]>([])
    heard.set(new Map(heard.get()).set(session, notes))
    // It ends with its session, and has nobody to tell of more than that.
    listen(session, notes).catch(() => {})
  }, [session])
}

async function listen(session: Session, notes: Observable<readonly HookNote[]>): Promise<void> {
  for await (const event of session.events())
    if (isHookNote(event)) notes.set([...notes.get(), event].slice(-MOST_NOTES))
  const left = new Map(heard.get())
  left.delete(session)
  heard.set(left)
}

/** What agents that run as a tool, or in a hook, do belongs to that tool or hook. */
function isHookNote(event: TurnEvent): event is HookNote {
  if (isEntry(event) || event.path !== undefined) return false
  switch (event.type) {
    case 'hook-started':
    case 'hook-finished':
    case 'hook-failed':
    case 'hook-blocked':
    case 'background-hook-failed':
    case 'eval-result':
    case 'content-retracted':
      return true
    default:
      return false
  }
}
