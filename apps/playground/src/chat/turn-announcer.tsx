import type { PendingRequest, Snapshot } from '@turnloop/core'
import { useEffect, useRef } from 'react'
import { announce } from '../app/announcer.tsx'
import { useTurn } from '../app/use-turn.ts'
import { requestWords } from './approval-words.ts'
import { errorWords } from './error-words.ts'
import { blockedText, outcomeWord } from './outcome-words.ts'

/** What is told is made from. */
interface Heard extends Pick<Snapshot, 'status'> {
  readonly outcome: Snapshot['outcome'] | undefined
  readonly turnId: string | undefined
  /** What was asked of a person last. */
  readonly request: PendingRequest | undefined
}

/** Tells people who listen to the page when a turn begins and how it ends. Deltas are not read out. */
export function TurnAnnouncer(): null {
  const heard = useTurn(
    ({ status, outcome, turn, pending }): Heard => ({ status, outcome, turnId: turn?.id, request: pending.at(-1) }),
  )
  const before = useRef<Heard>(undefined)
  useEffect(() => {
    const words = transitionWords(before.current, heard)
    before.current = heard
    if (words !== undefined) announce(words)
  }, [heard])
  return null
}

function transitionWords(before: Heard | undefined, { status, outcome, turnId, request }: Heard): string | undefined {
  // Also of a conversation that has just been opened.
  if (request !== undefined && request.id !== before?.request?.id)
    return `Waits for you: ${requestWords(request).title}`
  if (before === undefined || before.status === 'loading') return undefined
  if (turnId !== undefined && turnId !== before.turnId) return 'Working on an answer'
  if (status === 'cancelling' && before.status !== status) return 'Stopping'
  if (turnId !== undefined || before.turnId === undefined || outcome === undefined) return undefined
  if (outcome.kind === 'completed') return 'Answer finished'
  if (outcome.kind === 'failed') return `${errorWords(outcome.error).title}. You can try again.`
  if (outcome.kind === 'blocked') return blockedText(outcome).title
  return `Turn ended: ${outcomeWord(outcome)}`
}
