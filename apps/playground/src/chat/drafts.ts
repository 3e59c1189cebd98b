import { type Observable, observable, useObservable } from '../app/observable.ts'

/** What is being written, by session, so that looking elsewhere loses nothing. */
const drafts: Observable<ReadonlyMap<string, string>> = observable<ReadonlyMap<string, string>>(new Map())

/** What is being written in a session. */
export function useDraft(sessionId: string): string {
  return useObservable(drafts).get(sessionId) ?? ''
}

/** Keep what is being written in a session. */
export function writeDraft(sessionId: string, text: string): void {
  drafts.set(new Map(drafts.get()).set(sessionId, text))
}

/** Put a text that was sent and never asked back, before whatever has been written since. */
export function giveBack(sessionId: string, text: string, turnId: string): void {
  const since = drafts.get().get(sessionId) ?? ''
  writeDraft(sessionId, since === '' ? text : `${text}\n${since}`)
  givenBack.set(new Set(givenBack.get()).add(turnId))
}

/** The turns whose question this page has given back. */
const givenBack: Observable<ReadonlySet<string>> = observable<ReadonlySet<string>>(new Set())

/** Whether the question of a turn was given back to whoever wrote it. */
export function useGivenBack(turnId: string): boolean {
  return useObservable(givenBack).has(turnId)
}
