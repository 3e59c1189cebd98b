import { type CompactionParts, compact } from './compaction.ts'
import { type ErrorRecord, toErrorRecord } from './errors.ts'
import type { AssistantMessage, Message } from './messages.ts'
import type { ModelRequest } from './model.ts'
import type { Outcome } from './outcome.ts'
import type { TurnCompactor } from './runner-parts.ts'
import type { RunningTurn } from './running-turn.ts'
import { estimateMessageTokens, estimateRequestTokens } from './token-estimate.ts'
import type { Usage } from './usage.ts'

/** What is kept of a request that the provider called too long, as a part of what it was. */
const TOO_LONG_SHARE = 0.6

/** Reported by estimated tokens, at most: what is further apart counts other things. */
const MOST_CORRECTION = 4

/** How full the window is, in tokens. */
interface WindowFill {
  /** Of the whole request: what the provider last reported, or the estimate if that is more, and what was added since. */
  readonly usedTokens: number
  /** The same without what was reported before this run: that may lead to a summary, and never to an end. */
  readonly sureTokens: number
  /** Of instructions, tools and the schema of the answer. */
  readonly overheadTokens: number
  /** Real usage over estimated, of the last call; at least 1. */
  readonly correction: number
}

/** Compacts a running turn where its next request would outgrow the window. A failure is told, and the turn goes on. */
export class WindowKeeper implements TurnCompactor {
  readonly #turn: RunningTurn
  readonly #parts: CompactionParts
  /** A compaction brought too little: none is tried again in this turn. */
  #isStuck = false
  /** A request that was too long has been shortened once, and no reply has come since. */
  #isTooLongTried = false
  /** Estimated tokens of the transcript when the last reply joined it. */
  #known: number | undefined
  #counted: { of: readonly Message[]; messages: number; tokens: number } | undefined

  constructor(turn: RunningTurn, parts: CompactionParts) {
    this.#turn = turn
    this.#parts = parts
  }

  /** Before a model call. Resolves with `context-full` where the request is over the window and nothing helps. */
  async before(request: ModelRequest): Promise<Outcome | boolean> {
    const { windowTokens, threshold, reserveTokens, when } = this.#parts
    if (windowTokens === undefined && when === undefined) return false
    const fill = this.#measure(request)
    const { usedTokens } = fill
    if (!this.#isStuck) {
      if (!(await this.#turn.abortable(this.#isDue(fill, request)).catch((error: unknown) => this.#failed(error))))
        return false
      // Where the caller says when, the window may be far from full: what is kept is then a part of what there is.
      const share =
        when !== undefined || windowTokens === undefined ? usedTokens * TOO_LONG_SHARE : threshold * windowTokens
      if (await this.#attempt(fill, share - reserveTokens)) return true
    }
    if (windowTokens === undefined || fill.sureTokens <= windowTokens) return false
    return { kind: 'context-full', usedTokens: fill.sureTokens, windowTokens }
  }

  /** After a model call: one that the provider called too long is shortened, once until a reply comes. */
  async after(
    { reply, error }: { readonly reply: AssistantMessage; readonly error?: ErrorRecord },
    request: ModelRequest,
  ): Promise<boolean> {
    this.#known = this.#estimate()
    if (error?.code !== 'context-too-long' || reply.content.length > 0) {
      this.#isTooLongTried = false
      return false
    }
    if (this.#isTooLongTried || this.#turn.signal.aborted) return false
    this.#isTooLongTried = true
    const fill = this.#measure(request)
    const { windowTokens = Number.POSITIVE_INFINITY } = this.#parts
    return this.#attempt(fill, Math.min(windowTokens, fill.usedTokens) * TOO_LONG_SHARE)
  }

  async #isDue({ usedTokens }: WindowFill, { messages }: ModelRequest): Promise<boolean> {
    const { windowTokens, threshold, reserveTokens, when } = this.#parts
    if (when !== undefined) return when({ messages, usedTokens, windowTokens, signal: this.#turn.signal })
    return windowTokens !== undefined && usedTokens + reserveTokens >= threshold * windowTokens
  }

  #measure(request: ModelRequest): WindowFill {
    const overheadTokens = estimateRequestTokens({ ...request, messages: [] })
    const estimated = this.#estimate()
    const { known, reported } = this.#lastCall() ?? { known: estimated, reported: 0 }
    const called = Math.max(1, known + overheadTokens)
    // The larger counts, within reason: a provider that reports nonsense must make nothing look small, and nothing full.
    const real = reported > called ? Math.min(reported, MOST_CORRECTION * called) : called
    const usedTokens = real + Math.max(0, estimated - known)
    const sureTokens = this.#known === undefined ? estimated + overheadTokens : usedTokens
    return { usedTokens, sureTokens, overheadTokens, correction: real / called }
  }

  /** The last model call, its reply included: estimated tokens of the transcript, and reported ones of all. */
  #lastCall(): { readonly known: number; readonly reported: number } | undefined {
    const { fold } = this.#turn
    if (this.#known !== undefined) return fold.lastUsage && { known: this.#known, reported: sumOf(fold.lastUsage) }
    // The first of a run: the last one of the run before, unless a compaction came between.
    const { closed, source } = this.#turn
    const at = closed.findLastIndex((message) => message.role === 'assistant' && message.usage !== undefined)
    const reply = closed[at]
    const { sequence } = source.messages.findLast(({ message }) => message === reply) ?? {}
    const isVoid = sequence === undefined || source.overlays.some((overlay) => overlay.at > sequence)
    if (reply?.role !== 'assistant' || reply.usage === undefined || isVoid) return undefined
    return { known: tokensOf(closed.slice(0, at + 1)), reported: sumOf(reply.usage) }
  }

  /** Estimated tokens of the transcript. Costs only what was added since it was asked last. */
  #estimate(): number {
    const { closed, open } = this.#turn
    if (this.#counted?.of !== closed) this.#counted = { of: closed, messages: 0, tokens: 0 }
    const counted = this.#counted
    counted.tokens += tokensOf(closed.slice(counted.messages))
    counted.messages = closed.length
    return counted.tokens + (open === undefined ? 0 : estimateMessageTokens(open))
  }

  async #attempt({ usedTokens, correction, overheadTokens }: WindowFill, roomTokens: number): Promise<boolean> {
    const turn = this.#turn
    try {
      const compacting = compact({
        source: turn.source,
        parts: this.#parts,
        turnStart: turn.fold.start,
        budgetTokens: Math.max(0, roomTokens - overheadTokens * correction),
        usedTokens,
        correction,
        signal: turn.signal,
        clock: turn.clock,
        onStart: (hidden) => turn.emit({ type: 'compaction-started', hidden, usedTokens }),
      })
      const done = await turn.abortable(compacting)
      this.#isStuck = done === undefined
      turn.signal.throwIfAborted()
      if (done === undefined) return false
      turn.append(done.draft)
      turn.emit({ type: 'compaction-finished', ...done.report })
      return true
    } catch (error) {
      return this.#failed(error)
    }
  }

  /** Told, and no reason to stop; only the turn's own signal is. */
  #failed(error: unknown): false {
    const turn = this.#turn
    if (turn.signal.aborted) throw error
    this.#isStuck = true
    turn.emit({ type: 'compaction-failed', error: toErrorRecord(error, 'internal') })
    turn.warn('The conversation could not be compacted', error)
    return false
  }
}

function sumOf({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0)
}
