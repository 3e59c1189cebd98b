import type { EntryDraft, ToolSettled } from './entries.ts'
import { deepFreeze } from './json.ts'
import type { LiveTurn } from './live-turn.ts'
import { type AssistantMessage, type CallToolResult, clientCalls, messageText, type UserMessage } from './messages.ts'
import type { ModelReply } from './model-step.ts'
import type { Outcome } from './outcome.ts'
import { randomId } from './random-id.ts'
import { ENDED_TEXT, SENT_BACK_TEXT, stopTexts, textResult } from './result-text.ts'
import { toolMessage } from './turn-batch.ts'
import { hasAnswer, stopped } from './turn-end.ts'
import { joinResults, type OpenBatch } from './turn-fold.ts'
import type { Asked, BatchWord, HookSteps, Judged, PendingReply, TurnHooks } from './turn-hooks.ts'
import { record } from './turn-reply.ts'
import { addUsage } from './usage.ts'

/** Let an input pass the hooks and join the log; resolves with what ends the turn instead. */
async function admitInput(turn: LiveTurn, given: readonly UserMessage[]): Promise<Outcome | undefined> {
  const { hooks } = turn
  const input = deepFreeze(given)
  const judged: Judged<typeof input> = (await hooks?.input(input)) ?? { kind: 'go', value: input }
  if (isCalledOff(turn, judged)) return stopped(turn)
  if (judged.kind !== 'end') {
    turn.append(...judged.value.map((message): EntryDraft => ({ type: 'message', message })))
    return undefined
  }
  const { outcome, shown = [], rejected = [] } = judged
  const blocked = outcome.kind === 'blocked' && { blocked: { trigger: outcome.trigger ?? 'validation_failed' } }
  const drafts = shown.map((message, index): EntryDraft => {
    const kept = rejected[index]
    const isLast = index === shown.length - 1
    return { type: 'message', message, ...blocked, ...(kept && { rejected: kept }), ...(isLast && { ends: outcome }) }
  })
  turn.append(...drafts)
  return outcome
}

/** Write down a reply that hooks have yet to pass and that does not end the turn; resolves with what ends it after all. */
async function passReply(turn: LiveTurn, { reply, pending }: Asked): Promise<Outcome | undefined> {
  if (pending === undefined || turn.hooks === undefined) return undefined
  const { hooks } = turn
  if (turn.signal.aborted) return leave(turn, pending)
  const judged = await seenAtStop(turn, pending, hooks.judge(reply, pending))
  if (judged.kind === 'end') return recordEnd(turn, pending.answered, judged)
  await record(turn, { ...pending.answered, message: judged.value })
  return undefined
}

/** End the turn with a reply, once hooks have passed it where it is the answer; they may send the model back instead. */
async function closeReply(turn: LiveTurn, asked: Asked, outcome: Outcome): Promise<Outcome | 'again'> {
  const { pending, reply } = asked
  const { hooks, answer } = turn
  if (pending === undefined || hooks === undefined) return outcome
  if (turn.signal.aborted) return leave(turn, pending)
  if (!hasAnswer(outcome)) return (await passReply(turn, asked)) ?? outcome
  const facts = { ...pending, outcome, ...(answer !== undefined && { output: answer.value }) }
  const judged = await seenAtStop(turn, pending, hooks.final(reply, facts))
  const isCancelled = isCalledOff(turn, judged)
  if (judged.kind === 'end' && judged.outcome !== outcome && !isCancelled)
    return recordEnd(turn, pending.answered, judged)
  const value = (judged.kind === 'end' ? judged.shown : judged.value) ?? reply
  await record(turn, { ...pending.answered, message: value })
  if (isCancelled) return stopped(turn)
  if (judged.kind === 'retry') return sendBack(turn, judged.text, hooks) ?? 'again'
  // What a hook has put in its place must fit as well.
  const output = value === reply ? undefined : await turn.parts.output?.judge(turn, value)
  return output?.state === 'misfits' ? { kind: 'failed', error: output.error } : outcome
}

/** End the turn with a reply that no model wrote. */
async function closeWith(turn: LiveTurn, reply: AssistantMessage): Promise<Outcome | undefined> {
  const { hooks, parts } = turn
  const outcome: Outcome = { kind: 'completed' }
  const judged = hooks?.judgesReplies ? await hooks.final(reply, { outcome }) : undefined
  if (judged?.kind === 'end' && judged.outcome !== outcome) return recordEnd(turn, { message: reply }, judged)
  const value = (judged?.kind === 'end' ? judged.shown : judged?.value) ?? reply
  await record(turn, { message: value })
  if (hooks !== undefined && judged?.kind === 'retry') return sendBack(turn, judged.text, hooks)
  const output = await parts.output?.judge(turn, value)
  return output?.state === 'misfits' ? { kind: 'failed', error: output.error } : outcome
}

/** End the turn with an answer that is in the log already: a call's arguments. What does not pass is hidden again. */
async function closeRecorded(turn: LiveTurn): Promise<Outcome | undefined> {
  const { hooks, answer, fold } = turn
  const reply = fold.lastReply
  const outcome: Outcome = { kind: 'completed' }
  if (hooks?.judgesReplies !== true || reply === undefined) return outcome
  const facts = { outcome, ...(await answerNameOf(turn)), ...(answer !== undefined && { output: answer.value }) }
  const judged = await hooks.final(reply, facts)
  if (judged.kind === 'retry') return sendBack(turn, judged.text, hooks)
  if (judged.kind === 'go') return outcome
  if (judged.outcome.kind !== 'blocked') return judged.outcome
  const at = fold.logged.findIndex(({ message }) => message === reply)
  const from = fold.logged[at]?.sequence ?? 0
  const to = fold.logged.at(-1)?.sequence ?? from
  const shows = judged.shown === undefined ? [] : [judged.shown]
  turn.emit({ type: 'content-retracted', messageId: reply.id })
  turn.append({
    type: 'overlay',
    id: randomId(),
    by: 'retraction',
    hides: [[from, to]],
    shows,
    critical: true,
  })
  return judged.outcome
}

/** Whether Stop came while hooks had their say. What a check has refused is refused all the same. */
function isCalledOff({ signal }: LiveTurn, judged: Judged<unknown>): boolean {
  return signal.aborted && !(judged.kind === 'end' && judged.outcome.kind === 'blocked')
}

/** End a turn that was stopped before hooks looked at its reply: what people have seen of that stays. */
async function leave(turn: LiveTurn, pending: PendingReply): Promise<Outcome> {
  await recordSeen(turn, pending)
  return stopped(turn)
}

/** Wait for hooks; where the turn is stopped meanwhile, what people have seen of the reply stays. */
async function seenAtStop<Value>(turn: LiveTurn, pending: PendingReply, judging: Promise<Value>): Promise<Value> {
  try {
    return await judging
  } catch (error) {
    await recordSeen(turn, pending)
    if (turn.fold.batch !== undefined) {
      turn.settledAtStop = 'interrupted'
      closeUnrun(turn, stopTexts(turn.signal.reason).notRun)
    }
    throw error
  }
}

/** Let hooks say what becomes of a reply, as far as that can be said before it is known whether it ends the turn. */
async function hear(turn: LiveTurn, pending: PendingReply): Promise<Asked | Outcome> {
  const { hooks } = turn
  const { answered, listener } = pending
  const { error } = answered
  // It joins the log as it is: hooks look at it, and change nothing in place.
  const message = deepFreeze(answered.message)
  await listener.settled()
  listener.close()
  const asked = { reply: message, ...(error && { error }) }
  if (turn.signal.aborted || hooks === undefined) {
    await recordSeen(turn, pending)
    return asked
  }
  const isTripped = listener.trip !== undefined
  const said = isTripped
    ? ({ kind: 'go', value: message } as const)
    : await seenAtStop(turn, pending, hooks.replied(message))
  const isLast = message.partial !== true && message.stopReason !== 'toolUse' && clientCalls(message).length === 0
  if (said.kind === 'go' && isLast && hooks.judgesReplies && !isTripped) return { ...asked, pending }
  const isBlocked = said.kind === 'end' && said.outcome.kind === 'blocked'
  if (isBlocked && listener.hasShown) turn.emit({ type: 'content-retracted', messageId: message.id })
  // Whatever ends the turn, or goes back to the model, is recorded: the checks have their say.
  const heard = { listener, ...(await seenAtStop(turn, pending, answerNameOf(turn))) }
  const judged = isBlocked ? said : await seenAtStop(turn, pending, hooks.judge(message, heard))
  if (judged.kind === 'end') return recordEnd(turn, answered, judged)
  const isCancelled = isCalledOff(turn, said)
  if (said.kind === 'end' && !isCancelled) return recordEnd(turn, answered, { ...said, shown: judged.value })
  const reply = judged.value
  await record(turn, { ...answered, message: reply })
  if (said.kind !== 'retry' || isCancelled) return { ...asked, reply }
  return sendBack(turn, said.text, hooks) ?? { ...asked, reply, isAgain: true }
}

/** The tool whose arguments are the answer, where there is one. */
async function answerNameOf(turn: LiveTurn): Promise<{ answerName?: string }> {
  const { output } = turn.parts
  const tool = output && turn.hooks?.judgesReplies && output.answerTool(await turn.abortable(turn.listTools()))
  return tool ? { answerName: tool.name } : {}
}

/** Write down as much of a reply as was shown, when the turn was stopped before hooks had passed it. */
async function recordSeen(turn: LiveTurn, { answered, listener }: PendingReply): Promise<void> {
  const { message } = answered
  const seen = listener.seen(message)
  const isCut = seen.content.length < message.content.length || messageText(seen) !== messageText(message)
  await record(turn, { ...answered, message: isCut ? { ...seen, partial: true } : seen })
}

/** Write down what stands for a reply that ends the turn by a hook; calls in it do not run. */
async function recordEnd(
  turn: LiveTurn,
  answered: ModelReply,
  { outcome, shown, rejected }: Judged<AssistantMessage> & { readonly kind: 'end' },
): Promise<Outcome> {
  const { message, discardedUsage } = answered
  const reply = shown ?? message
  const isWithheld = reply.synthetic !== undefined && message.synthetic === undefined
  const cost = isWithheld ? addUsage(discardedUsage ?? {}, message.usage) : discardedUsage
  await record(
    turn,
    { message: reply, ...(cost && { discardedUsage: cost }) },
    { ends: outcome, ...(rejected && { rejected }) },
  )
  if (turn.fold.batch !== undefined) closeUnrun(turn, ENDED_TEXT, outcome)
  return outcome
}

/** Let the model read what a hook wants it to; an outcome where it was sent back too often. */
function sendBack(turn: LiveTurn, text: string, { maxRetries }: TurnHooks): Outcome | undefined {
  if (turn.fold.batch !== undefined) closeUnrun(turn, SENT_BACK_TEXT)
  if (turn.fold.hookRetries >= maxRetries) return { kind: 'no-progress', reason: 'hook-retry' }
  turn.append({ type: 'message', message: feedbackMessage(turn, text) })
  return undefined
}

/** Answer the open calls: none of them runs. `ends` stands behind them again, for whoever goes on from there. */
function closeUnrun(turn: LiveTurn, text: string, ends?: Outcome): void {
  const calls = turn.fold.batch?.calls ?? []
  const result = textResult(text, true)
  const answers = calls.map(({ callId, toolName }): EntryDraft & ToolSettled => ({
    type: 'tool-settled',
    callId,
    toolName,
    status: 'not-run',
    result,
  }))
  const answer = { ...toolMessage(turn, calls), ...(ends && { ends }) }
  turn.append(...answers, answer, { type: 'checkpoint', position: 'batch' })
}

/** Let hooks see the results before they join the transcript; what they show in the place of some, by call. */
async function hearAnswered(
  { hooks, signal }: LiveTurn,
  { reply, calls, settled }: OpenBatch,
  said: BatchWord,
): Promise<ReadonlyMap<string, CallToolResult>> {
  if (hooks === undefined || signal.aborted) return new Map()
  const stored = { id: '', role: 'tool', createdAt: 0, calls } as const
  const { results } = joinResults(stored, (callId) => settled.get(callId))
  // Only by Stop does it reject: what is there stands.
  const heard = await hooks.answered(reply, results).catch(() => undefined)
  if (heard?.kind === 'end') said.ends ??= heard.outcome
  if (heard?.kind === 'retry') said.feedback ??= heard.text
  return (heard?.kind === 'end' ? heard.shown : heard?.value) ?? new Map()
}

/** The end of a batch: its message, its checkpoint, and what hooks let the model read after it. */
function closing(
  turn: LiveTurn,
  { calls, settled }: OpenBatch,
  { said, replaced }: { said: BatchWord; replaced: ReadonlyMap<string, CallToolResult> },
): EntryDraft[] {
  const told = calls.flatMap(({ callId }) => settled.get(callId)?.feedback ?? [])
  if (said.feedback !== undefined) told.push(said.feedback)
  const limit = turn.hooks?.maxRetries ?? 2
  const isTooOften = told.length > 0 && turn.fold.hookRetries >= limit
  const ends: Outcome | undefined =
    said.ends ?? (isTooOften ? { kind: 'no-progress', reason: 'hook-retry' } : undefined)
  const draft = toolMessage(turn, calls, replaced)
  const answer = ends === undefined ? draft : { ...draft, ends }
  const isOver = ends !== undefined || turn.signal.aborted || calls.some(({ callId }) => settled.get(callId)?.ends)
  const read = isOver ? [] : told.map((text): EntryDraft => ({ type: 'message', message: feedbackMessage(turn, text) }))
  return [answer, { type: 'checkpoint', position: 'batch' }, ...read]
}

/** What a hook wants the model to read, as a message. */
function feedbackMessage({ parts }: LiveTurn, text: string): UserMessage {
  const stamp = { id: randomId(), createdAt: parts.clock.now() }
  return { ...stamp, role: 'user', content: [{ type: 'text', text }], synthetic: 'hook-retry' }
}

async function closeBatch(turn: LiveTurn, said: BatchWord): Promise<EntryDraft[]> {
  const { batch } = turn.fold
  if (batch === undefined) return []
  const replaced = await hearAnswered(turn, batch, said)
  return closing(turn, batch, { said, replaced })
}

/** What the loop does where it meets hooks. */
export const HOOK_STEPS: HookSteps = Object.freeze({
  admitInput,
  hear,
  passReply,
  closeReply,
  closeWith,
  closeRecorded,
  closeBatch,
})
