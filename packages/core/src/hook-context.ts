import type { JsonObject, JsonValue } from './json.ts'
import type { AssistantMessage, Message, UserMessage } from './messages.ts'
import type { RunnableAgent } from './runnable-agent.ts'
import type { StateDraft } from './state-draft.ts'
import type { TurnResult } from './turn-result.ts'
import type { Usage } from './usage.ts'

/** Where hooks and agents write what is worth reading later. `console` is one. */
export interface Logger {
  debug(...data: unknown[]): void
  info(...data: unknown[]): void
  warn(...data: unknown[]): void
  error(...data: unknown[]): void
}

/** What a turn is told about itself by whoever starts it. */
export interface TurnInfo {
  readonly userId?: string
  readonly debug: boolean
  /** Of this turn alone: never stored. */
  readonly metadata: JsonObject
  /** Options that are not ours, untouched. */
  readonly extra: Readonly<Record<string, unknown>>
  readonly logger: Logger
  readonly agent: AgentView
  readonly session?: SessionInfo
}

/** An agent, to look at. */
export interface AgentView {
  readonly name: string
  readonly modelId: string
}

/** A session, to look at. */
export interface SessionInfo {
  readonly id: string
  readonly title?: string
  /** Turns started before this one. */
  readonly turns: number
  /** Epoch ms; absent for one that begins now. */
  readonly createdAt?: number
}

/** What every hook is told. Snapshots are its own: what it does to them changes nothing. */
export interface HookContext<State = StateDraft> {
  readonly agent: AgentView
  readonly session?: SessionInfo
  readonly userId?: string
  readonly debug: boolean
  readonly turnId: string
  /** Settled tool batches so far. */
  readonly iteration: number
  /** `'continue'`: after a pause or a crash. What the hook did in the step that was cut may be done again. */
  readonly phase: 'run' | 'continue'
  /** Change it in place or assign a whole one; what it has become when the hook settles is stored. */
  state: State
  readonly metadata: JsonObject
  /** The transcript as the model sees it; for `preHooks`, what came before. */
  readonly messages: readonly Message[]
  /** Of this turn only. */
  readonly turnMessages: readonly Message[]
  /** Aborts with the turn and with the hook's own time limit. */
  readonly signal: AbortSignal
  /** Silent where the agent has none; `debug` lines only where `debug` is on. */
  readonly logger: Logger
  readonly extra: Readonly<Record<string, unknown>>
  /** Tell whoever listens to the turn's events. */
  emit(name: string, data: JsonValue): void
  /**
   * Run another agent: with a transcript of its own and no session, under this hook's signal; its usage counts for the turn.
   * Rejects with `not-completed` for any end but `completed`, so that a check built on it fails closed.
   */
  run<Output>(agent: RunnableAgent<Output>, input: string | readonly Message[]): Promise<TurnResult<Output>>
  /** Let these join the transcript before the next model call. */
  inject(...messages: (string | UserMessage)[]): void
  /**
   * Rewrite the transcript: recorded as an overlay, healed at once, and reversible. The log is never edited. What a message
   * list has lost stays in the log.
   */
  rewriteTranscript(rewrite: (messages: readonly Message[]) => readonly Message[]): void
}

/** What came in. */
export interface InputView {
  readonly messages: readonly UserMessage[]
  /** All its text. In `preHooks`, assigning it replaces the text. */
  text: string
}

/** What the turn would end with. */
export interface ResultView {
  readonly message: AssistantMessage | undefined
  /** Its text. Assigning it replaces the text. */
  text: string
  readonly output?: unknown
  readonly usage: Usage
}

/** Writes nothing. */
export const SILENT: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} })

/** The agent's logger, with `debug` lines only where `debug` is on. */
export function loggerFor(logger: Logger | undefined, debug: boolean): Logger {
  if (logger === undefined) return SILENT
  return {
    debug: (...data) => (debug ? logger.debug(...data) : undefined),
    info: (...data) => logger.info(...data),
    warn: (...data) => logger.warn(...data),
    error: (...data) => logger.error(...data),
  }
}
