import { ABANDONED, INTERRUPTED, settleBefore, settleWithin } from './abort.ts'
import { type Again, countReplies, decide } from './decide.ts'
import type { EntryDraft, ToolSettled } from './entries.ts'
import { type ErrorRecord, toErrorRecord, toReasonRecord } from './errors.ts'
import { type LiveTurn, type RunnerParts, unsettledCalls } from './live-turn.ts'
import { type AssistantMessage, clientCalls, type ToolCallPart } from './messages.ts'
import type { Outcome, RollbackRecord } from './outcome.ts'
import {
  CUT_TEXT,
  FILTERED_TEXT,
  HEALED_NOT_RUN_TEXT,
  HEALED_UNKNOWN_TEXT,
  INTERRUPTED_TEXT,
  LENGTH_CUT_TEXT,
  LOST_TEXT,
  NOT_RUN_TEXT,
  textResult,
  UNKNOWN_TEXT,
} from './result-text.ts'
import type { Appended } from './session-log.ts'

/**
 * The heartbeat: one turn, from wherever its fold stands to its end.
 *
 * Pauses (yields) after each step's facts, so that whoever pulls decides when tools start and when the model is asked
 * again. Ends with `turn-ended` in every case; never throws. Source: the turn guide, "One step".
 */
export async function* driveTurn(turn: LiveTurn): AsyncGenerator<undefined, void, undefined> {
  let outcome: Outcome
  try {
    outcome = yield* steps(turn)
  } catch (error) {
    outcome = turn.signal.aborted ? stopped(turn) : { kind: 'failed', error: toErrorRecord(error, 'internal') }
  }
  await finish(turn, outcome)
}

async function* steps(turn: LiveTurn): AsyncGenerator<undefined, Outcome, undefined> {
  const { fold, signal } = turn
  if (!fold.hasStarted) {
    begin(turn)
    yield
  }
  // A whole reply that nothing was decided about is there only when a cut turn goes on.
  let asked: Asked | undefined = fold.undecidedReply && { reply: fold.undecidedReply }
  for (;;) {
    if (fold.batch !== undefined) {
      await settleBatch(turn)
      yield
      asked = undefined
    }
    const end = endBetween(turn)
    if (end !== undefined) return end
    if (asked === undefined) {
      asked = await askModel(turn)
      if (!signal.aborted) yield
      else if (fold.batch === undefined) return stopped(turn)
    }
    const decision = decide(asked.reply, countReplies(fold.messages), asked.error)
    if (decision.kind === 'end') return decision.outcome
    if (decision.kind === 'again') {
      prepareAgain(turn, decision.why)
      asked = undefined
    }
  }
}

interface Asked {
  readonly reply: AssistantMessage
  readonly error?: ErrorRecord
}

/** What ends a turn between two steps, whatever the last reply was. */
function endBetween(turn: LiveTurn): Outcome | undefined {
  const { maxIterations } = turn.parts
  if (turn.signal.aborted) return stopped(turn)
  return turn.fold.iteration > maxIterations ? { kind: 'max-iterations', maxIterations } : undefined
}

function begin(turn: LiveTurn): void {
  const { parts, options, signal } = turn
  const started: EntryDraft = {
    type: 'turn-started',
    agentName: parts.agentName,
    modelId: parts.modelId,
    history: options.history,
    ...(options.retryOf !== undefined && { retryOf: options.retryOf }),
  }
  // Stopped before it began: the text was never part of the conversation, and is handed back instead.
  const messages = signal.aborted ? [] : (options.input ?? [])
  turn.append(started, ...messages.map((message): EntryDraft => ({ type: 'message', message })))
}

async function askModel(turn: LiveTurn): Promise<Asked> {
  const { parts, signal, ids } = turn
  const request = await abortable(turn, turn.createRequest())
  signal.throwIfAborted()
  const messageId = crypto.randomUUID()
  turn.emit({ type: 'iteration-started', iteration: turn.fold.iteration + 1 })
  turn.emit({ type: 'model-started', messageId, modelId: parts.modelId })
  let isListening = true
  const calling = parts.callModel(request, {
    signal,
    messageId,
    ids,
    emit: (body) => {
      if (isListening) turn.emit(body)
    },
  })
  const answered = await abortable(turn, calling)
  isListening = false
  await record(turn, answered.message)
  return { reply: answered.message, ...(answered.error && { error: answered.error }) }
}

/** Wait for a part; once the turn is stopped, only as long as it takes a cooperative one to notice. */
async function abortable<T>(turn: LiveTurn, promise: Promise<T>): Promise<T> {
  const { signal, parts } = turn
  const settled = await settleWithin(promise, { signal, graceMs: noticeMs(parts), clock: parts.clock })
  if (settled === ABANDONED) throw signal.reason
  return settled
}

/** Long enough for a part to resolve on abort, too short for anybody to feel. */
function noticeMs({ graceMs }: RunnerParts): number {
  return Math.min(20, graceMs)
}

/** Write a reply down, with its checkpoint when it is whole and with its calls' answers when they must not run. */
async function record(turn: LiveTurn, message: AssistantMessage): Promise<void> {
  const calls = clientCalls(message)
  const isEmptyCut = message.partial === true && message.content.length === 0
  if (isEmptyCut) return
  const drafts: EntryDraft[] = [{ type: 'message', message }]
  if (message.stopReason !== 'toolUse' && calls.length > 0) {
    drafts.push(...calls.map((call) => refuse(call, message)), toolMessage(turn, calls))
    if (message.stopReason === 'cancelled') turn.settledAtStop = 'interrupted'
  }
  if (!message.partial) drafts.push({ type: 'checkpoint', position: 'reply' })
  const { saved } = turn.append(...drafts)
  // Before any of its tools starts, the reply that asked for them is stored, or is known not to be.
  if (message.stopReason === 'toolUse')
    await settleWithin(saved, { signal: turn.signal, graceMs: 0, clock: turn.parts.clock })
}

function refuse(call: ToolCallPart, reply: AssistantMessage): EntryDraft & ToolSettled {
  const status = reply.stopReason === 'cancelled' ? 'not-run' : 'error'
  const text = REFUSALS[reply.stopReason] ?? CUT_TEXT
  return { type: 'tool-settled', callId: call.callId, toolName: call.toolName, status, result: textResult(text, true) }
}

const REFUSALS: { readonly [Reason in AssistantMessage['stopReason']]?: string } = {
  maxTokens: LENGTH_CUT_TEXT,
  safety: FILTERED_TEXT,
  cancelled: NOT_RUN_TEXT,
}

function toolMessage(turn: LiveTurn, calls: readonly ToolCallPart[]): EntryDraft {
  const createdAt = turn.parts.clock.now()
  const message = {
    id: crypto.randomUUID(),
    role: 'tool',
    createdAt,
    calls: calls.map(({ callId }) => ({ callId })),
  } as const
  return { type: 'message', message }
}

/** What the model has to be told before it is asked again. Nothing joins the transcript of a turn that was stopped. */
function prepareAgain(turn: LiveTurn, why: Again): void {
  const text = NUDGES[why]
  if (text === undefined || turn.signal.aborted) return
  const stamp = { id: crypto.randomUUID(), createdAt: turn.parts.clock.now() }
  const message = { ...stamp, role: 'user', content: [{ type: 'text', text }], synthetic: 'nudge' } as const
  turn.append({ type: 'message', message })
}

/** The same request once more gets the same answer once more, and one that ends with a reply gets none. */
const NUDGES: { readonly [Why in Again]?: string } = {
  'missing-call': 'You announced a tool call, but none arrived. Make the call now, or answer without it.',
  'empty-reply': 'Your last reply was empty. Answer now.',
}

/** Settle the open batch and answer whatever is left of it: afterwards every call has exactly one result. */
async function settleBatch(turn: LiveTurn): Promise<void> {
  const { fold, signal, parts } = turn
  const batch = fold.batch
  if (batch === undefined) return
  const { graceMs, clock } = parts
  let failure: unknown
  let isOpen = true
  const running = turn.listTools().then((tools) =>
    parts.runTools(batch.reply, {
      signal,
      graceMs,
      tools,
      known: { started: new Map(batch.started), settled: new Map(batch.settled), decided: new Map() },
      messages: turn.messages,
      turnId: turn.options.turnId,
      ...(parts.sessionId !== undefined && { sessionId: parts.sessionId }),
      ...(parts.settings?.maxOutputTokens !== undefined && { maxOutputTokens: parts.settings.maxOutputTokens }),
      emit: (body) => {
        if (isOpen) turn.emit(body)
      },
      append: (...drafts) => (isOpen ? turn.append(...drafts) : appendLate(turn, drafts)),
    }),
  )
  try {
    await settleWithin(running, { signal, graceMs: graceMs + noticeMs(parts), clock })
  } catch (error) {
    failure = error
  }
  isOpen = false
  answerRest(turn)
  const calls = clientCalls(batch.reply)
  if (signal.aborted)
    turn.settledAtStop = calls.every((call) => isFinished(batch.settled.get(call.callId))) ? 'completed' : 'interrupted'
  turn.append(toolMessage(turn, calls), { type: 'checkpoint', position: 'batch' })
  if (failure !== undefined && !signal.aborted) throw failure
}

/**
 * What a part says after the batch was answered: the result of a call that ran is recorded as late, and only recorded.
 * The rest is no news, and would contradict what stands there.
 */
function appendLate(turn: LiveTurn, drafts: readonly EntryDraft[]): Appended {
  const { turnId } = turn.options
  const results = drafts.flatMap((draft): EntryDraft[] => {
    const isResult = draft.type === 'tool-settled' && draft.startedAt !== undefined && draft.status !== 'unknown'
    return isResult ? [{ turnId, ...draft, late: true }] : []
  })
  return results.length === 0 ? { entries: [], saved: Promise.resolve(false) } : turn.parts.append(...results)
}

function isFinished(settled: ToolSettled | undefined): boolean {
  return settled?.status === 'ok' || settled?.status === 'error' || settled?.status === 'denied'
}

/** What a part left unsettled: in doubt if it had started, not run if it had not. */
function answerRest(turn: LiveTurn): void {
  const started = turn.fold.batch?.started
  const { aborted, reason } = turn.signal
  const byStop = { inDoubt: UNKNOWN_TEXT, notRun: NOT_RUN_TEXT }
  const byCrash = { inDoubt: LOST_TEXT, notRun: INTERRUPTED_TEXT }
  const byFailure = { inDoubt: HEALED_UNKNOWN_TEXT, notRun: HEALED_NOT_RUN_TEXT }
  const texts = reason === INTERRUPTED ? byCrash : aborted ? byStop : byFailure
  for (const call of unsettledCalls(turn)) {
    const isStarted = started?.has(call.callId) === true
    turn.append({
      type: 'tool-settled',
      callId: call.callId,
      toolName: call.toolName,
      status: isStarted ? 'unknown' : 'not-run',
      result: textResult(isStarted ? texts.inDoubt : texts.notRun, true),
    })
  }
}

/** How a stopped turn ends: by whom, and what it left in the transcript. */
function stopped(turn: LiveTurn): Outcome {
  const rollback = describeRollback(turn)
  if (turn.signal.reason === INTERRUPTED) return { kind: 'interrupted', rollback }
  const input = turn.fold.messages.length === 0 ? turn.options.input?.flatMap((message) => message.content) : undefined
  return {
    kind: 'cancelled',
    reason: toReasonRecord(turn.signal.reason),
    rollback,
    ...(input !== undefined && input.length > 0 && { input }),
  }
}

function describeRollback(turn: LiveTurn): RollbackRecord {
  const messagesAfter = turn.messageCount
  const messagesBefore = turn.messagesAtStop ?? messagesAfter
  const status = (): RollbackRecord['status'] => {
    if (!turn.options.history) return 'history-disabled'
    if (turn.settledAtStop === 'completed') return 'appended-completed-result'
    if (turn.settledAtStop === 'interrupted') return 'appended-interrupted-result'
    return messagesAfter === 0 ? 'empty' : 'unchanged'
  }
  return { status: status(), messagesBefore, messagesAfter }
}

/** Write the end and give the last save its time: after Stop no more than one grace time. */
async function finish(turn: LiveTurn, outcome: Outcome): Promise<void> {
  const { fold, parts, signal } = turn
  turn.release()
  const { saved } = turn.append({ type: 'turn-ended', outcome, usage: fold.usage, iterations: fold.iteration })
  if (signal.aborted) await settleBefore(saved, parts.graceMs - noticeMs(parts), parts.clock)
  else await settleWithin(saved, { signal, graceMs: parts.graceMs, clock: parts.clock })
}
