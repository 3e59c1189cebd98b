import type { ReactElement } from 'react'
import { useObservable } from '../app/observable.ts'
import { currentTurn, type TurnRecord } from '../app/turn-records.ts'
import { useTurnRecords } from '../app/use-turn-log.ts'
import { InspectorHeader } from './inspector-header.tsx'
import styles from './inspector-pane.module.css'
import { LogSection } from './log-section.tsx'
import { selectedTurn } from './selected-turn.ts'
import { SessionSection } from './session-section.tsx'
import { StateSection } from './state-section.tsx'
import { TimelineView } from './timeline-view.tsx'
import { UsageSection } from './usage-section.tsx'

/** The right pane: one turn in time, how the session stands, and the log behind both. */
export function InspectorPane(): ReactElement {
  const records = useTurnRecords()
  const chosenId = useObservable(selectedTurn)
  const record: TurnRecord | undefined = records.find(({ turnId }) => turnId === chosenId) ?? currentTurn(records)
  return (
    <div className={styles.pane}>
      <InspectorHeader records={records} record={record} />
      <div className={styles.scroll}>
        {record ? (
          <TimelineView key={record.turnId} record={record} />
        ) : (
          <p className={styles.none}>
            Each turn is drawn here as it happens: model calls, tools, checkpoints, and what is saved.
          </p>
        )}
        {record && <UsageSection records={records} record={record} />}
        <SessionSection />
        <StateSection />
        <LogSection />
      </div>
    </div>
  )
}
