import type { HookRow } from './hook-rows.ts'
import type { TimelineRow, TimelineStep } from './timeline-step.ts'

/**
 * Put the rows of hooks where they belong: under the call or the model call that they stood around, and those around the
 * whole turn in steps of their own, before and after the others.
 *
 * `replies` are the sequences of the turn's replies: the n-th is of the n-th step.
 */
export function placeHooks(
  steps: readonly TimelineStep[],
  hooks: readonly HookRow[],
  replies: readonly number[],
): TimelineStep[] {
  const placed = steps.map((step) => ({ ...step, rows: [...step.rows] }))
  const question: TimelineRow[] = []
  const end: TimelineRow[] = []
  for (const { row, place, after } of hooks) {
    const before = replies.filter((sequence) => sequence <= after).length
    const own =
      place === 'call'
        ? placed.find(({ rows }) => rows.some(({ callId }) => callId === row.callId))
        : placed[Math.min(place === 'batch' ? before - 1 : before, placed.length - 1)]
    if (place === 'question') question.push(row)
    else if (place === 'end') end.push(row)
    else if (own === undefined) (placed.at(-1)?.rows ?? question).push(row)
    else if (place === 'batch') insertInOrder(own.rows, row, after)
    else insertUnder(own.rows, row)
  }
  return [
    ...(question.length > 0 ? [{ number: 0, label: 'your question', rows: question }] : []),
    ...placed,
    ...(end.length > 0 ? [{ number: placed.length + 1, label: 'end of the turn', rows: end }] : []),
  ]
}

/** Under what it stood around: the run of its call, else the question about it; or the model call. */
function insertUnder(rows: TimelineRow[], row: TimelineRow): void {
  const { callId } = row
  const parent =
    callId === undefined
      ? rows.find(({ kind }) => kind === 'model')
      : (rows.findLast((other) => other.kind === 'tool' && other.callId === callId) ??
        rows.find((other) => other.kind === 'wait' && other.callId === callId))
  if (parent === undefined) {
    rows.push(row)
    return
  }
  let at = rows.indexOf(parent) + 1
  while (rows[at]?.parent === parent.key) at += 1
  rows.splice(at, 0, { ...row, parent: parent.key })
}

/** Before the first row that tells of a later entry. */
function insertInOrder(rows: TimelineRow[], row: TimelineRow, after: number): void {
  const at = rows.findIndex(({ sequence }) => sequence !== undefined && sequence > after)
  rows.splice(at === -1 ? rows.length : at, 0, row)
}
