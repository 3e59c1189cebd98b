import { onAbort, TurnTimeLimit } from './abort.ts'
import { LONGEST_DELAY_MS } from './clock.ts'
import { type Again, decide, type OutputFacts } from './decide.ts'
import type { EntryDraft } from './entries.ts'
import { toErrorRecord } from './errors.ts'
import type { LiveTurn } from './live-turn.ts'
import type { AssistantMessage, SyntheticKind, UserMessage } from './messages.ts'
import type { Outcome } from './outcome.ts'
import { randomId } from './random-id.ts'
import { ENDED_TEXT, TOOLS_OFF_TEXT } from './result-text.ts'
import { diffState } from './state-draft.ts'
import { settleBatch } from './turn-batch.ts'
import { finish, noteStop, pause, stopped } from './turn-end.ts'
import type { Asked } from './turn-hooks.ts'
import { askModel, nextRequest, passThrough, record } from './turn-reply.ts'
import { fromRecord } from './turn-result.ts'

/**
 * The heartbeat: one turn, from wherever its fold stands to its end.
 *
 * Pauses (yields) after each step's facts, so that whoever pulls decides when tools start and when the model is asked
 * again. Ends with `turn-ended` in every case; never throws. Source: the turn guide, "One step".
 */
export async function* driveTurn(turn: LiveTurn): AsyncGenerator<undefined, void, undefined> {
  const { turnMs = Number.POSITIVE_INFINITY, clock } = turn.parts
  // A pause is over when a run goes on.
  turn.fold.outcome = undefined
  for (const entry of turn.options.news ?? []) turn.options.deliver(entry)
  const stopTimer =
    turnMs > LONGEST_DELAY_MS ? () => {} : clock.setTimer(() => turn.options.abort(new TurnTimeLimit(turnMs)), turnMs)
  const stopListening = onAbort(turn.signal, () => noteStop(turn))
  let outcome: Outcome
  do
    try {
      outcome = yield* steps(turn)
    } catch (error) {
      outcome = turn.signal.aborted ? stopped(turn) : { kind: 'failed', error: toErrorRecord(error, 'internal') }
    }
  while (isOvertaken(turn, outcome))
  stopTimer()
  stopListening()
  if (outcome.kind === 'awaiting') await pause(turn, outcome)
  // Stopped before it began, it is written as one with its end: what a reload finds is no turn to go on with.
  else await finish(turn, outcome, turn.fold.hasStarted ? [] : [startOf(turn)])
}

/** Whether there is something to do again for a turn that is about to pause: it was stopped, or decided about, meanwhile. */
function isOvertaken({ signal, fold }: LiveTurn, outcome: Outcome): boolean {
  return outcome.kind === 'awaiting' && (signal.aborted || outcome.pending.some(({ id }) => fold.decidedIds.has(id)))
}

async function* steps(turn: LiveTurn): AsyncGenerator<undefined, Outcome, undefined> {
  if (!turn.fold.hasStarted) {
    if (turn.signal.aborted) return stopped(turn)
    begin(turn)
    yield
  }
  // A hook had ended it before it was cut.
  const { lastEnds } = turn.fold
  if (lastEnds !== undefined) {
    await settleBatch(turn, ENDED_TEXT)
    return turn.signal.aborted ? stopped(turn) : lastEnds
  }
  if (isInputDue(turn)) {
    const end = await admit(turn, turn.options.input)
    if (end !== undefined) return end
    yield
  }
  let asked = (await whereCut(turn)) ?? (yield* nextReply(turn))
  for (;;) {
    if ('kind' in asked) return asked
    const next = await decideNext(turn, asked)
    if (typeof next === 'object') return next
    asked = yield* nextReply(turn)
  }
}

/** What stands last, and is still to be looked at, in a turn that was cut: a whole reply, or a batch that may be its end. */
async function whereCut(turn: LiveTurn): Promise<Asked | Outcome | undefined> {
  const { batch, messages, undecidedReply: reply } = turn.fold
  if (turn.signal.aborted && reply !== undefined) return stopped(turn)
  if (reply !== undefined) return reply.synthetic === undefined ? { reply } : endWithResults(turn, reply)
  const asking = messages.at(-2)
  const isAnswered = batch === undefined && messages.at(-1)?.role === 'tool' && asking?.role === 'assistant'
  return isAnswered ? endOfBatch(turn) : undefined
}

/** Settle what is open and ask the model; returns its reply, or what ends the turn before there is one. */
async function* nextReply(turn: LiveTurn): AsyncGenerator<undefined, Asked | Outcome, undefined> {
  const { fold, signal } = turn
  if (fold.batch !== undefined) {
    const end = await settleStep(turn)
    yield
    if (end !== undefined) return end
  }
  const end = endBetween(turn) ?? (await turn.parts.steering?.join(turn, (said) => admit(turn, said)))
  if (end !== undefined) return end
  const answered = await askStep(turn)
  if ('kind' in answered) return answered
  if (!signal.aborted) yield
  else if (fold.batch === undefined) return (await turn.hooks?.steps.passReply(turn, answered)) ?? stopped(turn)
  return answered
}

/** Ask the model, within its window; resolves with the reply, or with what ends the turn instead. */
async function askStep(turn: LiveTurn): Promise<Asked | Outcome> {
  for (;;) {
    let request = await nextRequest(turn, isOverCap(turn))
    const compacted = await turn.compactor?.before(request)
    if (typeof compacted === 'object') return compacted
    if (compacted) request = await nextRequest(turn, isOverCap(turn))
    const heard = await turn.hooks?.request(request, () => nextRequest(turn, isOverCap(turn)))
    if (heard?.kind === 'end') return heard.outcome
    const asked = await askModel(turn, heard === undefined ? request : heard.value)
    if ('kind' in asked) return asked
    if (!(await turn.compactor?.after(asked, request))) return asked
  }
}

/** Settle the open batch; resolves with what that ends the turn with. */
async function settleStep(turn: LiveTurn): Promise<Outcome | undefined> {
  const isOff = turn.parts.output?.isFinalising(turn) || isOverCap(turn)
  const pending = await settleBatch(turn, isOff ? TOOLS_OFF_TEXT : undefined)
  return pending.length > 0 ? { kind: 'awaiting', pending } : endOfBatch(turn)
}

/** What the batch that was answered last ends the turn with, if it does. */
async function endOfBatch(turn: LiveTurn): Promise<Outcome | undefined> {
  const { fold, parts, signal } = turn
  if (signal.aborted) return stopped(turn)
  if (fold.lastEnds !== undefined) return fold.lastEnds
  const answer = await parts.output?.readBatch(turn)
  const stoppedBy = await stoppingTool(turn)
  if (stoppedBy !== undefined) return { kind: 'completed', stoppedBy }
  if (answer?.state === 'fits') return turn.hooks?.steps.closeRecorded(turn) ?? { kind: 'completed' }
  const { isStuck } = fold.repeats
  // Whoever repeats a wrong answer is told what is wrong with it, rather than that it was repeated.
  if (answer?.state === 'misfits' && (isStuck || !answer.canRepair)) return { kind: 'failed', error: answer.error }
  if (isStuck) return { kind: 'no-progress', reason: 'repeated-call' }
  if (parts.toolResultMode !== 'passthrough' || isOverCap(turn)) return undefined
  if (signal.aborted) return stopped(turn)
  const reply = passThrough(turn)
  if (reply === undefined) return { kind: 'completed' }
  if (turn.hooks !== undefined) return turn.hooks.steps.closeWith(turn, reply)
  await record(turn, { message: reply })
  return endWithResults(turn, reply)
}

/** The end of a turn whose results are its answer; where one is owed, they have to fit. */
async function endWithResults(turn: LiveTurn, reply: AssistantMessage | undefined): Promise<Outcome> {
  const output = reply && (await turn.parts.output?.judge(turn, reply))
  return output?.state === 'misfits' ? { kind: 'failed', error: output.error } : { kind: 'completed' }
}

/** The tool whose result ends the turn, if the batch that was just settled had one that ran well. */
async function stoppingTool(turn: LiveTurn): Promise<string | undefined> {
  const last = turn.fold.messages.at(-1)
  if (last?.role !== 'tool') return undefined
  const tools = await turn.abortable(turn.listTools())
  const ends = new Set(tools.flatMap((tool) => (tool.stopAfter ? [tool.name] : [])))
  if (ends.size === 0) return undefined
  const inputs = turn.fold.lastInputs
  return last.results
    .filter(({ status }) => status === 'ok')
    .map(({ callId, toolName }) => inputs.get(callId)?.toolName ?? toolName)
    .find((name) => ends.has(name))
}

/** Whether the cap on iterations is behind, so that the only call left is the one for a last answer. */
function isOverCap(turn: LiveTurn): boolean {
  return turn.fold.iteration > turn.parts.maxIterations
}

/** What ends a turn between two steps, whatever the last reply was. */
function endBetween(turn: LiveTurn): Outcome | undefined {
  const { maxIterations, onMaxIterations } = turn.parts
  if (turn.signal.aborted) return stopped(turn)
  const isAnswerDue = onMaxIterations === 'answer' && turn.fold.iteration === maxIterations + 1
  if (isOverCap(turn) && !isAnswerDue) return { kind: 'max-iterations', maxIterations }
  return isOverBudget(turn) ? { kind: 'no-progress', reason: 'budget' } : undefined
}

function isOverBudget({ fold, parts: { budget } }: LiveTurn): boolean {
  if (budget === undefined) return false
  const { usage, messages } = fold
  const { totalTokens, outputTokens, cost, priceOf } = budget
  if (totalTokens !== undefined && totalOf(usage) >= totalTokens) return true
  if (outputTokens !== undefined && (usage.outputTokens ?? 0) >= outputTokens) return true
  if (cost === undefined || priceOf === undefined) return false
  let spent = 0
  for (const message of messages)
    if (message.role === 'assistant' && message.usage && message.synthetic === undefined)
      spent += priceOf(message.usage, message.modelId)
  // A price that is no number is no leave to spend.
  return !(spent < cost)
}

function totalOf({ totalTokens, inputTokens = 0, outputTokens = 0 }: LiveTurn['fold']['usage']): number {
  // Some models report no total, and one turn may ask several.
  return Math.max(totalTokens ?? 0, inputTokens + outputTokens)
}

/** Decide about a reply, and prepare what it takes to ask again; resolves with the outcome where it was the last. */
async function decideNext(turn: LiveTurn, asked: Asked): Promise<Outcome | 'tools' | 'again'> {
  const { reply, error } = asked
  if (asked.isAgain) return 'again'
  // Over the cap, whatever came is the last word.
  if (isOverCap(turn) && turn.fold.batch === undefined) {
    if (error !== undefined) turn.warn('The last answer failed', fromRecord(error))
    // Where it is what is owed, it counts.
    else await turn.parts.output?.judge(turn, reply)
    return close(turn, asked, { kind: 'max-iterations', maxIterations: turn.parts.maxIterations })
  }
  const output = await turn.parts.output?.judge(turn, reply)
  const counts = asked.pending === undefined ? turn.fold.counts : turn.fold.countsWith(reply)
  const isSteered = turn.parts.steering?.claim(reply)
  const decision = decide(reply, counts, { ...(error && { error }), ...(output && { output }), isSteered })
  if (decision.kind === 'end') return close(turn, asked, decision.outcome)
  const end = await turn.hooks?.steps.passReply(turn, asked)
  if (end !== undefined) return end
  if (decision.kind === 'again') prepareAgain(turn, decision.why, output)
  return decision.kind
}

/** Where hooks have yet to pass the reply, the turn ends by what they say of it. */
async function close(turn: LiveTurn, asked: Asked, outcome: Outcome): Promise<Outcome | 'again'> {
  return turn.hooks === undefined ? outcome : turn.hooks.steps.closeReply(turn, asked, outcome)
}

/** Whether the input is still to join the log: it waits for its hooks, or was cut there. */
function isInputDue({ fold, options }: LiveTurn): boolean {
  return fold.messages.length === 0 && (options.input?.length ?? 0) > 0
}

/** Let the input join the log, where it may. */
async function admit(turn: LiveTurn, input: readonly UserMessage[] = []): Promise<Outcome | undefined> {
  if (turn.signal.aborted) return stopped(turn)
  if (turn.hooks !== undefined) return turn.hooks.steps.admitInput(turn, input)
  turn.append(...toDrafts(input))
  return undefined
}

function toDrafts(input: readonly UserMessage[] = []): EntryDraft[] {
  return input.map((message) => ({ type: 'message', message }))
}

function begin(turn: LiveTurn): void {
  turn.append(startOf(turn), ...bringState(turn), ...(turn.hooks?.guardsInput ? [] : toDrafts(turn.options.input)))
}

/** What the turn brings to the session's state. */
function bringState({ parts, state }: LiveTurn): EntryDraft[] {
  const patch = parts.startState === undefined ? undefined : diffState(state, parts.startState)
  return patch === undefined ? [] : [{ type: 'state-changed', patch }]
}

function startOf({ parts, options }: LiveTurn): EntryDraft {
  return {
    type: 'turn-started',
    agentName: parts.agentName,
    modelId: parts.modelId,
    history: options.history,
    ...(options.retryOf !== undefined && { retryOf: options.retryOf }),
  }
}

/** What the model has to be told before it is asked again. Nothing joins the transcript of a turn that was stopped. */
function prepareAgain(turn: LiveTurn, why: Again, output: OutputFacts | undefined): void {
  const told = nudge(turn, why, output)
  if (told === undefined || turn.signal.aborted) return
  const { text, kind } = told
  const stamp = { id: randomId(), createdAt: turn.parts.clock.now() }
  const message = { ...stamp, role: 'user', content: [{ type: 'text', text }], synthetic: kind } as const
  turn.append({ type: 'message', message })
}

function nudge(
  turn: LiveTurn,
  why: Again,
  output: OutputFacts | undefined,
): { text: string; kind: SyntheticKind } | undefined {
  const text = NUDGES[why]
  if (text !== undefined) return { text, kind: 'nudge' }
  // Two of those that are left need no word: the cut calls are answered, and what was paused goes on.
  return (why === 'finaliser' || why === 'output-repair') && output ? turn.parts.output?.nudge(output) : undefined
}

/** The same request once more gets the same answer once more, and one that ends with a reply gets none. */
const NUDGES: { readonly [Why in Again]?: string } = {
  'missing-call': 'You announced a tool call and made none. Make it now, or answer without it.',
  'empty-reply': 'Your last reply was empty. Answer now.',
}
