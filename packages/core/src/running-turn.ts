import type { Clock } from './clock.ts'
import type { EntryDraft } from './entries.ts'
import type { LiveEventBody, TurnEvent } from './events.ts'
import type { TurnInfo } from './hook-context.ts'
import type { JsonObject } from './json.ts'
import type { Appended } from './log-writer.ts'
import type { Message } from './messages.ts'
import type { EvalResult, HookError } from './outcome.ts'
import type { Tool } from './tool.ts'
import type { TranscriptSource } from './transcript.ts'
import type { TurnFold } from './turn-fold.ts'

/** A running turn, as what takes part in it sees it. */
export interface RunningTurn {
  readonly fold: TurnFold
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly turnId: string
  readonly sessionId: string | undefined
  readonly graceMs: number
  /** How many agents deep it runs. */
  readonly depth: number
  readonly phase: 'run' | 'continue'
  readonly info: TurnInfo
  /** The session's state as it stands, with what this turn changed. */
  readonly state: JsonObject
  /** The transcript so far, sound: what goes to the model. */
  readonly messages: readonly Message[]
  /** What went wrong in hooks without hurting the turn, and what evals found. */
  readonly hookErrors: HookError[]
  readonly evals: EvalResult[]
  readonly modelId: string
  /** What the turn's transcript is derived from. */
  readonly source: TranscriptSource
  /** The transcript so far without a reply that stands last: the same list, grown, until something else must be shown. */
  readonly closed: readonly Message[]
  /** The reply that stands last. */
  readonly open: Message | undefined
  /** The structured answer: what the schema made of it, and the JSON that the log keeps. */
  answer: { readonly value: unknown; readonly json: JsonObject } | undefined
  listTools(): Promise<readonly Tool[]>
  /** Write facts: they join the fold and are delivered as the very objects that are stored. */
  append(...drafts: EntryDraft[]): Appended
  emit(body: LiveEventBody): void
  /** Pass an event of an agent that a hook runs on, under `step`. */
  forward(event: TurnEvent, step: string): void
  /** Lay an overlay over the transcript, as soon as no call of it waits for its result. */
  rewrite(overlayOf: (source: TranscriptSource) => EntryDraft | undefined): void
  /** Stop the turn. */
  abort(reason: unknown): void
  /** Emit what goes wrong beside the turn. */
  warn(message: string, error: unknown): void
  /** Wait for a part; once the turn is stopped, only as long as it takes a cooperative one to notice. */
  abortable<T>(promise: Promise<T>): Promise<T>
}
