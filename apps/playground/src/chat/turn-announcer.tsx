import type { SessionStatus, Snapshot } from '@turnloop/core'
import { shallowEqual } from '@turnloop/core'
import { useEffect, useRef } from 'react'
import { announce } from '../app/announcer.tsx'
import { useTurn } from '../app/use-turn.ts'
import { errorWords } from './error-words.ts'
import { outcomeWord } from './outcome-words.ts'

/** Tells people who listen to the page when a turn begins and how it ends. Deltas are not read out. */
export function TurnAnnouncer(): null {
  const { status, outcome } = useTurn((turn) => ({ status: turn.status, outcome: turn.outcome }), shallowEqual)
  const before = useRef<SessionStatus>('loading')
  useEffect(() => {
    const words = transitionWords(before.current, { status, outcome })
    before.current = status
    if (words !== undefined) announce(words)
  }, [status, outcome])
  return null
}

function transitionWords(
  before: SessionStatus,
  { status, outcome }: { status: SessionStatus; outcome: Snapshot['outcome'] | undefined },
): string | undefined {
  if (before === 'loading' || before === status) return undefined
  if (status === 'running') return 'Working on an answer'
  if (status === 'cancelling') return 'Stopping'
  if (status !== 'idle' || outcome === undefined) return undefined
  if (outcome.kind === 'completed') return 'Answer finished'
  if (outcome.kind === 'failed') return `${errorWords(outcome.error).title}. You can try again.`
  return `Turn ended: ${outcomeWord(outcome)}`
}
