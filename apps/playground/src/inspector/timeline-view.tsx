import { type ReactElement, useState } from 'react'
import { useHookNotes } from '../app/hook-notes.ts'
import type { TurnRecord } from '../app/turn-records.ts'
import { useNow } from '../app/use-now.ts'
import { useTurn } from '../app/use-turn.ts'
import styles from './timeline.module.css'
import { buildTimeline } from './timeline.ts'
import { TimelineRowView } from './timeline-row.tsx'

/** A turn drawn in time. All bars share one axis, so what ran at the same time overlaps. */
export function TimelineView({ record }: { record: TurnRecord }): ReactElement {
  const [selected, setSelected] = useState<string>()
  const live = useTurn(({ open, calls, activity }) => ({
    open,
    calls,
    modelSince: activity?.kind === 'model' ? activity.since : undefined,
  }))
  const notes = useHookNotes()
  const now = useNow(record.endedAt === undefined)
  const { steps, totalMs } = buildTimeline(record, { ...live, now, notes })
  if (steps.length === 0 && record.endedAt !== undefined) {
    return <p className={styles.none}>No model call was finished in this turn.</p>
  }
  return (
    <ol className={styles.timeline} aria-label="Time line of the turn">
      {steps.map((step) => (
        <li key={step.number}>
          <h3 className={styles.iteration}>{step.label}</h3>
          <ul>
            {step.rows.map((row) => (
              <TimelineRowView
                key={row.key}
                row={row}
                totalMs={totalMs}
                isSelected={row.key === selected}
                onSelect={() => setSelected(row.key === selected ? undefined : row.key)}
              />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  )
}
