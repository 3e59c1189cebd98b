import type { SessionInput, UserPart } from '@turnloop/core'
import { type Observable, observable, useObservable } from '../app/observable.ts'
import { randomId } from '../app/random-id.ts'
import { attachedFile, joinInput, splitInput } from '../attachments/attached-parts.ts'

/** A question that is being written. */
export interface Draft {
  readonly text: string
  readonly files: readonly DraftFile[]
}

/** A file that will go with a question. While it is being read it has no part yet. */
export interface DraftFile {
  readonly id: string
  readonly name: string
  readonly part?: UserPart
  /** How far reading it is, in words. */
  readonly progress?: string
}

/** What is being written, by session, so that looking elsewhere loses nothing. */
const drafts: Observable<ReadonlyMap<string, Draft>> = observable<ReadonlyMap<string, Draft>>(new Map())

const NOTHING: Draft = { text: '', files: [] }

/** What is being written in a session. */
export function useDraft(sessionId: string): Draft {
  return useObservable(drafts).get(sessionId) ?? NOTHING
}

/** What is being written in a session, now. */
export function readDraft(sessionId: string): Draft {
  return drafts.get().get(sessionId) ?? NOTHING
}

/** Keep what is being written in a session. */
export function writeDraft(sessionId: string, changes: Partial<Draft>): void {
  drafts.set(new Map(drafts.get()).set(sessionId, { ...readDraft(sessionId), ...changes }))
}

/** Change one of the files of a draft; without changes it is taken out. One that is no longer there stays away. */
export function writeDraftFile(sessionId: string, id: string, changes?: Partial<DraftFile>): void {
  const { files } = readDraft(sessionId)
  const next = files.flatMap((file) => {
    if (file.id !== id) return file
    return changes === undefined ? [] : { ...file, ...changes }
  })
  writeDraft(sessionId, { files: next })
}

/** What a draft is sent as; `undefined` where there is nothing to send, or a file is still being read. */
export function draftInput({ text, files }: Draft): SessionInput | undefined {
  const parts = files.flatMap(({ part }) => part ?? [])
  if (parts.length < files.length || (parts.length === 0 && text.trim() === '')) return undefined
  return joinInput({ text: text.trim(), files: parts })
}

/** Put what was sent and never asked back, before whatever has been written since. */
export function giveBack(sessionId: string, input: SessionInput, turnId: string): void {
  const since = readDraft(sessionId)
  const { text, files } = splitInput(input)
  writeDraft(sessionId, {
    text: [text, since.text].filter((words) => words !== '').join('\n'),
    files: [...files.map(toDraftFile), ...since.files],
  })
  givenBack.set(new Set(givenBack.get()).add(turnId))
}

function toDraftFile(part: UserPart): DraftFile {
  return { id: randomId(), name: attachedFile(part).name, part }
}

/** The turns whose question this page has given back. */
const givenBack: Observable<ReadonlySet<string>> = observable<ReadonlySet<string>>(new Set())

/** Whether the question of a turn was given back to whoever wrote it. */
export function useGivenBack(turnId: string): boolean {
  return useObservable(givenBack).has(turnId)
}
