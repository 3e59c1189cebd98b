import type { Clock } from './clock.ts'
import { type CompactionPlan, mergeRanges, planCompaction } from './compaction-plan.ts'
import { ModelError, TurnloopError } from './errors.ts'
import type { CompactionReport } from './events.ts'
import type { Message } from './messages.ts'
import type { Model, ModelRequest } from './model.ts'
import type { ModelReply } from './model-step.ts'
import { toPlainJson } from './plain-json.ts'
import { randomId } from './random-id.ts'
import { reconcileHistory } from './reconcile.ts'
import type { Compaction } from './runner-parts.ts'
import { readSummary, summaryMessage, summaryRequest } from './summary-request.ts'
import { estimateMessageTokens } from './token-estimate.ts'
import { historyItems, type TranscriptItem, type TranscriptSource } from './transcript.ts'
import { isMessage } from './turn-input.ts'
import { addUsage, type Usage } from './usage.ts'

/** How an agent keeps a conversation within its model's window. Source: the compaction guide. */
export interface CompactionOptions {
  /** The part of the window from which on it is compacted; default 0.85. */
  readonly threshold?: number
  /** In tokens. Default: the model's own; where that is unknown too, only a provider's refusal leads to a compaction. */
  readonly window?: number
  /** Tokens kept free for the answer. Default: `settings.maxOutputTokens`, else none. */
  readonly reserve?: number
  /** Instructions for the summary, in place of the built-in ones. */
  readonly prompt?: string
  /** Who writes the summary. Default: the agent's model. */
  readonly model?: Model
  /** Decides in place of the threshold, before each model call. */
  when?(context: CompactionContext): boolean | Promise<boolean>
  /**
   * Replaces the built-in strategy: the messages that the model is to see from now on. What it throws is a
   * `compaction-failed` event; the turn goes on.
   */
  run?(context: CompactionContext): readonly Message[] | Promise<readonly Message[]>
}

/** What a strategy of the caller's own is told. */
export interface CompactionContext {
  readonly messages: readonly Message[]
  readonly usedTokens: number
  readonly windowTokens: number | undefined
  readonly focus?: string
  readonly signal: AbortSignal
}

/** The same, with everything decided. */
export interface CompactionParts extends Pick<CompactionOptions, 'prompt' | 'when' | 'run'> {
  readonly threshold: number
  readonly windowTokens: number | undefined
  readonly reserveTokens: number
  /** Ask for the summary. Never rejects. */
  summarise(request: ModelRequest, options: { signal: AbortSignal }): Promise<ModelReply>
}

/** What is compacted, and how far down. */
export interface CompactionTask {
  readonly source: TranscriptSource
  readonly parts: CompactionParts
  /** First sequence of the running turn; `Infinity` between turns. */
  readonly turnStart: number
  /** What messages may take. */
  readonly budgetTokens: number
  readonly usedTokens: number
  /** Real usage over estimated, of the last call. */
  readonly correction?: number
  readonly focus?: string
  readonly signal: AbortSignal
  readonly clock: Clock
  onStart?(hidden: number): void
}

/** Less than this part saved is not worth a summary, and no reason to try again soon. */
const LEAST_GAIN = 0.1

/**
 * Make the overlay that shortens a transcript; `undefined` where there is nothing worth hiding.
 *
 * Writes nothing. Throws when the summary fails, is refused, or saves too little, and what `run` throws.
 */
export async function compact(task: CompactionTask): Promise<Compaction | undefined> {
  const items = historyItems(task.source)
  return task.parts.run === undefined ? summarise(items, task) : replaceBy(task.parts.run, items, task)
}

/** What `compact` would hide, without asking anybody. */
export function previewCompaction(
  task: Pick<CompactionTask, 'source' | 'turnStart' | 'budgetTokens' | 'correction'>,
): CompactionReport {
  const items = historyItems(task.source)
  const plan = planCompaction(items, task)
  const before = tokensOf(items.map(({ message }) => message))
  if (plan === undefined) return { hidden: 0, kept: items.length, tokensBefore: before, tokensAfter: before }
  const { tokensBefore, tokensHidden } = plan
  return { ...countsOf(plan), tokensBefore, tokensAfter: tokensBefore - Math.floor(tokensHidden * (1 - LEAST_GAIN)) }
}

async function summarise(items: readonly TranscriptItem[], task: CompactionTask): Promise<Compaction | undefined> {
  const { parts, focus, signal } = task
  const plan = planCompaction(items, task)
  if (plan === undefined) return undefined
  task.onStart?.(plan.hidden.length)
  const request = summaryRequest(plan.hidden, {
    ...(parts.prompt !== undefined && { prompt: parts.prompt }),
    ...(focus !== undefined && { focus }),
  })
  const { message, error, discardedUsage } = await parts.summarise(request, { signal })
  signal.throwIfAborted()
  if (error !== undefined) throw new ModelError(error.code, `The summary failed: ${error.message}`)
  const summary = readSummary(message, tokensOf(plan.hidden))
  if (!summary.ok) throw new ModelError('model-bad-response', `The summary was refused: ${summary.problem}`)
  const shown = summaryMessage(summary.text, { id: randomId(), createdAt: task.clock.now() })
  const usage = discardedUsage === undefined ? message.usage : addUsage(discardedUsage, message.usage)
  return toOverlay(plan, [shown], { usage, correction: task.correction })
}

function toOverlay(
  plan: CompactionPlan,
  shows: readonly Message[],
  { usage, correction = 1 }: { usage?: Usage | undefined; correction?: number | undefined } = {},
): Compaction {
  const { tokensBefore, tokensHidden, hides } = plan
  const tokensAfter = tokensBefore - tokensHidden + Math.ceil(tokensOf(shows) * correction)
  if (tokensBefore - tokensAfter < tokensBefore * LEAST_GAIN) {
    throw new TurnloopError(
      'output-invalid',
      `It would have saved only ${tokensBefore - tokensAfter} tokens of ${tokensBefore}.`,
    )
  }
  const id = randomId()
  return {
    draft: { type: 'overlay', id, by: 'compaction', hides, shows, critical: true, ...(usage && { usage }) },
    report: { ...countsOf(plan), tokensBefore, tokensAfter, overlayId: id },
  }
}

/** A strategy of the caller's own: what stands at the end of both, the same objects, stays where it is. */
async function replaceBy(
  run: NonNullable<CompactionParts['run']>,
  items: readonly TranscriptItem[],
  task: CompactionTask,
): Promise<Compaction | undefined> {
  const { parts, usedTokens, focus, signal } = task
  const messages = items.map(({ message }) => message)
  task.onStart?.(messages.length)
  const context = {
    messages: [...messages],
    usedTokens,
    windowTokens: parts.windowTokens,
    ...(focus !== undefined && { focus }),
    signal,
  }
  const given: unknown = await run(context)
  signal.throwIfAborted()
  const shows = readShown(given, messages)
  const hidden = [...items]
  while (hidden.length > 0 && hidden.at(-1)?.message === shows.at(-1) && !hidden.at(-1)?.isOverlay) {
    hidden.pop()
    shows.pop()
  }
  if (hidden.length === 0) return undefined
  const [tokensBefore, tokensHidden] = [tokensOf(messages), tokensOf(hidden.map(({ message }) => message))]
  const plan: CompactionPlan = {
    hides: mergeRanges(hidden.flatMap(({ covers }) => covers)),
    hidden: hidden.map(({ message }) => message),
    kept: items.slice(hidden.length).map(({ message }) => message),
    tokensBefore,
    tokensHidden,
  }
  // It goes into the log for good: what is not from there is copied. Plain data comes out as it went in.
  const copy = (message: Message): Message => toPlainJson(message, 'run') as unknown as Message
  return toOverlay(
    plan,
    shows.map((message) => (Object.isFrozen(message) && messages.includes(message) ? message : copy(message))),
  )
}

/** What a strategy gave, sound, as a request can hold it: it begins with a question, and ends with something to answer. */
function readShown(given: unknown, messages: readonly Message[]): Message[] {
  if (!Array.isArray(given) || !given.every(isMessage)) throw badRun('something else than messages')
  const sound = reconcileHistory(given).messages
  const shows = sound.slice(sound.findIndex(({ role }) => role === 'user'))
  if (shows[0]?.role !== 'user') throw badRun('no message of the user')
  const isAnswered = shows.at(-1)?.role === 'assistant' && messages.at(-1)?.role !== 'assistant'
  if (isAnswered) throw badRun('nothing to answer at the end')
  return shows
}

function badRun(what: string): TurnloopError {
  return new TurnloopError('bad-input', `run of autoCompaction gave ${what}. Return the messages the model is to see.`)
}

function countsOf({ hidden, kept }: CompactionPlan): Pick<CompactionReport, 'hidden' | 'kept'> {
  return { hidden: hidden.length, kept: kept.length }
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0)
}
