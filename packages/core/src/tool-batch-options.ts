import type { InDoubt } from './approvals.ts'
import type { Clock } from './clock.ts'
import type { ApprovalDecided, ApprovalRequested, EntryDraft, ToolSettled, ToolStarted } from './entries.ts'
import type { LiveEventBody } from './events.ts'
import type { JsonObject } from './json.ts'
import type { Appended } from './log-writer.ts'
import type { Message } from './messages.ts'
import type { RepairToolCall } from './repair-call.ts'
import type { RepeatGuard } from './repeat-guard.ts'
import type { RunningTurn } from './running-turn.ts'
import type { Tool } from './tool.ts'
import type { CallLayer } from './turn-hooks.ts'

/** What is known of a batch from before a crash: empty for a new one. */
export interface KnownCalls {
  readonly started: ReadonlyMap<string, ToolStarted>
  readonly settled: ReadonlyMap<string, ToolSettled>
  readonly requested: ReadonlyMap<string, ApprovalRequested>
  readonly decided: ReadonlyMap<string, ApprovalDecided>
}

/** What running a batch is given. */
export interface ToolBatchOptions {
  readonly signal: AbortSignal
  readonly graceMs: number
  readonly known: KnownCalls
  readonly tools: readonly Tool[]
  /** The transcript up to and including the reply. Looked at only where a tool asks for it. */
  readonly messages: readonly Message[]
  readonly turnId: string
  /** Whether a reload would find these calls again, and so the keys that they run with. Default `true`. */
  readonly isReplyStored?: boolean
  readonly sessionId?: string
  /** The turn, for hooks. */
  readonly turn?: RunningTurn
  /** The agent's own layer around each call. */
  readonly layer?: CallLayer
  /** Arguments that a hook has put in place of the model's, by call. */
  readonly inputs?: ReadonlyMap<string, JsonObject>
  /** The turn's limit on the reply, to recognise arguments that it cut. */
  readonly maxOutputTokens?: number
  /** Says which calls have come to the same too often and are not run again. */
  readonly repeats?: Pick<RepeatGuard, 'check'>
  /** Tools are off: no call runs, and each is answered `not-run` with this text. */
  readonly toolsOff?: string
  /** What a call is given of its turn, as `nested` in its context. */
  hostFor?(callId: string): unknown
  /** Hear decisions that come while the batch runs; the returned function stops that. */
  onDecision?(listener: (callId: string, decided: ApprovalDecided) => void): () => void
  /** Whether a request has been decided about by now. */
  isDecided?(requestId: string): boolean
  /** Whether a call is that of an agent that waits for people: nothing of it is under way. */
  isPaused?(callId: string): boolean
  emit(body: LiveEventBody): void
  append(...drafts: EntryDraft[]): Appended
}

/** How an agent runs its batches. */
export interface ToolBatchSettings {
  readonly clock: Clock
  readonly execution: 'parallel' | 'sequential'
  readonly maxParallelTools: number
  readonly maxResultBytes: number
  /** The time limit of tools that bring none. Default: none. */
  readonly toolMs?: number
  /**
   * What an unknown tool name does to the rest of its batch. `'continue'`, the default: nothing. `'short-circuit'`: every
   * later call is answered `not-run`; those before it run.
   */
  readonly unknownTool?: 'continue' | 'short-circuit'
  readonly repairToolCall?: RepairToolCall
  /**
   * What becomes of an unsafe call whose start, and an idempotent one whose reply, cannot be stored. `'skip'`, the
   * default: it is answered `not-run`. `'run'`: it runs all the same, which gives up the promise that no reload runs it twice.
   */
  readonly whenUnsaved?: 'skip' | 'run'
  /** What becomes of an unsafe call that had started before a crash. Default: it stays unknown. */
  readonly inDoubt?: InDoubt
}
