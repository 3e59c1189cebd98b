import type { ErrorRecord } from './errors.ts'
import { type AssistantMessage, clientCalls, type Message } from './messages.ts'
import type { Outcome } from './outcome.ts'

/** Why the model is asked again although its reply would otherwise end the turn. Each has its own cap. */
export type Again = 'length-cut' | 'missing-call' | 'provider-pause' | 'empty-reply'

/** What comes after a reply: its tools, another question to the model, or the end. */
export type Decision =
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

/** Count a turn's replies for `decide`. */
export function countReplies(messages: readonly Message[]): ReplyCounts {
  const replies = messages.filter((message) => message.role === 'assistant')
  const recent = replies.slice(replies.findLastIndex(({ stopReason }) => stopReason === 'toolUse') + 1)
  const count = (isCounted: (reply: AssistantMessage) => boolean): number => recent.filter(isCounted).length
  return {
    lengthCutsInARow: count((reply) => reply.stopReason === 'maxTokens' && clientCalls(reply).length > 0),
    missingCalls: replies.filter(({ missingCall }) => missingCall).length,
    pausesInARow: count(({ stopReason }) => stopReason === 'pause'),
    emptyInARow: count((reply) => isEmptyReply(reply) && !reply.missingCall && reply.stopReason !== 'pause'),
  }
}

/** How often each `again` may happen before the turn ends. */
export const AGAIN_LIMITS = { lengthCuts: 1, missingCalls: 1, pauses: 8, empty: 1 } as const

/**
 * Go on or end: the only place where that is decided after a reply.
 *
 * `tools` if and only if the stop reason is `toolUse`. Pure. Source: the turn guide, "Stop reasons".
 */
export function decide(reply: AssistantMessage, counts: ReplyCounts, error?: ErrorRecord): Decision {
  switch (reply.stopReason) {
    case 'toolUse':
      return { kind: 'tools' }
    case 'timeout':
      return end(timedOut(error) ?? { kind: 'failed', error: error ?? STREAM_CUT })
    // The last is the provider's own: what the turn's signal cuts never gets here.
    case 'error':
    case 'cancelled':
      return end({ kind: 'failed', error: error ?? STREAM_CUT })
    case 'safety':
      return end({ kind: 'blocked', source: 'model', ...(reply.rawStopReason && { message: reply.rawStopReason }) })
    case 'maxTokens':
      return decideLengthCut(reply, counts)
    case 'pause':
      if (counts.pausesInARow <= AGAIN_LIMITS.pauses) return { kind: 'again', why: 'provider-pause' }
      return end({ kind: 'completed' })
    default:
      return decideEnd(reply, counts)
  }
}

/** The outcome for one of our own limits, as `askModel` records which one it was. */
function timedOut(error: ErrorRecord | undefined): Outcome | undefined {
  const { limit, ms } = error?.facts ?? {}
  if (error?.code !== 'model-timed-out' || typeof ms !== 'number') return undefined
  if (limit !== 'firstTokenMs' && limit !== 'idleMs' && limit !== 'stepMs') return undefined
  return { kind: 'timed-out', limit, ms }
}

function decideLengthCut(reply: AssistantMessage, counts: ReplyCounts): Decision {
  if (clientCalls(reply).length === 0) return end({ kind: 'completed', truncated: true })
  if (counts.lengthCutsInARow <= AGAIN_LIMITS.lengthCuts) return { kind: 'again', why: 'length-cut' }
  return end({ kind: 'no-progress', reason: 'output-limit' })
}

function decideEnd(reply: AssistantMessage, counts: ReplyCounts): Decision {
  if (reply.missingCall) {
    if (counts.missingCalls <= AGAIN_LIMITS.missingCalls) return { kind: 'again', why: 'missing-call' }
    return end({ kind: 'no-progress', reason: 'missing-call' })
  }
  if (isEmptyReply(reply)) {
    if (counts.emptyInARow <= AGAIN_LIMITS.empty) return { kind: 'again', why: 'empty-reply' }
    return end({ kind: 'failed', error: emptyReply(reply) })
  }
  return end({ kind: 'completed' })
}

/** Whether a reply holds nothing: no text, no reasoning, no file, no call. */
export function isEmptyReply(reply: AssistantMessage): boolean {
  return reply.content.every((part) => (part.type === 'text' || part.type === 'reasoning') && part.text.trim() === '')
}

function end(outcome: Outcome): Decision {
  return { kind: 'end', outcome }
}

const STREAM_CUT: ErrorRecord = {
  name: 'ModelError',
  code: 'stream-cut',
  message: "The model's answer broke off before its end. What had arrived is kept; ask again to retry.",
}

function emptyReply(reply: AssistantMessage): ErrorRecord {
  const raw = reply.rawStopReason === undefined ? '' : ` (finish: ${reply.rawStopReason})`
  return { name: 'ModelError', code: 'empty-reply', message: `The model answered with nothing, twice${raw}.` }
}
