import { type CompactionTask, compact } from './compaction.ts'
import { toErrorRecord } from './errors.ts'
import type { LiveTurn } from './live-turn.ts'
import type { ModelRequest } from './model.ts'
import type { Outcome } from './outcome.ts'
import { estimateTextTokens, estimateToolTokens } from './token-estimate.ts'
import type { Asked } from './turn-reply.ts'

/** What is kept of a request that the provider called too long, as a part of what it was. */
const TOO_LONG_SHARE = 0.6

/** How full the window is, in tokens. */
export interface WindowFill {
  /** Of the whole request: what the provider last reported, or the estimate if that is more, and what was added since. */
  readonly usedTokens: number
  /** Of instructions and tools. */
  readonly overheadTokens: number
  /** Real usage over estimated, of the last call; at least 1. */
  readonly correction: number
}

/**
 * Compact before a model call if its request would outgrow the window. Resolves with whether that changed the
 * transcript, or with `context-full` where it cannot be helped. A failure is an event and a warning, and the turn goes on.
 * Source: the compaction guide.
 */
export async function compactIfDue(turn: LiveTurn, request: ModelRequest): Promise<Outcome | boolean> {
  const { compaction } = turn.parts
  if (compaction === undefined) return false
  const { windowTokens, threshold, reserveTokens, when } = compaction
  if (windowTokens === undefined && when === undefined) return false
  const fill = measure(turn, request)
  const isWanted = async (): Promise<boolean> => {
    const { messages } = request
    const { usedTokens } = fill
    if (when) return when({ messages, usedTokens, windowTokens, signal: turn.signal })
    return windowTokens !== undefined && usedTokens + reserveTokens >= threshold * windowTokens
  }
  if (!(await turn.abortable(isWanted()).catch((error: unknown) => failed(turn, error)))) return false
  const roomTokens = (windowTokens ?? fill.usedTokens * TOO_LONG_SHARE) - reserveTokens
  if (!turn.isCompactionStuck && (await attempt(turn, fill, roomTokens))) return true
  if (windowTokens === undefined || fill.usedTokens <= windowTokens) return false
  return { kind: 'context-full', usedTokens: fill.usedTokens, windowTokens }
}

/** After the provider said that a request was too long: compact, once until a reply comes; resolves with whether it did. */
export async function compactTooLong(turn: LiveTurn, asked: Asked, request: ModelRequest): Promise<boolean> {
  const { compaction } = turn.parts
  const isTooLong = asked.error?.code === 'context-too-long' && asked.reply.content.length === 0
  if (!isTooLong) {
    turn.isTooLongTried = false
    return false
  }
  if (compaction === undefined || turn.isTooLongTried || turn.signal.aborted) return false
  turn.isTooLongTried = true
  const fill = measure(turn, request)
  return attempt(
    turn,
    fill,
    Math.min(compaction.windowTokens ?? Number.POSITIVE_INFINITY, fill.usedTokens) * TOO_LONG_SHARE,
  )
}

/** How full the window would be with a request. Costs what was added since it was asked last. */
export function measure(turn: LiveTurn, request: ModelRequest): WindowFill {
  const { fold } = turn
  const overheadTokens =
    estimateTextTokens(request.instructions ?? '') +
    request.tools.reduce((sum, tool) => sum + estimateToolTokens(tool), 0)
  const estimated = turn.estimateTokens()
  const known = turn.knownTokens
  const { inputTokens, outputTokens = 0 } = fold.lastUsage ?? {}
  if (known === undefined || inputTokens === undefined) {
    return { usedTokens: overheadTokens + estimated, overheadTokens, correction: 1 }
  }
  const reported = inputTokens + outputTokens
  // As with what is used, the larger counts: a provider that reports nonsense must not make everything look small.
  const correction = Math.min(4, Math.max(1, reported / Math.max(1, known + overheadTokens)))
  const usedTokens = Math.max(reported, known + overheadTokens) + Math.max(0, estimated - known)
  return { usedTokens, overheadTokens, correction }
}

async function attempt(turn: LiveTurn, fill: WindowFill, roomTokens: number): Promise<boolean> {
  const { compaction: parts, clock } = turn.parts
  if (parts === undefined) return false
  const { usedTokens, correction, overheadTokens } = fill
  const task: CompactionTask = {
    source: turn.source,
    parts,
    turnStart: turn.fold.start,
    budgetTokens: Math.max(0, roomTokens - overheadTokens * correction),
    usedTokens,
    correction,
    signal: turn.signal,
    clock,
    onStart: (hidden) => turn.emit({ type: 'compaction-started', hidden, usedTokens }),
  }
  try {
    const done = await turn.abortable(compact(task))
    turn.isCompactionStuck = done === undefined
    if (done === undefined || turn.signal.aborted) return false
    turn.append(done.draft)
    turn.emit({ type: 'compaction-finished', ...done.report })
    return true
  } catch (error) {
    return failed(turn, error)
  }
}

/** Told, and no reason to stop; only the turn's own signal is. */
function failed(turn: LiveTurn, error: unknown): false {
  if (turn.signal.aborted) throw error
  turn.isCompactionStuck = true
  turn.emit({ type: 'compaction-failed', error: toErrorRecord(error, 'internal') })
  turn.warn('The conversation could not be compacted', error)
  return false
}
