import { ABANDONED, INTERRUPTED, settleBefore, settleWithin } from './abort.ts'
import { type Again, decide } from './decide.ts'
import type { EntryDraft, ToolSettled } from './entries.ts'
import { type ErrorRecord, toErrorRecord, toReasonRecord } from './errors.ts'
import { type LiveTurn, unsettledCalls } from './live-turn.ts'
import { type AssistantMessage, clientCalls, type ToolCallPart } from './messages.ts'
import type { Outcome, RollbackRecord } from './outcome.ts'
import {
  CUT_TEXT,
  FILTERED_TEXT,
  INTERRUPTED_TEXT,
  LENGTH_CUT_TEXT,
  LOST_TEXT,
  NOT_RUN_TEXT,
  textResult,
  UNKNOWN_TEXT,
} from './result-text.ts'

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
    const decision = decide(asked.reply, fold.counts, asked.error)
    if (decision.kind === 'end') return decision.outcome
    if (decision.kind === 'again') asked = askAgain(turn, decision.why)
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

/** Prepare another question to the model; the answer so far is dealt with. */
function askAgain(turn: LiveTurn, why: Again): undefined {
  if (why === 'missing-call') nudge(turn)
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
  const settled = await settleWithin(promise, { signal, graceMs: NOTICE_MS, clock: parts.clock })
  if (settled === ABANDONED) throw signal.reason
  return settled
}

/** Long enough for a part to resolve on abort, too short for anybody to feel. */
const NOTICE_MS = 20

/** Write a reply down, with its checkpoint when it is whole and with its calls' answers when they must not run. */
async function record(turn: LiveTurn, message: AssistantMessage): Promise<void> {
  const calls = clientCalls(message)
  const isEmptyCut = message.partial === true && message.content.length === 0
  if (isEmptyCut) return
  const drafts: EntryDraft[] = [{ type: 'message', message }]
  if (message.stopReason !== 'toolUse' && calls.length > 0) {
    drafts.push(...calls.map((call) => refuse(call, message)), toolMessage(turn, calls))
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

function nudge(turn: LiveTurn): void {
  const text = 'You announced a tool call, but none arrived. Make the call now, or answer without it.'
  const createdAt = turn.parts.clock.now()
  const message = {
    id: crypto.randomUUID(),
    role: 'user',
    createdAt,
    content: [{ type: 'text', text }],
    synthetic: true,
  } as const
  turn.append({ type: 'message', message })
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
      // A result after the batch was answered is recorded as late, and only recorded.
      append: (...drafts) =>
        isOpen ? turn.append(...drafts) : parts.append(...drafts.map((draft) => late(turn, draft))),
    }),
  )
  try {
    await settleWithin(running, { signal, graceMs: graceMs + NOTICE_MS, clock })
  } catch (error) {
    failure = error
  }
  isOpen = false
  answerRest(turn, failure)
  const calls = clientCalls(batch.reply)
  if (signal.aborted)
    turn.settledAtStop = calls.every((call) => isFinished(batch.settled.get(call.callId))) ? 'completed' : 'interrupted'
  turn.append(toolMessage(turn, calls), { type: 'checkpoint', position: 'batch' })
  if (failure !== undefined && !signal.aborted) throw failure
}

function late(turn: LiveTurn, draft: EntryDraft): EntryDraft {
  const { turnId } = turn.options
  return draft.type === 'tool-settled' ? { turnId, ...draft, late: true } : { turnId, ...draft }
}

function isFinished(settled: ToolSettled | undefined): boolean {
  return settled?.status === 'ok' || settled?.status === 'error' || settled?.status === 'denied'
}

/** What a part left unsettled: in doubt if it had started, not run if it had not. */
function answerRest(turn: LiveTurn, failure: unknown): void {
  const started = turn.fold.batch?.started
  const isInterrupted = turn.signal.reason === INTERRUPTED
  const inDoubt = isInterrupted ? LOST_TEXT : UNKNOWN_TEXT
  for (const call of unsettledCalls(turn)) {
    const isStarted = started?.has(call.callId) === true
    const notRun =
      failure !== undefined && !turn.signal.aborted ? CUT_TEXT : isInterrupted ? INTERRUPTED_TEXT : NOT_RUN_TEXT
    turn.append({
      type: 'tool-settled',
      callId: call.callId,
      toolName: call.toolName,
      status: isStarted ? 'unknown' : 'not-run',
      result: textResult(isStarted ? inDoubt : notRun, true),
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
  const { saved } = turn.append({ type: 'turn-ended', outcome, usage: fold.usage, iterations: fold.iteration })
  turn.release()
  if (signal.aborted) await settleBefore(saved, parts.graceMs - NOTICE_MS, parts.clock)
  else await settleWithin(saved, { signal, graceMs: parts.graceMs, clock: parts.clock })
}
