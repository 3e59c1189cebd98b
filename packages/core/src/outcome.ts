import type { ErrorRecord } from './errors.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { UserPart } from './messages.ts'

/** Why a turn ended, exactly one per turn; `awaiting` is a pause, not an end. Plain data, stored with `turn-ended`. */
export type Outcome =
  | { readonly kind: 'completed'; readonly truncated?: true; readonly stoppedBy?: string }
  | {
      readonly kind: 'cancelled'
      /** The abort reason as plain data; the runner's `signal.reason` has the original. */
      readonly reason: JsonValue
      readonly rollback: RollbackRecord
      /** The user's input, when it never became part of the transcript. */
      readonly input?: readonly UserPart[]
    }
  | {
      readonly kind: 'blocked'
      readonly source: 'guardrail' | 'model'
      readonly trigger?: string
      readonly hook?: string
      readonly phase?: string
      readonly message?: string
      readonly data?: JsonObject
    }
  | { readonly kind: 'max-iterations'; readonly maxIterations: number }
  | { readonly kind: 'no-progress'; readonly reason: 'missing-call' | 'output-limit' | 'repeated-call' | 'budget' }
  | { readonly kind: 'context-full'; readonly usedTokens: number; readonly windowTokens: number }
  | { readonly kind: 'timed-out'; readonly limit: 'firstTokenMs' | 'idleMs' | 'stepMs' | 'turnMs'; readonly ms: number }
  | { readonly kind: 'interrupted'; readonly rollback: RollbackRecord }
  | { readonly kind: 'failed'; readonly error: ErrorRecord }
  | { readonly kind: 'awaiting'; readonly pending: readonly PendingRequest[] }

/** What a cancel left behind in the transcript. */
export interface RollbackRecord {
  readonly status:
    | 'appended-interrupted-result'
    | 'appended-completed-result'
    | 'unchanged'
    | 'empty'
    | 'history-disabled'
  readonly messagesBefore: number
  readonly messagesAfter: number
}

/** Something a person has to decide before the turn can go on. */
export interface PendingRequest {
  readonly id: string
  readonly callId: string
  readonly toolName: string
  readonly ask: 'approve' | 'answer' | 'fields'
  readonly input: JsonValue
  /** Binds the decision to the arguments that were shown. */
  readonly inputHash: string
}
