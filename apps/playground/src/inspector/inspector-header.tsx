import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import type { ReactElement } from 'react'
import { formatDuration } from '../app/format.ts'
import { IconButton } from '../app/icon-button.tsx'
import { currentTurn, type TurnRecord } from '../app/turn-records.ts'
import { useNow } from '../app/use-now.ts'
import { outcomeWord } from '../chat/outcome-words.ts'
import styles from './inspector-pane.module.css'
import { selectTurn } from './selected-turn.ts'

/** Which turn is shown, how it ended, how long it took; and the way to its neighbours. */
export function InspectorHeader(props: {
  records: readonly TurnRecord[]
  record: TurnRecord | undefined
}): ReactElement {
  const { records, record } = props
  const isRunning = record !== undefined && record.endedAt === undefined
  const now = useNow(isRunning)
  if (record === undefined) {
    return (
      <header className={styles.header}>
        <h2 className={styles.turn}>Inspector</h2>
      </header>
    )
  }
  const place = records.indexOf(record)
  const go = (to: number): void => selectTurn(records[to] === currentTurn(records) ? undefined : records[to]?.turnId)
  return (
    <header className={styles.header}>
      <h2 className={styles.turn}>
        Turn {record.number}
        {records.length > 1 && <span className={styles.of}> of {records.length}</span>}
      </h2>
      {records.length > 1 && (
        <span className={styles.steps}>
          <IconButton label="Earlier turn" className={styles.step} disabled={place <= 0} onClick={() => go(place - 1)}>
            <ChevronLeft size={15} aria-hidden="true" />
          </IconButton>
          <IconButton
            label="Later turn"
            className={styles.step}
            disabled={place >= records.length - 1}
            onClick={() => go(place + 1)}
          >
            <ChevronRight size={15} aria-hidden="true" />
          </IconButton>
        </span>
      )}
      <span
        className={styles.outcome}
        data-outcome={record.isSetAside ? 'set-aside' : (record.outcome?.kind ?? 'running')}
      >
        {record.isSetAside ? 'set aside' : record.outcome ? outcomeWord(record.outcome) : 'running'}
      </span>
      <span className={styles.total}>{formatDuration((record.endedAt ?? now) - record.startedAt)}</span>
    </header>
  )
}
