import type { ErrorRecord } from './errors.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { CallToolResult, UserPart } from './messages.ts'

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
      /** The check's own word for why, and the same as a name for logs: `errorId`. */
      readonly trigger?: string
      readonly errorId?: string
      /** Who blocked, and where it stands: `preHooks`, `postHooks`, `toolHooks`, … */
      readonly hook?: string
      readonly slot?: string
      readonly phase?: 'input' | 'output' | 'tool-input' | 'tool-result'
      /** For people. */
      readonly message?: string
      readonly data?: JsonObject
    }
  | { readonly kind: 'max-iterations'; readonly maxIterations: number }
  | {
      readonly kind: 'no-progress'
      readonly reason: 'missing-call' | 'output-limit' | 'repeated-call' | 'budget' | 'hook-retry'
    }
  | { readonly kind: 'context-full'; readonly usedTokens: number; readonly windowTokens: number }
  | { readonly kind: 'timed-out'; readonly limit: 'firstTokenMs' | 'idleMs' | 'stepMs' | 'turnMs'; readonly ms: number }
  | { readonly kind: 'interrupted'; readonly rollback: RollbackRecord }
  | { readonly kind: 'failed'; readonly error: ErrorRecord }
  | Awaiting

/** The turn waits for people, and goes on once they have decided. */
export interface Awaiting {
  readonly kind: 'awaiting'
  readonly pending: readonly PendingRequest[]
}

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
  /**
   * `'outcome'`: the call was running when the page went away, and nobody knows what became of it. To `answer` says what
   * came of it; to `approve` that nothing did, and that it runs; to `deny` that it stays unknown.
   */
  readonly ask: 'approve' | 'answer' | 'fields' | 'outcome'
  readonly input: JsonValue
  /** Binds the decision to the arguments that were shown. */
  readonly inputHash: string
  /** For `ask: 'outcome'`: which start of the call it is about. */
  readonly attempt?: number
  /** The calls that lead to the agent whose call it is; absent for the turn's own. */
  readonly path?: readonly string[]
}

/** What a person decided about one request. */
export interface Decision {
  /** Of the request. */
  readonly id: string
  readonly allow: boolean
  /** Arguments to run with instead of those that were shown; for `ask: 'fields'`, the fields. */
  readonly input?: JsonObject
  /** The answer of a tool that the host answers. */
  readonly result?: CallToolResult
  /** Why not, for the model. */
  readonly note?: string
  /** Who decided, for the record. Default `'user'`. */
  readonly by?: string
}

/** What went wrong in a hook without hurting its turn. */
export interface HookError {
  readonly hook: string
  /** The list or point it stands in. */
  readonly slot: string
  readonly error: ErrorRecord
}

/** What an eval found. */
export interface EvalResult {
  readonly name: string
  readonly phase: 'input' | 'output'
  readonly score: number
  readonly passed?: boolean
  readonly data?: JsonObject
}
