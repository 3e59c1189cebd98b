import { type AnsweredCall, type InDoubt, requestOf } from './approvals.ts'
import type { ApprovalDecided } from './entries.ts'
import { LOST_TEXT, textResult } from './result-text.ts'
import type { ReadyCall } from './tool-plan.ts'

/**
 * Ask people what became of an unsafe call that was running when the page went away.
 *
 * One question per start of the call: what was decided about an earlier start allows no later one, so that nothing runs
 * twice without somebody saying each time that it had not happened.
 */
export const askOutcome: InDoubt = (ready, { attempt }, { known, signal, append }) => {
  const { call } = ready
  const before = known.requested.get(call.callId)
  const asked = before?.ask === 'outcome' && before.attempt === attempt ? before : undefined
  const decided = known.decided.get(call.callId)
  if (asked !== undefined && decided?.id === asked.id) return toEnd(ready, decided)
  const request = { ...requestOf(ready), ...(asked && { id: asked.id }), ask: 'outcome', attempt } as const
  if (asked === undefined && !signal.aborted) append({ type: 'approval-requested', ...request })
  return { kind: 'waiting', call, ready, pending: [request], decide: (word) => toEnd(ready, word) }
}

function toEnd(ready: ReadyCall, { allow, result, note = '' }: ApprovalDecided): ReadyCall | AnsweredCall {
  const { call } = ready
  if (allow && result === undefined) return ready
  if (allow && result !== undefined)
    return { kind: 'answered', call, ready, status: result.isError ? 'error' : 'ok', result }
  const text = note.trim() === '' ? LOST_TEXT : `${LOST_TEXT} A person said: ${note}`
  return { kind: 'answered', call, status: 'unknown', result: textResult(text, true) }
}
