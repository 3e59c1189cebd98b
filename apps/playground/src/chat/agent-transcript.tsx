import { type AssistantMessage, type CallView, messageText, type Snapshot } from '@turnloop/core'
import { type ComponentType, type ReactElement, useMemo } from 'react'
import { nestedSnapshot } from '../app/nested-turns.ts'
import { useEntries } from '../app/use-turn-log.ts'
import styles from './tool-detail.module.css'

/** Which call, and how the calls within it are drawn. */
export interface AgentTranscriptProps {
  callId: string
  /** Draws one call. Given, since a call that is opened draws a transcript in turn. */
  Line: ComponentType<{ call: CallView }>
}

/** What the agent that a call runs said and called on its way to the answer. Nothing for a call that runs none. */
export function AgentTranscript({ callId, Line }: AgentTranscriptProps): ReactElement | null {
  const entries = useEntries()
  const snapshot = useMemo(() => nestedSnapshot(entries, callId), [entries, callId])
  const replies = snapshot?.messages.filter((message) => message.role === 'assistant') ?? []
  // The last one is the result, which stands below.
  const steps = replies.filter((reply) => callsOf(reply).length > 0)
  if (snapshot === undefined || steps.length === 0) return null
  return (
    <section aria-label="What the agent did">
      <header className={styles.head}>
        <h3>What it did</h3>
      </header>
      <ol className={styles.transcript}>
        {steps.map((reply) => (
          <Step key={reply.id} reply={reply} calls={snapshot.calls} Line={Line} />
        ))}
      </ol>
    </section>
  )
}

interface StepProps extends Pick<Snapshot, 'calls'>, Pick<AgentTranscriptProps, 'Line'> {
  reply: AssistantMessage
}

function Step({ reply, calls, Line }: StepProps): ReactElement {
  const said = messageText(reply).trim()
  const thought = reply.content.flatMap((part) => (part.type === 'reasoning' ? [part.text.trim()] : [])).join(' ')
  return (
    <li>
      {(said || thought) !== '' && <p className={styles.said}>{said || thought}</p>}
      <ul>
        {callsOf(reply).map(({ callId }) => {
          const call = calls.get(callId)
          return call && <Line key={callId} call={call} />
        })}
      </ul>
    </li>
  )
}

function callsOf({ content }: AssistantMessage): { callId: string }[] {
  return content.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
}
