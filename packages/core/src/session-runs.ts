import type { Agent } from './agent.ts'
import type { Entry } from './entries.ts'
import { toReasonRecord } from './errors.ts'
import type { TurnEvent } from './events.ts'
import type { Message } from './messages.ts'
import type { Outcome } from './outcome.ts'
import { nothingToRetry } from './session-errors.ts'
import { sourceOfTurn, withoutLastReply } from './session-head.ts'
import type { Job } from './session-queue.ts'
import type { SessionStorage } from './session-storage.ts'
import type { SessionView } from './session-view.ts'
import { ToolRunner } from './tool-runner.ts'
import { historyMessages } from './transcript.ts'
import { userMessage } from './turn-input.ts'
import { createResult, type TurnResult } from './turn-result.ts'

/** What a session's runs share. */
export interface RunContext {
  readonly sessionId: string
  readonly agent: Agent
  readonly storage: SessionStorage
  readonly view: SessionView
  readonly onEvent: (event: TurnEvent) => void
}

/**
 * Run the turn that an input, or a retry, starts. Resolves with its result, whatever happens inside; rejects with
 * `bad-input` for a retry of nothing.
 */
export async function runNewTurn(job: Job, context: RunContext): Promise<TurnResult> {
  const { agent, storage, view, sessionId, onEvent } = context
  const isRetry = job.kind === 'retry'
  const { source } = view.snapshot
  const history = isRetry ? withoutLastReply(source) : source
  if (isRetry && historyMessages(history).length === 0) throw nothingToRetry(sessionId)
  const parts = agent.parts(storage.createWriter(), { history, sessionId })
  const { id, createdAt, content } = job.input
  const input = isRetry ? undefined : userMessage(content, { id, createdAt })
  const options = { turnId: job.turnId, signal: job.controller.signal, history: agent.keepsHistory, onEvent }
  const origin = isRetry && view.lastTurnId !== undefined ? { retryOf: view.lastTurnId } : {}
  return new ToolRunner(parts, input, options, origin).untilDone()
}

/** Go on with a turn that was cut. */
export function runCutTurn(
  cut: { turnId: string; entries: readonly Entry[] },
  signal: AbortSignal,
  context: RunContext,
): Promise<TurnResult> {
  const { agent, storage, view, sessionId, onEvent } = context
  const history = sourceOfTurn(view.snapshot.source, cut.entries[0])
  const parts = agent.parts(storage.createWriter(), { history, sessionId })
  view.patch({ resumable: undefined })
  return ToolRunner.from(parts, cut.entries, { signal, onEvent }).untilDone()
}

/** The result of an input whose turn never began. It is handed back, unless it is kept and will be asked later. */
export function neverStarted(
  job: Job,
  messages: readonly Message[],
  why: { readonly reason: string; readonly isKept?: boolean } = { reason: 'removed from the queue' },
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
