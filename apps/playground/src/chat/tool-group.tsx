import type { PendingRequest, ToolCallPart } from '@turnloop/core'
import type { ReactElement } from 'react'
import { useTurn } from '../app/use-turn.ts'
import { callAnchor } from './places.ts'
import { RequestCard } from './request-card.tsx'
import { ToolAnswer } from './tool-answer.tsx'
import styles from './tool-line.module.css'
import { ToolLine } from './tool-line.tsx'

/** The calls of one batch: one quiet line each, held together when they ran at the same time. Answers to look at follow. */
export function ToolGroup({ calls }: { calls: readonly ToolCallPart[] }): ReactElement {
  return (
    <>
      <ul className={styles.group} data-parallel={calls.length > 1 || undefined} aria-label={groupName(calls.length)}>
        {calls.map((part) => (
          <Call key={part.callId} callId={part.callId} />
        ))}
      </ul>
      {calls.map((part) => (
        <ToolAnswer key={part.callId} callId={part.callId} />
      ))}
    </>
  )
}

function groupName(count: number): string {
  return count > 1 ? `${count} tools at the same time` : 'Tool'
}

function Call({ callId }: { callId: string }): ReactElement | null {
  const call = useTurn((turn) => turn.calls.get(callId))
  const request = useTurn((turn) => turn.pending.find((pending) => isAbout(pending, callId)))
  if (call === undefined) return null
  if (request === undefined) return <ToolLine call={call} />
  return (
    <li id={callAnchor(callId)} data-tool={call.toolName} data-state="waits for you">
      <RequestCard key={request.id} request={request} />
    </li>
  )
}

/** Whether a call waits for this: for itself, or for a call of the agent that it runs. */
function isAbout({ callId, path }: PendingRequest, id: string): boolean {
  return (path?.[0] ?? callId) === id
}
