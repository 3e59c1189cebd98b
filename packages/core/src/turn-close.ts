import type { EntryDraft, ToolSettled } from './entries.ts'
import type { LiveTurn } from './live-turn.ts'
import { type AssistantMessage, type CallToolResult, clientCalls, type UserMessage } from './messages.ts'
import type { ModelReply } from './model-step.ts'
import type { Outcome } from './outcome.ts'
import { ENDED_TEXT, SENT_BACK_TEXT, textResult } from './result-text.ts'
import { toolMessage } from './turn-batch.ts'
import { hasAnswer } from './turn-end.ts'
import { joinResults, type OpenBatch } from './turn-fold.ts'
import type { Asked, BatchWord, HookSteps, Judged, PendingReply, TurnHooks } from './turn-hooks.ts'
import { record } from './turn-reply.ts'
import { addUsage } from './usage.ts'

/** Let the input pass the hooks and join the log; resolves with what ends the turn instead. */
async function admitInput(turn: LiveTurn): Promise<Outcome | undefined> {
  const { hooks, options } = turn
  const input = options.input ?? []
  const judged: Judged<typeof input> = (await hooks?.input(input)) ?? { kind: 'go', value: input }
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
  const judged = await seenAtStop(turn, pending, hooks.judge(reply, pending.listener))
  if (judged.kind === 'end') return recordEnd(turn, pending.answered, judged)
  await record(turn, { ...pending.answered, message: judged.value })
  return undefined
}

/** End the turn with a reply, once hooks have passed it where it is the answer; they may send the model back instead. */
async function closeReply(turn: LiveTurn, asked: Asked, outcome: Outcome): Promise<Outcome | 'again'> {
  const { pending, reply } = asked
  const { hooks, answer } = turn
  if (pending === undefined || hooks === undefined) return outcome
  if (!hasAnswer(outcome)) return (await passReply(turn, asked)) ?? outcome
  const facts = { outcome, listener: pending.listener, ...(answer !== undefined && { output: answer.value }) }
  const judged = await seenAtStop(turn, pending, hooks.final(reply, facts))
  if (judged.kind === 'end' && judged.outcome !== outcome) return recordEnd(turn, pending.answered, judged)
  const value = (judged.kind === 'end' ? judged.shown : judged.value) ?? reply
  await record(turn, { ...pending.answered, message: value })
  if (judged.kind === 'retry') return sendBack(turn, judged.text, hooks) ?? 'again'
  // What a hook has put in its place must fit as well.
  const output = value === reply ? undefined : await turn.parts.output?.judge(turn, value)
  return output?.state === 'misfits' ? { kind: 'failed', error: output.error } : outcome
}

/** End the turn with a reply that no model wrote. */
async function closeWith(turn: LiveTurn, reply: AssistantMessage): Promise<Outcome> {
  const { hooks, parts } = turn
  const outcome: Outcome = { kind: 'completed' }
  const judged = hooks?.judgesReplies ? await hooks.final(reply, { outcome }) : undefined
  if (judged?.kind === 'end' && judged.outcome !== outcome) return recordEnd(turn, { message: reply }, judged)
  const value = (judged?.kind === 'end' ? judged.shown : judged?.value) ?? reply
  await record(turn, { message: value })
  const output = await parts.output?.judge(turn, value)
  return output?.state === 'misfits' ? { kind: 'failed', error: output.error } : outcome
}

/** End the turn with an answer that is in the log already: a call's arguments. What does not pass is hidden again. */
async function closeRecorded(turn: LiveTurn): Promise<Outcome> {
  const { hooks, answer, fold } = turn
  const reply = fold.lastReply
  const outcome: Outcome = { kind: 'completed' }
  if (hooks?.judgesReplies !== true || reply === undefined) return outcome
  const judged = await hooks.final(reply, { outcome, ...(answer !== undefined && { output: answer.value }) })
  if (judged.kind !== 'end' || judged.outcome.kind !== 'blocked')
    return judged.kind === 'end' ? judged.outcome : outcome
  const at = fold.logged.findIndex(({ message }) => message === reply)
  const from = fold.logged[at]?.sequence ?? 0
  const to = fold.logged.at(-1)?.sequence ?? from
  const shows = judged.shown === undefined ? [] : [judged.shown]
  turn.emit({ type: 'content-retracted', messageId: reply.id })
  turn.append({
    type: 'overlay',
    id: crypto.randomUUID(),
    by: 'retraction',
    hides: [[from, to]],
    shows,
    critical: true,
  })
  return judged.outcome
}

/** Wait for hooks; where the turn is stopped meanwhile, what people have seen of the reply stays. */
async function seenAtStop<Value>(turn: LiveTurn, pending: PendingReply, judging: Promise<Value>): Promise<Value> {
  try {
    return await judging
  } catch (error) {
    await recordSeen(turn, pending)
    throw error
  }
}

/** Let hooks say what becomes of a reply, as far as that can be said before it is known whether it ends the turn. */
async function hear(turn: LiveTurn, pending: PendingReply): Promise<Asked | Outcome> {
  const { hooks } = turn
  const { answered, listener } = pending
  const { message, error } = answered
  await listener.settled()
  listener.close()
  const asked = { reply: message, ...(error && { error }) }
  if (turn.signal.aborted || hooks === undefined) {
    await recordSeen(turn, pending)
    return asked
  }
  const isTripped = listener.trip !== undefined
  const said = isTripped ? ({ kind: 'go', value: message } as const) : await hooks.replied(message)
  const isLast = message.partial !== true && message.stopReason !== 'toolUse' && clientCalls(message).length === 0
  if (said.kind === 'go' && isLast && hooks.judgesReplies && !isTripped) return { ...asked, pending }
  const judged = said.kind === 'end' ? said : await hooks.judge(message, listener)
  if (judged.kind === 'end') return recordEnd(turn, answered, judged)
  const reply = judged.value
  await record(turn, { ...answered, message: reply })
  if (said.kind !== 'retry') return { ...asked, reply }
  return sendBack(turn, said.text, hooks) ?? { ...asked, reply, isAgain: true }
}

/** Write down as much of a reply as was shown, when the turn was stopped before hooks had passed it. */
async function recordSeen(turn: LiveTurn, { answered, listener }: PendingReply): Promise<void> {
  const seen = listener.seen(answered.message)
  const isCut = seen.content.length < answered.message.content.length
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
  if (turn.fold.batch !== undefined) closeUnrun(turn, ENDED_TEXT)
  return outcome
}

/** Let the model read what a hook wants it to; an outcome where it was sent back too often. */
function sendBack(turn: LiveTurn, text: string, { maxRetries }: TurnHooks): Outcome | undefined {
  if (turn.fold.batch !== undefined) closeUnrun(turn, SENT_BACK_TEXT)
  if (turn.fold.hookRetries >= maxRetries) return { kind: 'no-progress', reason: 'hook-retry' }
  turn.append({ type: 'message', message: feedbackMessage(turn, text) })
  return undefined
}

/** Answer the open calls: none of them runs. */
function closeUnrun(turn: LiveTurn, text: string): void {
  const calls = turn.fold.batch?.calls ?? []
  const result = textResult(text, true)
  const answers = calls.map(({ callId, toolName }): EntryDraft & ToolSettled => ({
    type: 'tool-settled',
    callId,
    toolName,
    status: 'not-run',
    result,
  }))
  turn.append(...answers, toolMessage(turn, calls), { type: 'checkpoint', position: 'batch' })
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
  const stamp = { id: crypto.randomUUID(), createdAt: parts.clock.now() }
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
