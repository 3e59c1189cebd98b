import type { ErrorRecord } from './errors.ts'
import { type AssistantMessage, clientCalls } from './messages.ts'
import type { Outcome } from './outcome.ts'

/** Why the model is asked again although its reply would otherwise end the turn. Each has its own cap. */
export type Again =
  | 'length-cut'
  | 'missing-call'
  | 'provider-pause'
  | 'empty-reply'
  | 'finaliser'
  | 'output-repair'
  | 'steering'

/** What comes after a reply: its tools, another question to the model, or the end. */
export type NextStep =
  | { readonly kind: 'tools' }
  | { readonly kind: 'again'; readonly why: Again }
  | { readonly kind: 'end'; readonly outcome: Outcome }

/**
 * What decides, besides the reply itself: how often the turn has been here before, this reply included.
 *
 * In a row: since the last reply whose tools ran. What comes between is no progress either, and two kinds of `again` that
 * take turns must not go on for ever.
 */
export interface ReplyCounts {
  /** Replies in a row that the output limit cut while they held calls. */
  readonly lengthCutsInARow: number
  /** Replies of the turn that announced a call and brought none. */
  readonly missingCalls: number
  readonly pausesInARow: number
  readonly emptyInARow: number
}

/** What else decides about a reply. */
export interface ReplyFacts {
  readonly error?: ErrorRecord
  /** Somebody has said something to the turn that has yet to join it; each such word is one more round. */
  readonly isSteered?: boolean | undefined
  /** Where the turn's answer must fit a schema and this reply would be it. */
  readonly output?: OutputFacts
}

/** How a reply that would be the answer stands to the schema it must fit. `'unasked'`: the schema was not on yet. */
export type OutputFacts =
  | { readonly state: 'fits' | 'unasked' }
  | {
      readonly state: 'misfits'
      /** What is wrong, one line each. */
      readonly problems: readonly string[]
      readonly canRepair: boolean
      readonly error: ErrorRecord
    }

/** How often each `again` may happen before the turn ends. */
const AGAIN_LIMITS = { lengthCuts: 1, missingCalls: 1, pauses: 8, empty: 1 } as const

/**
 * Go on or end: the only place where that is decided after a reply.
 *
 * `tools` if and only if the stop reason is `toolUse`. Pure. Source: the turn guide, "Stop reasons".
 */
export function decide(reply: AssistantMessage, counts: ReplyCounts, facts: ReplyFacts = {}): NextStep {
  const { error } = facts
  switch (reply.stopReason) {
    case 'toolUse':
      return { kind: 'tools' }
    case 'timeout':
      return end(timedOut(error) ?? { kind: 'failed', error: error ?? streamCut(reply) })
    // The last is the provider's own: what the turn's signal cuts never gets here.
    case 'error':
    case 'cancelled':
      return end({ kind: 'failed', error: error ?? streamCut(reply) })
    case 'safety':
      return end({ kind: 'blocked', source: 'model', ...(reply.rawStopReason && { message: reply.rawStopReason }) })
    case 'maxTokens':
      return decideLengthCut(reply, counts, facts)
    case 'pause':
      if (counts.pausesInARow <= AGAIN_LIMITS.pauses) return { kind: 'again', why: 'provider-pause' }
      return complete({ kind: 'completed' }, facts)
    default:
      return decideEnd(reply, counts, facts)
  }
}

/** The outcome for one of our own limits, as `askModel` records which one it was. */
function timedOut(error: ErrorRecord | undefined): Outcome | undefined {
  const { limit, ms } = error?.facts ?? {}
  if (error?.code !== 'model-timed-out' || typeof ms !== 'number') return undefined
  if (limit !== 'firstTokenMs' && limit !== 'idleMs' && limit !== 'stepMs') return undefined
  return { kind: 'timed-out', limit, ms }
}

function decideLengthCut(reply: AssistantMessage, counts: ReplyCounts, facts: ReplyFacts): NextStep {
  if (clientCalls(reply).length === 0) return complete({ kind: 'completed', truncated: true }, facts)
  if (counts.lengthCutsInARow <= AGAIN_LIMITS.lengthCuts) return { kind: 'again', why: 'length-cut' }
  return end({ kind: 'no-progress', reason: 'output-limit' })
}

function decideEnd(reply: AssistantMessage, counts: ReplyCounts, facts: ReplyFacts): NextStep {
  if (reply.missingCall) {
    if (counts.missingCalls <= AGAIN_LIMITS.missingCalls) return { kind: 'again', why: 'missing-call' }
    return end({ kind: 'no-progress', reason: 'missing-call' })
  }
  if (isEmptyReply(reply)) {
    if (counts.emptyInARow <= AGAIN_LIMITS.empty) return { kind: 'again', why: 'empty-reply' }
    return end({ kind: 'failed', error: emptyReply(reply) })
  }
  return complete({ kind: 'completed' }, facts)
}

/** A turn that was told more, or that owes a structured answer, is not complete yet. */
function complete(outcome: Outcome, { output, isSteered }: ReplyFacts): NextStep {
  if (isSteered) return { kind: 'again', why: 'steering' }
  if (output?.state === 'unasked') return { kind: 'again', why: 'finaliser' }
  if (output?.state !== 'misfits') return end(outcome)
  return output.canRepair ? { kind: 'again', why: 'output-repair' } : end({ kind: 'failed', error: output.error })
}

/**
 * Whether a reply holds nothing for anybody: no text, no reasoning, no file, no call. What only the provider understands,
 * and sources of nothing, are no answer.
 */
export function isEmptyReply(reply: AssistantMessage): boolean {
  return reply.content.every((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return part.text.trim() === ''
    return part.type === 'custom' || part.type === 'source'
  })
}

function end(outcome: Outcome): NextStep {
  return { kind: 'end', outcome }
}

function streamCut(reply: AssistantMessage): ErrorRecord {
  const message = `The model's answer broke off before its end${rawFinish(reply)}. What had arrived is kept; ask again to retry.`
  return { name: 'ModelError', code: 'stream-cut', message }
}

function emptyReply(reply: AssistantMessage): ErrorRecord {
  return {
    name: 'ModelError',
    code: 'empty-reply',
    message: `The model answered with nothing, twice${rawFinish(reply)}.`,
  }
}

/** The provider's own word, which says more than any of ours. */
function rawFinish({ rawStopReason }: AssistantMessage): string {
  return rawStopReason === undefined ? '' : ` (finish: ${rawStopReason})`
}
