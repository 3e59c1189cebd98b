import { type CompactionParts, compact } from './compaction.ts'
import { type ErrorRecord, toErrorRecord } from './errors.ts'
import type { AssistantMessage, Message } from './messages.ts'
import type { ModelRequest } from './model.ts'
import type { Outcome } from './outcome.ts'
import type { TurnCompactor } from './runner-parts.ts'
import type { RunningTurn } from './running-turn.ts'
import { estimateMessageTokens, estimateTextTokens, estimateToolTokens } from './token-estimate.ts'

/** What is kept of a request that the provider called too long, as a part of what it was. */
const TOO_LONG_SHARE = 0.6

/** How full the window is, in tokens. */
interface WindowFill {
  /** Of the whole request: what the provider last reported, or the estimate if that is more, and what was added since. */
  readonly usedTokens: number
  /** Of instructions and tools. */
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
    if (!(await this.#turn.abortable(this.#isDue(fill, request)).catch((error: unknown) => this.#failed(error))))
      return false
    // Where the caller says when, the window may be far from full: what is kept is then a part of what there is.
    const share =
      when !== undefined || windowTokens === undefined ? usedTokens * TOO_LONG_SHARE : threshold * windowTokens
    if (!this.#isStuck && (await this.#attempt(fill, share - reserveTokens))) return true
    if (windowTokens === undefined || usedTokens <= windowTokens) return false
    return { kind: 'context-full', usedTokens, windowTokens }
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
    const overheadTokens =
      estimateTextTokens(request.instructions ?? '') +
      request.tools.reduce((sum, tool) => sum + estimateToolTokens(tool), 0)
    const estimated = this.#estimate()
    const known = this.#known
    const { inputTokens, outputTokens = 0 } = this.#turn.fold.lastUsage ?? {}
    if (known === undefined || inputTokens === undefined) {
      return { usedTokens: overheadTokens + estimated, overheadTokens, correction: 1 }
    }
    const reported = inputTokens + outputTokens
    // As with what is used, the larger counts: a provider that reports nonsense must not make everything look small.
    const correction = Math.min(4, Math.max(1, reported / Math.max(1, known + overheadTokens)))
    const usedTokens = Math.max(reported, known + overheadTokens) + Math.max(0, estimated - known)
    return { usedTokens, overheadTokens, correction }
  }

  /** Estimated tokens of the transcript. Costs only what was added since it was asked last. */
  #estimate(): number {
    const { closed, open } = this.#turn
    if (this.#counted?.of !== closed) this.#counted = { of: closed, messages: 0, tokens: 0 }
    const counted = this.#counted
    for (const message of closed.slice(counted.messages)) counted.tokens += estimateMessageTokens(message)
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
      if (done === undefined || turn.signal.aborted) return false
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
