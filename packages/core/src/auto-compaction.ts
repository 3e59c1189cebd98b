import { checkOptions, hasMethods, isCount, isFunction, isName, type OptionRules } from './check-options.ts'
import type { Clock } from './clock.ts'
import {
  type CompactionOptions,
  type CompactionParts,
  type CompactionTask,
  compact,
  previewCompaction,
} from './compaction.ts'
import type { Model, ModelRequest } from './model.ts'
import type { ModelReply } from './model-step.ts'
import type { CompactOptions, Compactor } from './runner-parts.ts'
import { estimateMessageTokens } from './token-estimate.ts'
import { historyMessages, type TranscriptSource } from './transcript.ts'
import { WindowKeeper } from './turn-compaction.ts'

/** How an agent keeps conversations within its model's window. Made by `autoCompaction`. */
export interface CompactionStrategy {
  create(agent: CompactingAgent): Compactor
}

/** What a strategy is told of the agent it works for. */
export interface CompactingAgent {
  readonly model: Model
  readonly clock: Clock
  /** The agent's own limit on an answer. */
  readonly maxOutputTokens?: number
  /** Ask a model as the agent does, with its retries. Never rejects. */
  ask(request: ModelRequest, options: { model: Model; signal: AbortSignal }): Promise<ModelReply>
}

/** The part of a conversation that a compaction by hand leaves as it is, at most. */
const KEPT_SHARE = 0.5

/**
 * Keep a conversation within the model's window: `compaction` of an agent.
 *
 * Before a model call that would outgrow the window, older messages give way to a summary that the model writes; what the
 * user asked in this turn and the newest exchanges stay word for word. The log keeps everything, so that it can be taken
 * back. Throws `bad-option` naming the option. Source: the compaction guide.
 */
export function autoCompaction(options: CompactionOptions = {}): CompactionStrategy {
  checkOptions(options, RULES, { where: 'autoCompaction' })
  return { create: (agent) => compactorOf(partsOf(options, agent), agent.clock) }
}

const RULES: OptionRules<CompactionOptions> = {
  threshold: (value) =>
    typeof value === 'number' && value > 0 && value <= 1
      ? undefined
      : 'must be a part of the window: above 0, at most 1',
  window: isCount(1),
  reserve: isCount(0),
  prompt: isName,
  model: (value) => (hasMethods(value, 'stream') ? undefined : 'must be a Model'),
  when: isFunction,
  run: isFunction,
}

function partsOf(options: CompactionOptions, agent: CompactingAgent): CompactionParts {
  const { threshold = 0.85, window, reserve, prompt, model = agent.model, when, run } = options
  return {
    threshold,
    windowTokens: window ?? agent.model.contextWindow,
    reserveTokens: reserve ?? agent.maxOutputTokens ?? 0,
    ...(prompt !== undefined && { prompt }),
    ...(when !== undefined && { when }),
    ...(run !== undefined && { run }),
    summarise: (request, { signal }) => agent.ask(request, { model, signal }),
  }
}

function compactorOf(parts: CompactionParts, clock: Clock): Compactor {
  return {
    forTurn: (turn) => new WindowKeeper(turn, parts),
    preview: (source) => previewCompaction(taskByHand(source, parts, { clock, signal: new AbortController().signal })),
    compact: (source, options) => compact(taskByHand(source, parts, { clock, ...options })),
  }
}

function taskByHand(
  source: TranscriptSource,
  parts: CompactionParts,
  { clock, signal, focus, onStart }: CompactOptions & { clock: Clock },
): CompactionTask {
  const usedTokens = historyMessages(source).reduce((sum, message) => sum + estimateMessageTokens(message), 0)
  const room = (parts.windowTokens ?? Number.POSITIVE_INFINITY) - parts.reserveTokens
  return {
    source,
    parts,
    turnStart: Number.POSITIVE_INFINITY,
    budgetTokens: Math.max(0, Math.min(room, usedTokens * KEPT_SHARE)),
    usedTokens,
    signal,
    clock,
    ...(focus !== undefined && { focus }),
    ...(onStart !== undefined && { onStart: (hidden: number) => onStart(hidden, usedTokens) }),
  }
}
