import type { InDoubt } from './approvals.ts'
import type { Clock } from './clock.ts'
import type { OutputFacts } from './decide.ts'
import type { EntryDraft } from './entries.ts'
import type { ErrorRecord } from './errors.ts'
import type { CompactionReport, LiveEventBody } from './events.ts'
import type { TurnInfo } from './hook-context.ts'
import type { JsonObject } from './json.ts'
import type { Appended } from './log-writer.ts'
import type { AssistantMessage, Message, SyntheticKind, UserMessage } from './messages.ts'
import type { CacheMarks, ModelRequest, ModelSettings } from './model.ts'
import type { ModelCallOptions, ModelReply } from './model-step.ts'
import type { Outcome, PendingRequest } from './outcome.ts'
import type { RunningTurn } from './running-turn.ts'
import type { Tool } from './tool.ts'
import type { ToolBatchOptions } from './tool-batch-options.ts'
import type { TranscriptSource } from './transcript.ts'
import type { AgentHooks } from './turn-hooks.ts'
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
  readonly output?: OutputHandler
  /** How the transcript is kept within the model's window; absent: it is not. */
  readonly compaction?: Compactor
  readonly budget?: TurnBudget
  /** What watches and changes the turn; absent: nothing does. */
  readonly hooks?: AgentHooks
  /** What people say to the turn while it runs; absent: nothing. */
  readonly steering?: TurnSteering
  /** What the turn is told about itself. */
  readonly info?: TurnInfo
  /** The session's state when the turn starts, and with what the turn brings. */
  readonly state?: JsonObject
  readonly startState?: JsonObject
  /** How long the whole turn may take. Default: no limit. */
  readonly turnMs?: number
  readonly graceMs: number
  readonly sessionId?: string
  /** How many agents deep this one runs; 0 or absent: it is nobody's tool. */
  readonly depth?: number
  /** What becomes of unsafe calls that had started before a crash. Default: they stay unknown. */
  readonly inDoubt?: InDoubt
}

/** What is said to a turn while it runs: it joins before the next model call, after the results of tools. */
export interface TurnSteering {
  /**
   * Whether something has been said that makes the turn go on although this reply would end it; not where the provider
   * paused it. If so, it stands: the next `join` has it.
   */
  claim(reply: AssistantMessage): boolean
  /**
   * Let what was said join, each by `admit`, which resolves with what that ends the turn with. Not behind a reply that the
   * provider paused: that goes on from where it is. Resolves with what ends the turn.
   */
  join(
    turn: RunningTurn,
    admit: (said: readonly UserMessage[]) => Promise<Outcome | undefined>,
  ): Promise<Outcome | undefined>
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

/** Brings a turn's model to an answer of a given form, and reads it. Made by `structured`. */
export interface OutputHandler {
  /** Whether the form is on, and tools are off, for what is asked now. */
  isFinalising(turn: RunningTurn): boolean
  /** The request with what the answer must be; `isLast`: no other will follow, and tools are off. */
  request(turn: RunningTurn, request: ModelRequest, isLast: boolean): ModelRequest
  /** The tool whose arguments are the answer, where there is one. */
  answerTool(tools: readonly Tool[]): Tool | undefined
  /** Listens to a reply that may be the answer while it grows. */
  watch(request: ModelRequest, emit: (body: LiveEventBody) => void): (body: LiveEventBody) => void
  /** The answer that a settled batch brought, or what is wrong with it; `undefined` where it brought none. */
  readBatch(turn: RunningTurn): Promise<OutputFacts | undefined>
  /** How a reply that would end the turn stands to the form. */
  judge(turn: RunningTurn, reply: AssistantMessage): Promise<OutputFacts | undefined>
  /** What the model is told before it is asked for the answer, or for a better one. */
  nudge(facts: OutputFacts): { readonly text: string; readonly kind: SyntheticKind }
}

/** Keeps transcripts within the model's window. Made by `autoCompaction`. */
export interface Compactor {
  forTurn(turn: RunningTurn): TurnCompactor
  /** Make the overlay that shortens a conversation between two turns; `undefined` where nothing is worth hiding. */
  compact(source: TranscriptSource, options: CompactOptions): Promise<Compaction | undefined>
  /** What `compact` would hide, without asking anybody. */
  preview(source: TranscriptSource): CompactionReport
}

/** How a conversation is shortened by hand. */
export interface CompactOptions {
  readonly signal: AbortSignal
  /** What the summary should dwell on. */
  readonly focus?: string
  onStart?(hidden: number, usedTokens: number): void
}

/** The overlay to append and what it does. */
export interface Compaction {
  readonly draft: Extract<EntryDraft, { type: 'overlay' }>
  readonly report: CompactionReport
}

/** Keeps one turn's transcript within the model's window. */
export interface TurnCompactor {
  /** Before a model call: resolves with whether the transcript was shortened, or with what ends the turn. */
  before(request: ModelRequest): Promise<Outcome | boolean>
  /** After a model call: whether its request was too long and has been shortened, so that it should be asked again. */
  after(
    asked: { readonly reply: AssistantMessage; readonly error?: ErrorRecord },
    request: ModelRequest,
  ): Promise<boolean>
}

/** What instructions that are a function are told. */
export interface InstructionsContext {
  readonly turnId: string
  readonly sessionId?: string
  /** The transcript as the model will see it. */
  readonly messages: readonly Message[]
}
