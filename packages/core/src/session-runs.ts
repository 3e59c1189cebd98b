import type { Agent } from './agent.ts'
import { type InDoubt, toDecided } from './approvals.ts'
import type { Entry } from './entries.ts'
import { toReasonRecord } from './errors.ts'
import type { TurnEvent } from './events.ts'
import type { Message } from './messages.ts'
import { findOpenTurn } from './open-turn.ts'
import type { Outcome } from './outcome.ts'
import type { RunnerParts } from './runner-parts.ts'
import { nothingToRetry } from './session-errors.ts'
import { resultFromLog, sourceOfTurn, withoutLastReply } from './session-head.ts'
import type { Job } from './session-queue.ts'
import type { SessionStorage } from './session-storage.ts'
import type { QueuedInput } from './session-store.ts'
import type { SessionView } from './session-view.ts'
import type { Snapshot } from './snapshot.ts'
import { ToolRunner } from './tool-runner.ts'
import { historyMessages, sourceBefore } from './transcript.ts'
import { userMessage } from './turn-input.ts'
import { createResult, type TurnResult } from './turn-result.ts'

/** What a session's runs share. */
export interface RunContext {
  readonly sessionId: string
  readonly agent: Agent
  readonly storage: SessionStorage
  readonly view: SessionView
  readonly onEvent: (event: TurnEvent) => void
  readonly inDoubt?: InDoubt | undefined
  /** Told the runner before it begins. */
  readonly onRunner: (runner: ToolRunner) => void
  /** Lets what is said to a turn while it runs join it. */
  readonly steer: (parts: RunnerParts, turnId: string) => RunnerParts
}

/**
 * Run the turn that an input, or a retry, starts. Resolves with its result, whatever happens inside; rejects with
 * `bad-input` for a retry of nothing.
 */
export async function runNewTurn(job: Job, context: RunContext): Promise<TurnResult> {
  const { agent, storage, view, sessionId, onEvent } = context
  const isRetry = job.kind === 'retry'
  const { signal } = job.controller
  const { blobs } = storage
  const { goesBackTo: to } = job.input
  const before = to === undefined ? view.snapshot.source : sourceBefore(view.snapshot.source, to + 1)
  const fetching = blobs.fetch([...historyMessages(before), job.input], signal)
  if (fetching !== undefined) await fetching
  const { id, createdAt, content } = blobs.whole(job.input)
  // In one append with the start of the turn: there is no moment at which only one of them is stored.
  if (to !== undefined) storage.append({ type: 'rewound', to, critical: true })
  const source = blobs.wholeSource(view.snapshot.source)
  const history = isRetry ? withoutLastReply(source) : source
  if (isRetry && historyMessages(history).length === 0) throw nothingToRetry(sessionId)
  const { log, snapshot } = view
  const { turns, createdAt: beganAt } = log
  const session = { turns, ...(beganAt !== undefined && { createdAt: beganAt }), ...titleOf(snapshot) }
  const more = { session, stored: snapshot.state }
  const parts = context.steer(
    agent.parts(storage.createWriter(), { history, sessionId, ...more, ...job.facts }),
    job.turnId,
  )
  const input = isRetry ? undefined : userMessage(content, { id, createdAt })
  const options = { turnId: job.turnId, signal, history: agent.keepsHistory, onEvent }
  const retryOf = (to === undefined ? undefined : log.at(to)?.turnId) ?? log.lastTurnId
  const origin = isRetry && retryOf !== undefined ? { retryOf } : {}
  const runner = new ToolRunner(parts, input, options, origin)
  context.onRunner(runner)
  return runner.untilDone()
}

/** A turn that was cut, and what it was asked, where that has yet to pass its hooks. */
export interface CutTurn {
  readonly turnId: string
  readonly entries: readonly Entry[]
  readonly input?: QueuedInput
}

function titleOf({ title }: Snapshot): { title?: string } {
  return title === undefined ? {} : { title }
}

/** Go on with a turn that was cut. */
export async function runCutTurn(cut: CutTurn, signal: AbortSignal, context: RunContext): Promise<TurnResult> {
  const { agent, storage, view, sessionId, onEvent } = context
  const { blobs } = storage
  const before = sourceOfTurn(view.snapshot.source, cut.entries[0])
  const fetching = blobs.fetch([...historyMessages(before), ...cut.entries, ...(cut.input ? [cut.input] : [])], signal)
  if (fetching !== undefined) await fetching
  const history = blobs.wholeSource(before)
  const { snapshot, log } = view
  const session = { turns: log.turns - 1, ...titleOf(snapshot) }
  // As it was before the turn: its own entries bring it to where it stands.
  const stored = snapshot.turn?.stateBefore ?? snapshot.state
  const doubt = context.inDoubt && { inDoubt: context.inDoubt }
  const parts = context.steer(
    agent.parts(storage.createWriter(), { history, sessionId, session, stored, ...doubt }),
    cut.turnId,
  )
  view.patch({ resumable: undefined })
  const waiting = cut.input && userMessage(blobs.whole(cut.input).content, cut.input)
  const entries = cut.entries.map((entry) => blobs.whole(entry))
  const runner = ToolRunner.from(parts, entries, { signal, onEvent }, waiting)
  context.onRunner(runner)
  return runner.untilDone()
}

/**
 * End a turn that waits for people because something else was sent: what they were asked counts as not allowed.
 */
export async function supersedeTurn(cut: CutTurn, context: RunContext): Promise<TurnResult> {
  const { storage, view } = context
  const note = 'They sent something else instead of deciding.'
  for (const { id, path } of view.snapshot.pending)
    storage.append({ turnId: cut.turnId, ...toDecided({ id, allow: false, note, by: SUPERSEDED }, path) })
  return runCutTurn(findOpenTurn(view.entries) ?? cut, AbortSignal.abort(SUPERSEDED), context)
}

const SUPERSEDED = 'superseded'

/** The result of an input whose turn never began. It is handed back, unless it is kept and will be asked later. */
export function neverStarted(
  job: Job,
  messages: readonly Message[],
  why: { readonly reason: unknown; readonly isKept?: boolean } = { reason: 'removed from the queue' },
): TurnResult {
  const { aborted, reason } = job.controller.signal
  const { content } = job.input
  const outcome: Outcome = {
    kind: 'cancelled',
    reason: toReasonRecord(aborted ? reason : why.reason),
    rollback: { status: 'unchanged', messagesBefore: messages.length, messagesAfter: messages.length },
    ...(content.length > 0 && !why.isKept && { input: content }),
  }
  return createResult({ turnId: job.turnId, outcome, reply: undefined, messages, usage: {}, iterations: 0 })
}

/** Why a run was stopped whose session another page writes now. */
export const TAKEN_OVER = 'another page has taken over this conversation'

/** Whether a turn ended here only because another page writes the session now. */
export function isTakenOver({ outcome }: TurnResult): boolean {
  return outcome.kind === 'cancelled' && outcome.reason === TAKEN_OVER
}

/** How a turn ended that is in the log; `undefined` while it is not, or goes on. */
export function endedTurn(view: SessionView, turnId: string): TurnResult | undefined {
  return view.hasTurn(turnId) && view.openTurnId !== turnId ? resultFromLog(view, turnId) : undefined
}

/** The log decides how a turn ended; of a run that was overtaken, the one that another page writes. */
export async function settleRun(
  job: Job,
  { resume: _here, ...result }: TurnResult,
  { storage, view }: Pick<RunContext, 'storage' | 'view'>,
): Promise<TurnResult> {
  if (!storage.isStale) return result
  await storage.reload().catch(() => {})
  const ended = endedTurn(view, result.turnId)
  if (ended !== undefined) return ended
  const isUntouched = !view.hasTurn(result.turnId) && result.message === undefined
  if (isUntouched) return neverStarted(job, view.snapshot.messages, { reason: TAKEN_OVER })
  return { ...result, outcome: takenOver(result) }
}

/** What became of a turn here that is still going on elsewhere. */
function takenOver({ outcome, messages }: TurnResult): Outcome {
  if (outcome.kind === 'cancelled') return outcome
  const rollback = { status: 'unchanged', messagesBefore: messages.length, messagesAfter: messages.length } as const
  return { kind: 'cancelled', reason: TAKEN_OVER, rollback }
}
