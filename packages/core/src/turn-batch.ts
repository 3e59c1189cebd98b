import { ABANDONED, settleWithin } from './abort.ts'
import { deniedText } from './approvals.ts'
import type { EntryDraft, ToolSettled } from './entries.ts'
import { isNested } from './entries.ts'
import type { LiveTurn } from './live-turn.ts'
import { unsettledCalls } from './live-turn.ts'
import type { Appended } from './log-writer.ts'
import type { AssistantMessage, CallToolResult, ToolCallPart } from './messages.ts'
import { isPaused } from './open-turn.ts'
import type { PendingRequest } from './outcome.ts'
import { randomId } from './random-id.ts'
import {
  ENDED_TEXT,
  HEALED_NOT_RUN_TEXT,
  HEALED_UNKNOWN_TEXT,
  SENT_BACK_TEXT,
  stopTexts,
  textResult,
} from './result-text.ts'
import type { ToolBatchOptions } from './tool-batch-options.ts'
import type { BatchWord } from './turn-hooks.ts'
import { hostOf } from './turn-host.ts'

/**
 * Settle the open batch and answer whatever is left of it: afterwards every call has exactly one result. Where people have
 * to decide first, resolves with what, and leaves those calls open.
 */
export async function settleBatch(turn: LiveTurn, toolsOff?: string): Promise<readonly PendingRequest[]> {
  const { fold, signal, parts } = turn
  const batch = fold.batch
  if (batch === undefined) return []
  const { graceMs, clock } = parts
  let failure: unknown
  let pending: readonly PendingRequest[] = []
  let isOpen = true
  const said: BatchWord = {}
  const running = startBatch(turn, batch.reply, {
    said,
    ...(toolsOff !== undefined && { toolsOff }),
    emit: (body) => {
      if (isOpen) turn.emit(body)
    },
    append: (...drafts) => (isOpen ? turn.append(...drafts) : appendLate(turn, drafts)),
    isOpen: () => isOpen,
  })
  try {
    const left = await settleWithin(running, { signal, graceMs: graceMs + turn.noticeMs, clock })
    // Also where Stop came in that moment: the turn does not pause then, and settles what is left as a stopped one.
    if (left !== ABANDONED) pending = left
  } catch (error) {
    failure = error
  }
  isOpen = false
  if (pending.length > 0) return pending
  answerRest(turn, said)
  const { calls } = batch
  const end = turn.hooks === undefined ? undefined : await turn.hooks.steps.closeBatch(turn, said)
  if (signal.aborted)
    turn.settledAtStop = calls.every((call) => isFinished(batch.settled.get(call.callId))) ? 'completed' : 'interrupted'
  turn.append(...(end ?? [toolMessage(turn, calls), { type: 'checkpoint', position: 'batch' }]))
  if (failure !== undefined && !signal.aborted) throw failure
  return []
}

async function startBatch(
  turn: LiveTurn,
  reply: AssistantMessage,
  {
    isOpen,
    said,
    ...ways
  }: Pick<ToolBatchOptions, 'emit' | 'append' | 'toolsOff'> & {
    isOpen(): boolean
    said: BatchWord
  },
): Promise<readonly PendingRequest[]> {
  const { fold, signal, parts } = turn
  const listed = await turn.listTools()
  const heard = ways.toolsOff === undefined ? await turn.hooks?.batch(reply) : undefined
  if (heard?.kind === 'end') said.ends = heard.outcome
  if (heard?.kind === 'retry') said.feedback = heard.text
  // What is left of the batch is answered without.
  if (heard !== undefined && heard.kind !== 'go') return []
  const answer = parts.output?.answerTool(listed)
  const messages = turn.unanswered()
  return parts.runTools(reply, {
    signal,
    graceMs: parts.graceMs,
    tools: answer === undefined ? listed : [...listed, answer],
    known: {
      started: new Map(fold.batch?.started),
      settled: new Map(fold.batch?.settled),
      requested: new Map(fold.batch?.requested),
      decided: new Map(fold.batch?.decided),
    },
    onDecision: (listener) => turn.onDecision(listener),
    isDecided: (requestId) => fold.decidedIds.has(requestId),
    isPaused: (callId) => isPaused(fold.nested.get(callId) ?? []),
    repeats: fold.repeats,
    get messages() {
      return messages()
    },
    turnId: turn.options.turnId,
    isReplyStored: turn.isReplyStored,
    turn,
    ...(turn.hooks !== undefined && { layer: turn.hooks.calls }),
    ...(heard !== undefined && heard.value.size > 0 && { inputs: heard.value }),
    hostFor: (callId) => hostOf(turn, callId, { isOpen, append: ways.append }),
    ...(parts.sessionId !== undefined && { sessionId: parts.sessionId }),
    ...(parts.settings?.maxOutputTokens !== undefined && { maxOutputTokens: parts.settings.maxOutputTokens }),
    ...ways,
  })
}

/** The message that answers calls; their results stand in `tool-settled`, but for those that are `replaced`. */
export function toolMessage(
  turn: LiveTurn,
  calls: readonly ToolCallPart[],
  replaced: ReadonlyMap<string, CallToolResult> = new Map(),
): EntryDraft & { readonly type: 'message' } {
  const createdAt = turn.parts.clock.now()
  const message = {
    id: randomId(),
    role: 'tool',
    createdAt,
    calls: calls.map(({ callId }) => {
      const result = replaced.get(callId)
      return result === undefined ? { callId } : { callId, result }
    }),
  } as const
  return { type: 'message', message }
}

/**
 * What a part says after the batch was answered: the result of a call that ran is recorded as late, and only recorded.
 * The rest is no news, and would contradict what stands there.
 */
function appendLate(turn: LiveTurn, drafts: readonly EntryDraft[]): Appended {
  const { turnId } = turn.options
  const results = drafts.flatMap((draft): EntryDraft[] => {
    const isResult = draft.type === 'tool-settled' && draft.startedAt !== undefined && draft.status !== 'unknown'
    return isResult && !isNested(draft) ? [{ turnId, ...draft, late: true }] : []
  })
  return results.length === 0 ? { entries: [], saved: Promise.resolve(false) } : turn.parts.append(...results)
}

function isFinished(settled: ToolSettled | undefined): boolean {
  return settled?.status === 'ok' || settled?.status === 'error' || settled?.status === 'denied'
}

/** What a part left unsettled: in doubt if it had started, not run if it had not. */
function answerRest(turn: LiveTurn, said: BatchWord): void {
  const started = turn.fold.batch?.started
  const { aborted, reason } = turn.signal
  const byHook = said.ends === undefined ? HEALED_NOT_RUN_TEXT : ENDED_TEXT
  const notRun = said.feedback === undefined ? byHook : SENT_BACK_TEXT
  const byFailure = { inDoubt: HEALED_UNKNOWN_TEXT, notRun }
  const texts = aborted ? stopTexts(reason) : byFailure
  const decided = turn.fold.batch?.decided
  for (const call of unsettledCalls(turn)) {
    const isStarted = started?.has(call.callId) === true
    const isDenied = decided?.get(call.callId)?.allow === false
    const note = decided?.get(call.callId)?.note
    turn.append({
      type: 'tool-settled',
      callId: call.callId,
      toolName: call.toolName,
      status: isDenied ? 'denied' : isStarted ? 'unknown' : 'not-run',
      result: textResult(isDenied ? deniedText(note) : isStarted ? texts.inDoubt : texts.notRun, true),
    })
  }
}
