import Bookmark from 'lucide-react/icons/bookmark'
import Hand from 'lucide-react/icons/hand'
import Hourglass from 'lucide-react/icons/hourglass'
import MessageSquareText from 'lucide-react/icons/message-square-text'
import Webhook from 'lucide-react/icons/webhook'
import { type ReactElement, useId } from 'react'
import { Button } from '../app/button.tsx'
import { formatDuration } from '../app/format.ts'
import { openSheet } from '../app/panes.ts'
import { showPlace } from '../chat/places.ts'
import { ToolIcon } from '../chat/tool-icon.tsx'
import { CheckpointActions } from './checkpoint-actions.tsx'
import styles from './timeline.module.css'
import type { TimelineRow } from './timeline-step.ts'

interface TimelineRowViewProps {
  row: TimelineRow
  totalMs: number
  isSelected: boolean
  onSelect(): void
}

/** One bar of the time line. Selected, it tells its facts and leads to its place in the conversation. */
export function TimelineRowView({ row, totalMs, isSelected, onSelect }: TimelineRowViewProps): ReactElement {
  const factsId = useId()
  return (
    <li
      className={styles.item}
      data-kind={row.kind}
      data-tone={row.tone}
      data-under={row.parent !== undefined || undefined}
    >
      <button
        type="button"
        className={styles.row}
        aria-expanded={isSelected}
        aria-controls={factsId}
        onClick={onSelect}
      >
        <span className={styles.icon}>
          <RowIcon row={row} />
        </span>
        <span className={styles.name}>{row.label}</span>
        {row.kind !== 'checkpoint' && (
          <span className={styles.duration}>{row.detail ?? formatDuration(row.toMs - row.fromMs)}</span>
        )}
        {hasBar(row) && (
          <span className={styles.track} aria-hidden="true">
            <span className={styles.bar} data-running={row.isRunning || undefined} style={barPlace(row, totalMs)} />
          </span>
        )}
      </button>
      <div id={factsId} hidden={!isSelected}>
        {isSelected && <Facts row={row} />}
      </div>
    </li>
  )
}

/** A hook is told in words: beside what it stands around, its bar would be a dot. */
function hasBar({ kind }: TimelineRow): boolean {
  return kind !== 'checkpoint' && kind !== 'hook'
}

const ICONS = { model: MessageSquareText, wait: Hand, start: Hourglass, hook: Webhook } as const

function RowIcon({ row }: { row: TimelineRow }): ReactElement {
  if (row.kind === 'tool') return <ToolIcon toolName={row.label} />
  if (row.kind === 'checkpoint') return <Bookmark size={12} aria-hidden="true" />
  const Icon = ICONS[row.kind]
  return <Icon size={row.kind === 'hook' ? 12 : 14} aria-hidden="true" />
}

function barPlace(row: TimelineRow, totalMs: number): { left: string; width: string } {
  const left = Math.min(100, (row.fromMs / totalMs) * 100)
  const width = Math.min(100 - left, ((row.toMs - row.fromMs) / totalMs) * 100)
  return { left: `${left}%`, width: `max(2px, ${width}%)` }
}

function Facts({ row }: { row: TimelineRow }): ReactElement {
  const { anchor, isPlace, sequence } = row
  const show = (): void => {
    openSheet.set(undefined)
    if (anchor !== undefined) showPlace(anchor)
  }
  return (
    <div className={styles.facts}>
      <dl>
        {row.facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {isPlace && sequence !== undefined && <CheckpointActions sequence={sequence} />}
      {anchor !== undefined && (
        <Button look="quiet" size="small" onClick={show}>
          Show in the conversation
        </Button>
      )}
    </div>
  )
}
