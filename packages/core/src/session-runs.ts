import type { Agent } from './agent.ts'
import type { Entry } from './entries.ts'
import { toReasonRecord } from './errors.ts'
import type { TurnEvent } from './events.ts'
import type { Message } from './messages.ts'
import type { Outcome } from './outcome.ts'
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

/** Run the turn that an input, or a retry, starts. Resolves with its result; never rejects for what happens inside. */
export function runNewTurn(job: Job, context: RunContext): Promise<TurnResult> {
  const { agent, storage, view, sessionId, onEvent } = context
  const isRetry = job.kind === 'retry'
  const history = historyMessages(view.snapshot.source)
  const parts = agent.parts(storage, { history: isRetry ? withoutCutReply(history) : history, sessionId })
  const input = isRetry ? undefined : userMessage(job.content, { id: job.messageId, createdAt: job.createdAt })
  const retryOf = view.entries.findLast((entry) => entry.type === 'turn-started')?.turnId
  const options = { turnId: job.turnId, signal: job.controller.signal, history: agent.keepsHistory, onEvent }
  return new ToolRunner(parts, input, options, isRetry && retryOf !== undefined ? { retryOf } : {}).untilDone()
}

/** Go on with a turn that was cut. */
export function runCutTurn(
  cut: { turnId: string; entries: readonly Entry[] },
  signal: AbortSignal,
  context: RunContext,
): Promise<TurnResult> {
  const { agent, storage, view, sessionId, onEvent } = context
  const [started] = cut.entries
  const start = started?.sequence ?? 0
  const { source } = view.snapshot
  const before = source.messages.filter((logged) => logged.sequence < start)
  const parts = agent.parts(storage, { history: historyMessages({ ...source, messages: before }), sessionId })
  view.patch({ resumable: undefined, status: signal.aborted ? 'cancelling' : 'running' })
  return ToolRunner.from(parts, cut.entries, { signal, onEvent }).untilDone()
}

/** The result of an input that was taken back before its turn began. */
export function neverStarted(job: Job, messages: readonly Message[]): TurnResult {
  const rollback = { status: 'unchanged', messagesBefore: messages.length, messagesAfter: messages.length } as const
  const reason = toReasonRecord(job.controller.signal.reason ?? 'removed from the queue')
  const outcome: Outcome = { kind: 'cancelled', reason, rollback, input: job.content }
  return createResult({ turnId: job.turnId, outcome, reply: undefined, messages, usage: {}, iterations: 0 })
}

/** A reply that broke off is shown, but the model that tries again must not take it for its own beginning. */
function withoutCutReply(history: readonly Message[]): readonly Message[] {
  const last = history.at(-1)
  return last?.role === 'assistant' && last.partial === true ? history.slice(0, -1) : history
}
