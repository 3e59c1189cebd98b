import type { Entry } from './entries.ts'
import type { ErrorRecord } from './errors.ts'
import type { JsonValue } from './json.ts'
import type { EvalResult } from './outcome.ts'

/** One thing that happens during a turn: a stored fact (an `Entry`, the very object) or a live event. */
export type TurnEvent = Entry | LiveEvent

/** What every live event has. */
export interface LiveEventBase {
  readonly turnId: string
  readonly at: number
  /** The sequence of the entry that this event follows. */
  readonly after: number
  readonly path?: readonly string[]
}

/** A happening that is not stored: growing text, progress, notices. */
export type LiveEvent = LiveEventBase & LiveEventBody

/** What a live event says, by kind. */
export type LiveEventBody =
  | { readonly type: 'iteration-started'; readonly iteration: number }
  | { readonly type: 'model-started'; readonly messageId: string; readonly modelId: string }
  | PartDelta
  | { readonly type: 'tool-progress'; readonly callId: string; readonly update: JsonValue }
  | { readonly type: 'retry'; readonly reason: string; readonly delayMs: number; readonly discarded?: string }
  /** The structured answer as far as it has arrived: valid JSON values, not checked against the schema. */
  | { readonly type: 'partial-output'; readonly messageId: string; readonly value: JsonValue }
  | { readonly type: 'compaction-started'; readonly hidden: number; readonly usedTokens: number }
  | ({ readonly type: 'compaction-finished' } & CompactionReport)
  | { readonly type: 'compaction-failed'; readonly error: ErrorRecord }
  | HookEvent
  | {
      readonly type: 'background-hook-failed'
      readonly hook: string
      readonly slot: string
      readonly error: ErrorRecord
    }
  | ({ readonly type: 'eval-result' } & EvalResult)
  /** Text that was shown did not pass: take it away. `messageId` is that of the reply. */
  | { readonly type: 'content-retracted'; readonly messageId: string }
  | { readonly type: 'warning'; readonly message: string; readonly error?: ErrorRecord }
  | { readonly type: 'custom'; readonly name: string; readonly data: JsonValue }

/**
 * A hook begins, and comes to its end: each `hook-started` is followed by exactly one of the others, with the same `id`.
 * `value` is what it looked at, or what it made of it; left out as long as a check has yet to see it.
 */
export type HookEvent = {
  readonly type: 'hook-started' | 'hook-finished' | 'hook-failed' | 'hook-blocked'
  readonly id: string
  readonly hook: string
  /** The list or point it stands in. */
  readonly slot: string
  readonly callId?: string
  readonly durationMs?: number
  /** It has put something else in the place of what it looked at. */
  readonly changed?: true
  readonly value?: JsonValue
  readonly error?: ErrorRecord
}

/** What a compaction did, or would do. Token counts are estimates. */
export interface CompactionReport {
  /** Messages that the summary stands for. */
  readonly hidden: number
  /** Messages that stay word for word. */
  readonly kept: number
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** The overlay that can be taken back; absent in a preview, and where there was nothing to compact. */
  readonly overlayId?: string
}

/** What `shorten` did. */
export interface ShortenReport {
  /** Messages of which nothing is left but their place. */
  readonly messages: number
  /** Entries of the log that are smaller now. */
  readonly entries: number
  /** An estimate, large values included. */
  readonly freedBytes: number
}

/** Text added to one part of the growing reply. `partIndex` is its place in the message's content. */
export type PartDelta =
  | { readonly type: 'text-delta'; readonly messageId: string; readonly partIndex: number; readonly delta: string }
  | { readonly type: 'reasoning-delta'; readonly messageId: string; readonly partIndex: number; readonly delta: string }
  | {
      readonly type: 'tool-input-delta'
      readonly messageId: string
      readonly partIndex: number
      readonly callId: string
      readonly toolName: string
      readonly delta: string
      readonly providerExecuted?: true
    }
