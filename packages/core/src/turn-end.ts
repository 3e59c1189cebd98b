import { INTERRUPTED, onAbort, settleBefore, settleWithin, TurnTimeLimit } from './abort.ts'
import type { EntryDraft, StopRequested } from './entries.ts'
import { toReasonRecord } from './errors.ts'
import { isJsonObject } from './json.ts'
import type { LiveTurn } from './live-turn.ts'
import type { Awaiting, Outcome, RollbackRecord } from './outcome.ts'

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
  const until = parts.clock.now() + parts.graceMs - turn.noticeMs
  if (first.length === 0) await tellEnd(turn, outcome, until)
  const { hooks, hookErrors, evals } = turn
  const { saved } = turn.append(...first, {
    type: 'turn-ended',
    outcome: hooks?.guardsInput ? withoutInput(outcome) : outcome,
    ...(hasAnswer(outcome) && answer !== undefined && { output: answer.json }),
    usage: fold.usage,
    iterations: fold.iteration,
    ...(hookErrors.length > 0 && { hookErrors: [...hookErrors] }),
    ...(evals.length > 0 && { evals: [...evals] }),
    ...(hooks?.commitsState(outcome) === false && { commitState: false }),
  })
  // Whoever asked has it back.
  fold.outcome = outcome
  if (signal.aborted) await settleBefore(saved, Math.max(0, until - parts.clock.now()), parts.clock)
  else await settleWithin(saved, { signal, graceMs: parts.graceMs, clock: parts.clock })
}

/** What is stored of an end: of an input that its hooks have not passed, nothing. */
function withoutInput(outcome: Outcome): Outcome {
  if (outcome.kind !== 'cancelled') return outcome
  const { input: _unseen, ...rest } = outcome
  return rest
}

/** Give the observers of an end their time: after Stop no more than is left, which they share with the last save. */
async function tellEnd({ hooks, signal, parts }: LiveTurn, outcome: Outcome, until: number): Promise<void> {
  if (hooks === undefined) return
  const { clock, graceMs } = parts
  const over = new AbortController()
  const limitMs = signal.aborted ? Math.max(0, until - clock.now()) : graceMs
  let stopTimer = (): void => {}
  const stopListening = onAbort(signal, () => {
    stopTimer = clock.setTimer(() => over.abort(signal.reason), limitMs)
  })
  await hooks.ended(outcome, over.signal).catch(() => {})
  stopListening()
  stopTimer()
}

/**
 * Write down that the turn was stopped, so that a reload in the middle of stopping does not go on with it.
 *
 * A moment later, since Stop may come from somebody who is being told of an entry. Nothing is written of a turn that has
 * not begun, has ended, or is closed because its page went away.
 */
export function noteStop(turn: LiveTurn): void {
  queueMicrotask(() => {
    const { fold, signal } = turn
    if (!fold.hasStarted || fold.outcome !== undefined || fold.stop !== undefined) return
    const { reason } = signal
    if (reason === INTERRUPTED) return
    const limit = reason instanceof TurnTimeLimit && { turnMs: reason.ms }
    turn.append({ type: 'stop-requested', reason: toReasonRecord(reason), ...limit })
  })
}

/** The abort reason that was written down. */
export function reasonOf({ reason, turnMs }: StopRequested): unknown {
  if (turnMs !== undefined) return new TurnTimeLimit(turnMs)
  if (!isJsonObject(reason) || typeof reason.message !== 'string') return reason
  const error = new Error(reason.message)
  if (typeof reason.name === 'string') error.name = reason.name
  return error
}
