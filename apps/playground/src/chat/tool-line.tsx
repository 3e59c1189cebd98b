import type { CallView } from '@turnloop/core'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { type ReactElement, useId, useState } from 'react'
import { formatDuration } from '../app/format.ts'
import { useNow } from '../app/use-now.ts'
import { CallState } from './call-state.tsx'
import { DecisionLine } from './decision-line.tsx'
import { callAnchor } from './places.ts'
import { ToolDetail } from './tool-detail.tsx'
import { ToolIcon } from './tool-icon.tsx'
import styles from './tool-line.module.css'
import { useToolOrigin } from './tool-origin.ts'
import { callProgress, callStateWord, callSubject } from './tool-words.ts'

/** One tool call: icon, name, what it is about, time, state. Opens to arguments and result. */
export function ToolLine({ call }: { call: CallView }): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const detailId = useId()
  const word = callStateWord(call)
  const { name, server } = useToolOrigin(call.toolName, call.result)
  return (
    <li className={styles.call} id={callAnchor(call.callId)} data-tool={call.toolName} data-state={word}>
      <button
        type="button"
        className={styles.line}
        aria-expanded={isOpen}
        aria-controls={detailId}
        onClick={() => setOpen(!isOpen)}
      >
        <span className={styles.icon}>
          <ToolIcon toolName={call.toolName} />
        </span>
        <span className={styles.name}>
          {name}
          {server && <span className={styles.server}> {server}</span>}
        </span>
        <span className={styles.subject}>{subjectOf(call)}</span>
        <CallTime call={call} />
        <CallState word={word} />
        <ChevronRight className={styles.chevron} size={14} aria-hidden="true" />
      </button>
      <DecisionLine call={call} />
      <ProgressBar call={call} />
      <div id={detailId} hidden={!isOpen}>
        {isOpen && <ToolDetail call={call} Line={ToolLine} />}
      </div>
    </li>
  )
}

function subjectOf(call: CallView): string {
  return (call.state === 'running' && callProgress(call)?.label) || callSubject(call)
}

function CallTime({ call }: { call: CallView }): ReactElement {
  const isRunning = call.state === 'running' && call.startedAt !== undefined
  const now = useNow(isRunning)
  const durationMs = isRunning ? now - (call.startedAt ?? now) : call.result?.durationMs
  return <span className={styles.time}>{durationMs === undefined ? '' : formatDuration(durationMs)}</span>
}

function ProgressBar({ call }: { call: CallView }): ReactElement | null {
  const progress = call.state === 'running' ? callProgress(call) : undefined
  if (progress?.share === undefined) return null
  return (
    <span className={styles.track} aria-hidden="true">
      <span className={styles.fill} style={{ transform: `scaleX(${progress.share})` }} />
    </span>
  )
}
