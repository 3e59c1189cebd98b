import type { CallView, Outcome } from '@turnloop/core'
import type { ReactElement, ReactNode } from 'react'
import { Button } from '../app/button.tsx'
import { goToNewSession } from '../app/route.ts'
import type { TurnRecord } from '../app/turn-records.ts'
import { useTurn } from '../app/use-turn.ts'
import { ErrorCard } from './error-card.tsx'
import styles from './outcome-note.module.css'
import { leftBehind, limitText, type OutcomeText } from './outcome-words.ts'

export interface OutcomeNoteProps {
  record: TurnRecord
  outcome: Outcome
  isLast: boolean
}

/** How a turn ended, where that is more than an answer: what was kept, what is unknown, and the way on. */
export function OutcomeNote({ record, outcome, isLast }: OutcomeNoteProps): ReactElement | null {
  switch (outcome.kind) {
    case 'completed':
      return outcome.truncated ? <Note>The answer was cut at the model’s length limit.</Note> : null
    case 'cancelled':
      // The word that core gives where something else was sent while a call waited.
      return (
        <LeftBehind
          record={record}
          title={outcome.reason === 'superseded' ? 'You asked something else instead.' : 'Stopped.'}
        />
      )
    case 'interrupted':
      return (
        <LeftBehind record={record} title="This turn was cut off when the page closed.">
          {isLast && <AskAgain label="Go on" />}
        </LeftBehind>
      )
    case 'failed':
      return <ErrorCard error={outcome.error} isLast={isLast} />
    case 'timed-out':
    case 'max-iterations':
    case 'no-progress':
    case 'context-full': {
      const { text, offer } = limitText(outcome, record)
      const way = isLast && offer !== undefined && <Offer offer={offer} />
      // Only the limit on the whole turn can stop tools on their way.
      const stopsTools = outcome.kind === 'timed-out' && outcome.limit === 'turnMs'
      if (!stopsTools)
        return (
          <Note>
            <span>{text}</span>
            {way}
          </Note>
        )
      return (
        <LeftBehind record={record} title={text}>
          {way}
        </LeftBehind>
      )
    }
    case 'blocked':
      return <Note>{outcome.message ?? 'This was blocked and is not part of the conversation.'}</Note>
    case 'awaiting':
      return null
  }
}

function Note({ children }: { children: ReactNode }): ReactElement {
  return <div className={styles.note}>{children}</div>
}

function LeftBehind(props: { record: TurnRecord; title: string; children?: ReactNode }): ReactElement {
  const { record, title, children } = props
  const calls = useTurn((turn) => callsOf(turn.calls, record.turnId))
  return (
    <Note>
      <span>
        <strong>{title}</strong> {leftBehind(record, calls).join(' ')}
      </span>
      {children}
    </Note>
  )
}

function callsOf(calls: ReadonlyMap<string, CallView>, turnId: string): CallView[] {
  return [...calls.values()].filter((call) => call.turnId === turnId)
}

function Offer({ offer }: { offer: NonNullable<OutcomeText['offer']> }): ReactElement {
  if (offer !== 'new-session') return <AskAgain label={offer === 'go-on' ? 'Go on' : 'Try again'} />
  return (
    <Button size="small" onClick={goToNewSession}>
      New session
    </Button>
  )
}

/** Ask the model once more with the transcript as it is. */
function AskAgain({ label }: { label: string }): ReactElement {
  const retry = useTurn((turn) => turn.retry)
  return (
    <Button size="small" onClick={() => retry().catch(alreadyShown)}>
      {label}
    </Button>
  )
}

// How the turn ends is shown in its place in the conversation.
function alreadyShown(): void {}
