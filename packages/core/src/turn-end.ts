import { INTERRUPTED, settleBefore, settleWithin, TurnTimeLimit } from './abort.ts'
import type { EntryDraft, ToolSettled } from './entries.ts'
import { toReasonRecord } from './errors.ts'
import type { LiveTurn } from './live-turn.ts'
import { resultText } from './messages.ts'
import type { Awaiting, Outcome, RollbackRecord } from './outcome.ts'
import { LATE_CANCELLED_TEXT, LATE_NOT_RUN_TEXT, LATE_UNKNOWN_TEXT, NOT_RUN_TEXT, UNKNOWN_TEXT } from './result-text.ts'
import { TurnFold } from './turn-fold.ts'

/** How a stopped turn ends: by whom, and what it left in the transcript. */
export function stopped(turn: LiveTurn): Outcome {
  const { reason } = turn.signal
  if (reason instanceof TurnTimeLimit) return { kind: 'timed-out', limit: 'turnMs', ms: reason.ms }
  const rollback = describeRollback(turn)
  if (reason === INTERRUPTED) return { kind: 'interrupted', rollback }
  const input = turn.fold.messages.length === 0 ? turn.options.input?.flatMap((message) => message.content) : undefined
  return {
    kind: 'cancelled',
    reason: toReasonRecord(reason),
    rollback,
    ...(input !== undefined && input.length > 0 && { input }),
  }
}

function describeRollback(turn: LiveTurn): RollbackRecord {
  const messagesAfter = turn.messages.length
  const messagesBefore = turn.messagesAtStop ?? messagesAfter
  const status = (): RollbackRecord['status'] => {
    if (!turn.options.history) return 'history-disabled'
    if (turn.settledAtStop === 'completed') return 'appended-completed-result'
    if (turn.settledAtStop === 'interrupted') return 'appended-interrupted-result'
    return messagesAfter === 0 ? 'empty' : 'unchanged'
  }
  return { status: status(), messagesBefore, messagesAfter }
}

/** Whether a turn that ended so may have brought its structured answer. */
export function hasAnswer({ kind }: Outcome): boolean {
  return kind === 'completed' || kind === 'max-iterations'
}

/** Write down that the turn waits for people. The run is over; another one goes on with the turn. */
export async function pause(turn: LiveTurn, { pending }: Awaiting): Promise<void> {
  const { parts, signal } = turn
  turn.release()
  const { saved } = turn.append({ type: 'turn-paused', pending })
  await settleWithin(saved, { signal, graceMs: parts.graceMs, clock: parts.clock })
}

/** Write the end, behind what comes `first`, and give the last save its time: after Stop no more than one grace time. */
export async function finish(turn: LiveTurn, outcome: Outcome, first: readonly EntryDraft[]): Promise<void> {
  const { fold, parts, signal, answer } = turn
  turn.release()
  const { saved } = turn.append(...first, {
    type: 'turn-ended',
    outcome,
    ...(hasAnswer(outcome) && answer !== undefined && { output: answer.json }),
    usage: fold.usage,
    iterations: fold.iteration,
  })
  if (signal.aborted) await settleBefore(saved, parts.graceMs - turn.noticeMs, parts.clock)
  else await settleWithin(saved, { signal, graceMs: parts.graceMs, clock: parts.clock })
}

/** What stopped a turn before it was cut: its log then holds what only that leaves behind. */
export function stoppedBefore(fold: TurnFold): 'stop' | 'time-limit' | undefined {
  const texts = [
    ...(fold.batch?.settled.values() ?? []),
    ...fold.messages.flatMap((message) => (message.role === 'tool' ? message.results : [])),
  ]
  if (texts.some(isLeftByTimeLimit)) return 'time-limit'
  const isStopped = texts.some(isLeftByStop)
  const isCut = fold.messages.some(
    (message) => message.role === 'assistant' && message.partial === true && message.stopReason === 'cancelled',
  )
  return isStopped || isCut || isStoppedInside(fold) ? 'stop' : undefined
}

/** Whether an agent that ran as a tool was stopped: that is written before its caller's own part of it. */
function isStoppedInside({ batch, nested }: TurnFold): boolean {
  return [...nested].some(([callId, entries]) => {
    if (!batch?.started.has(callId) || batch.settled.has(callId)) return false
    const inner = new TurnFold()
    for (const entry of entries) inner.apply(entry)
    return inner.outcome === undefined ? stoppedBefore(inner) === 'stop' : inner.outcome.kind === 'cancelled'
  })
}

function isLeftByStop({ status, result }: Pick<ToolSettled, 'status' | 'result'>): boolean {
  const text = resultText(result)
  return status === 'cancelled' || text === NOT_RUN_TEXT || text === UNKNOWN_TEXT
}

function isLeftByTimeLimit({ result }: Pick<ToolSettled, 'result'>): boolean {
  const text = resultText(result)
  return text === LATE_NOT_RUN_TEXT || text === LATE_UNKNOWN_TEXT || text === LATE_CANCELLED_TEXT
}
