import type { CallView, Outcome } from '@turnloop/core'
import type { ReactElement, ReactNode } from 'react'
import { Button } from '../app/button.tsx'
import { goToNewSession } from '../app/route.ts'
import type { TurnRecord } from '../app/turn-records.ts'
import { useTurn } from '../app/use-turn.ts'
import { openSettings } from '../settings/open-settings.ts'
import { AskAgain } from './ask-again.tsx'
import { useGivenBack } from './drafts.ts'
import { ErrorCard } from './error-card.tsx'
import styles from './outcome-note.module.css'
import { blockedText, leftBehind, limitText, type OutcomeText } from './outcome-words.ts'

interface OutcomeNoteProps {
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
      return <BlockedNote record={record} outcome={outcome} isLast={isLast} />
    case 'awaiting':
      return null
  }
}

function Note({ children }: { children: ReactNode }): ReactElement {
  return <div className={styles.note}>{children}</div>
}

function BlockedNote(props: {
  record: TurnRecord
  outcome: Extract<Outcome, { kind: 'blocked' }>
  isLast: boolean
}): ReactElement {
  const { record, outcome, isLast } = props
  const { title, text } = blockedText(outcome)
  const isGivenBack = useGivenBack(record.turnId)
  // A message that was held back is no part of what could be asked again.
  const canRetry = outcome.phase !== 'input'
  const isByCheck = outcome.source === 'guardrail'
  return (
    <Note>
      <span>
        <strong>{title}</strong> {text}
        {isLast && isGivenBack && ' Your text is back in the box below.'}
      </span>
      {isLast && (
        <span className={styles.ways}>
          {canRetry && <AskAgain label="Try again" />}
          {isByCheck && (
            <Button size="small" look={canRetry ? 'quiet' : 'plain'} onClick={() => openSettings('checks')}>
              Checks and hooks
            </Button>
          )}
        </span>
      )}
    </Note>
  )
}

function LeftBehind(props: { record: TurnRecord; title: string; children?: ReactNode }): ReactElement {
  const { record, title, children } = props
  const calls = useTurn((turn) => callsOf(turn.calls, record))
  return (
    <Note>
      <span>
        <strong>{title}</strong> {leftBehind(record, calls).join(' ')}
      </span>
      {children}
    </Note>
  )
}

function callsOf(calls: ReadonlyMap<string, CallView>, { entries }: TurnRecord): CallView[] {
  return entries.flatMap((entry) => {
    if (entry.type !== 'message' || entry.message.role !== 'assistant') return []
    return entry.message.content.flatMap((part) => (part.type === 'tool-call' ? (calls.get(part.callId) ?? []) : []))
  })
}

function Offer({ offer }: { offer: NonNullable<OutcomeText['offer']> }): ReactElement {
  if (offer !== 'new-session') return <AskAgain label={offer === 'go-on' ? 'Go on' : 'Try again'} />
  return (
    <Button size="small" onClick={goToNewSession}>
      New session
    </Button>
  )
}
