import type { TurnResult } from '@turnloop/core'
import { useCallback } from 'react'
import { useSessionId } from '../app/route.ts'
import { toasts } from '../app/toasts.tsx'
import { STOPPED_BY_USER } from '../app/use-stop.ts'
import { useTurn } from '../app/use-turn.ts'
import { giveBack } from './drafts.ts'

const TITLE_LENGTH = 60

/**
 * Ask a question in the session in the address. While a turn runs it is queued. The first question names the session.
 *
 * One that is stopped before it was asked goes back to where it was written.
 */
export function useAsk(): (question: string) => void {
  const sessionId = useSessionId()
  const send = useTurn((turn) => turn.send)
  const rename = useTurn((turn) => turn.rename)
  const isUntitled = useTurn((turn) => turn.title === undefined)
  return useCallback(
    (question) => {
      const ended = (result: TurnResult): void => {
        if (wasNeverAsked(result)) giveBack(sessionId, question)
      }
      send(question).then(ended).catch(notSent)
      if (isUntitled) rename(titleOf(question)).catch(notSent)
    },
    [sessionId, send, rename, isUntitled],
  )
}

/** A question as a title: its first line, cut at a word. */
export function titleOf(question: string): string {
  const line = question.trim().split('\n')[0]?.replace(/\s+/g, ' ') ?? ''
  const title = line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH).replace(/\s\S*$/, '')}…`
  return title.charAt(0).toUpperCase() + title.slice(1)
}

/** Whether Stop came before the question was part of the conversation. One taken out of the queue was meant to go. */
function wasNeverAsked({ outcome }: TurnResult): boolean {
  return outcome.kind === 'cancelled' && outcome.input !== undefined && outcome.reason === STOPPED_BY_USER
}

function notSent(error: unknown): void {
  toasts.add({ title: error instanceof Error ? error.message : 'That could not be sent.' })
}
