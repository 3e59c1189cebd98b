import type { OutputSpec } from './answer-tool.ts'
import type { Clock } from './clock.ts'
import type { CompactionParts } from './compaction.ts'
import type { EntryDraft } from './entries.ts'
import type { Appended } from './log-writer.ts'
import type { AssistantMessage, Message } from './messages.ts'
import type { CacheMarks, ModelRequest, ModelSettings } from './model.ts'
import type { ModelCallOptions, ModelReply } from './model-step.ts'
import type { PendingRequest } from './outcome.ts'
import type { Tool } from './tool.ts'
import type { ToolBatchOptions } from './tool-batch.ts'
import type { TranscriptSource } from './transcript.ts'
import type { Usage } from './usage.ts'

/**
 * Everything a runner is made of. It knows nothing else: no provider, no storage, no DOM.
 *
 * `agent.turn()` only fills these in, so one engine drives a bare model, a tool agent or a loop of the caller's own.
 */
export interface RunnerParts {
  readonly agentName: string
  readonly modelId: string
  /** Give entries their numbers and keep them. Never throws; `saved` never rejects. */
  append(...drafts: EntryDraft[]): Appended
  /** Ask the model. Never rejects; on abort it resolves with what it has. */
  callModel(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply>
  /** Settle a reply's calls. Settles all it started within `graceMs` of abort. */
  runTools(reply: AssistantMessage, options: ToolBatchOptions): Promise<readonly PendingRequest[]>
  listTools(options: { signal: AbortSignal }): Promise<readonly Tool[]>
  /** Calls back when the list of tools is out of date. */
  watchTools?(onChange: () => void): () => void
  /** Evaluated before every model call. */
  instructions?(context: InstructionsContext): string | undefined | Promise<string | undefined>
  readonly clock: Clock
  /** The transcript before this turn; `sourceOf(messages)` makes one of plain messages. */
  readonly history?: TranscriptSource
  readonly settings?: ModelSettings
  readonly cacheMarks?: CacheMarks
  readonly maxIterations: number
  /** `'answer'`: over the cap, the model is asked once more, with tools off. Default `'stop'`. */
  readonly onMaxIterations?: 'stop' | 'answer'
  /** `'passthrough'`: the results of the first batch are the answer. Default `'postprocess'`. */
  readonly toolResultMode?: 'postprocess' | 'passthrough'
  /** Runs of the same call with the same result before it is refused. Default: no limit. */
  readonly repeatLimit?: number
  /** What the turn's answer must be; absent: text. */
  readonly output?: OutputSpec
  /** How the transcript is kept within the model's window; absent: it is not. */
  readonly compaction?: CompactionParts
  readonly budget?: TurnBudget
  /** How long the whole turn may take. Default: no limit. */
  readonly turnMs?: number
  readonly graceMs: number
  readonly sessionId?: string
  /** How many agents deep this one runs; 0 or absent: it is nobody's tool. */
  readonly depth?: number
}

/** What a turn may spend, checked before each further model call. Over it, the turn ends `no-progress`. */
export interface TurnBudget {
  readonly totalTokens?: number
  readonly outputTokens?: number
  /** In the unit of `priceOf`. */
  readonly cost?: number
  /** What a model call cost; needed for `cost`. */
  priceOf?(usage: Usage, modelId: string | undefined): number
}

/** What instructions that are a function are told. */
export interface InstructionsContext {
  readonly turnId: string
  readonly sessionId?: string
  /** The transcript as the model will see it. */
  readonly messages: readonly Message[]
}
