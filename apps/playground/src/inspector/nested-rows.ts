import { messageText, resultText } from '@turnloop/core'
import { nestedTurn } from '../app/nested-turns.ts'
import type { TurnRecord } from '../app/turn-records.ts'
import { callAnchor } from '../chat/places.ts'
import { knownFacts, type TimelineRow, type TimelineStep } from './timeline-step.ts'

/** Lays out the turn of an agent; the time line itself does, in a turn as in a turn within it. */
export type LayOut = (record: TurnRecord) => readonly TimelineStep[]

/** What the agent that a call runs did, on the axis of the turn around it. Nothing for a call that runs none. */
export function nestedRows(record: TurnRecord, { key, callId }: TimelineRow, layOut: LayOut): TimelineRow[] {
  const turn = callId === undefined ? undefined : nestedTurn(record, callId)
  if (turn === undefined || callId === undefined) return []
  const rows = layOut(turn).flatMap((step) => step.rows)
  const told = rows.filter(({ kind }) => kind === 'model' || kind === 'tool' || kind === 'wait')
  return told.map((row) => ({
    ...row,
    key: `${key}/${row.key}`,
    parent: key,
    // Its messages have no place of their own in the conversation: the call that runs it has.
    anchor: callAnchor(callId),
    facts: [...saidBy(turn, row), ...row.facts],
  }))
}

/** What was said, which the conversation does not show by itself. */
function saidBy({ entries }: TurnRecord, { kind, sequence, callId }: TimelineRow): TimelineRow['facts'] {
  if (kind === 'model') {
    const entry = entries.find((other) => other.sequence === sequence)
    const reply = entry?.type === 'message' && entry.message.role === 'assistant' ? entry.message : undefined
    return knownFacts([['said', reply && messageText(reply)]])
  }
  const settled = entries.find((entry) => entry.type === 'tool-settled' && entry.callId === callId)
  return knownFacts([['answered', settled?.type === 'tool-settled' ? shorten(resultText(settled.result)) : undefined]])
}

function shorten(text: string): string {
  return text.length <= 400 ? text : `${text.slice(0, 400)}…`
}
