import type { Message, SessionInput, TurnResult, UserMessage } from '@turnloop/core'
import { useCallback, useEffect, useMemo } from 'react'
import { useSessionId } from '../app/route.ts'
import { toasts } from '../app/toasts.tsx'
import { STOPPED_BY_USER } from '../app/use-stop.ts'
import { useTurn } from '../app/use-turn.ts'
import { questionName } from '../attachments/attached-parts.ts'
import { giveBack } from './drafts.ts'

const TITLE_LENGTH = 60

/**
 * Ask a question in the session in the address. While a turn runs it is queued, or, with `'steer'`, joins that turn.
 *
 * One that is stopped before it was asked, or that a check holds back, goes back to where it was written.
 */
export function useAsk(): (question: SessionInput, whenBusy?: 'queue' | 'steer') => void {
  const send = useTurn((turn) => turn.send)
  const watch = useWatchedQuestion()
  return useCallback((question, whenBusy = 'queue') => watch(question, send(question, { whenBusy })), [watch, send])
}

/** Ask something else in place of a question, or the same again: what came after it is set aside. */
export function useAskInstead(): {
  edit(messageId: string, input: SessionInput): void
  again(messageId: string): void
} {
  const { edit, regenerate } = useTurn((turn) => ({ edit: turn.edit, regenerate: turn.regenerate }))
  const watch = useWatchedQuestion()
  return useMemo(
    () => ({
      edit: (messageId, input) => watch(input, edit(messageId, input)),
      again: (messageId) => void regenerate(messageId).catch(notSent),
    }),
    [watch, edit, regenerate],
  )
}

/** Keeps an eye on a question on its way: it is given back if it was never asked, and failures are shown. */
function useWatchedQuestion(): (question: SessionInput, asked: Promise<TurnResult>) => void {
  const sessionId = useSessionId()
  return useCallback(
    (question, asked) => {
      const ended = (result: TurnResult): void => {
        if (wasNeverAsked(result)) giveBack(sessionId, question, result.turnId)
      }
      asked.then(ended).catch(notSent)
    },
    [sessionId],
  )
}

/**
 * Name the session in the address by its first question, as the log has it: what a check has masked or held back is in
 * no title either.
 */
export function useTitleFromQuestion(): void {
  const rename = useTurn((turn) => turn.rename)
  const isUntitled = useTurn((turn) => turn.status !== 'loading' && turn.title === undefined && turn.role === 'driver')
  const question = useTurn(({ messages }) => messages.find(isPlainQuestion))
  useEffect(() => {
    // It is a convenience: without it the session is called untitled.
    if (isUntitled && question !== undefined) rename(titleOf(questionName(question))).catch(() => {})
  }, [rename, isUntitled, question])
}

function isPlainQuestion(message: Message): message is UserMessage {
  return message.role === 'user' && message.synthetic === undefined
}

/** A question as a title: its first line, cut at a word. */
export function titleOf(question: string): string {
  const line = question.trim().split('\n')[0]?.replace(/\s+/g, ' ') ?? ''
  const title = line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH).replace(/\s\S*$/, '')}…`
  return title.charAt(0).toUpperCase() + title.slice(1)
}

/**
 * Whether the question never became part of the conversation: by a check, or because Stop came first. One taken out of the
 * queue was meant to go.
 */
function wasNeverAsked({ outcome }: TurnResult): boolean {
  if (outcome.kind === 'blocked') return outcome.slot === 'preHooks'
  return outcome.kind === 'cancelled' && outcome.input !== undefined && outcome.reason === STOPPED_BY_USER
}

function notSent(error: unknown): void {
  toasts.add({ title: error instanceof Error ? error.message : 'That could not be sent.' })
}
