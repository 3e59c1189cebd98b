import type { ReactElement } from 'react'
import { formatDuration } from '../app/format.ts'
import { useObservable } from '../app/observable.ts'
import { currentTurn, isResumed } from '../app/turn-records.ts'
import { useNow } from '../app/use-now.ts'
import { useTurn } from '../app/use-turn.ts'
import { useTurnRecords } from '../app/use-turn-log.ts'
import { holdsAnswersBack } from '../hooks/answer-words.ts'
import { checkSettings } from '../settings/check-settings.ts'
import styles from './activity-line.module.css'
import { activityWords } from './activity-words.ts'

/** The last line of a running turn: what is happening, in words, and since when. */
export function ActivityLine(): ReactElement | null {
  const holdsAnswers = holdsAnswersBack(useObservable(checkSettings))
  const { words, since, isWaiting, isDriving } = useTurn((turn) => ({
    words: activityWords({ ...turn, holdsAnswers }),
    since: turn.turn?.startedAt,
    isWaiting: turn.status === 'awaiting',
    isDriving: turn.role === 'driver',
  }))
  const record = currentTurn(useTurnRecords())
  const now = useNow(words !== '' && !isWaiting)
  if (words === '') return null
  const elapsed = since === undefined ? 0 : now - since
  return (
    <p className={styles.line} data-testid="activity">
      <span className={styles.pulse} data-still={isWaiting || undefined} aria-hidden="true" />
      <span>{words}</span>
      {!isWaiting && isDriving && record && isResumed(record) && (
        <span className={styles.time}>resumed after a reload</span>
      )}
      {!isWaiting && elapsed >= 1000 && <span className={styles.time}>{formatDuration(elapsed)}</span>}
    </p>
  )
}
