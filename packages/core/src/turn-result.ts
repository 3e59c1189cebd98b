import { type ErrorRecord, ModelError, StorageError, ToolError, TurnloopError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import { CheckError, InputCheckError, OutputCheckError } from './guardrail.ts'
import type { JsonObject } from './json.ts'
import { type AssistantMessage, type Message, messageText } from './messages.ts'
import type { Decision, EvalResult, HookError, Outcome } from './outcome.ts'
import type { Usage } from './usage.ts'

/** How a turn ended and what it made. */
export interface TurnResult<Output = unknown> {
  readonly turnId: string
  readonly outcome: Outcome
  /** The last reply, also a partial one. */
  readonly message?: AssistantMessage
  /** The text of that reply; without one, the message of a block, else `''`. */
  readonly text: string
  /**
   * The structured answer, where the agent or the turn asked for one and the turn completed, or gave a last answer over
   * `maxIterations`: what the schema made of it. Of a turn that is read back from the log, the JSON it made it from.
   */
  readonly output?: Output
  /** The transcript: what came before and this turn, ready to be given to the next one. */
  readonly messages: readonly Message[]
  /** The sum over the turn's model calls. */
  readonly usage: Usage
  /** Settled tool batches. */
  readonly iterations: number
  /** What went wrong in hooks without hurting the turn. */
  readonly hookErrors: readonly HookError[]
  readonly evals: readonly EvalResult[]
  /** The session's state after the turn. */
  readonly state: JsonObject
  /**
   * After `awaiting`, without a session: go on with the same turn. Throws `bad-input` for a decision that nothing waits for,
   * and for none at all; what is left undecided is waited for again.
   */
  resume?(decisions: readonly Decision[]): ResumedTurn<Output>
}

/** The part of a runner that a result names: it goes on where the turn paused. */
export interface ResumedTurn<Output> extends AsyncIterable<AssistantMessage> {
  untilDone(): Promise<TurnResult<Output>>
  events(): AsyncIterable<TurnEvent>
  cancel(reason?: unknown): void
}

/** When a promise of a turn rejects instead of resolving with its outcome. */
export type RejectOn = 'never' | 'blocked' | 'not-completed'

/** Put a turn's result together from its end. */
export function createResult(end: {
  turnId: string
  outcome: Outcome
  reply: AssistantMessage | undefined
  output?: unknown
  messages: readonly Message[]
  usage: Usage
  iterations: number
  hookErrors?: readonly HookError[]
  evals?: readonly EvalResult[]
  state?: JsonObject
  resume?: (decisions: readonly Decision[]) => ResumedTurn<unknown>
}): TurnResult {
  const { reply, output, hookErrors = [], evals = [], state = {}, ...rest } = end
  const { outcome } = end
  return {
    ...rest,
    hookErrors,
    evals,
    state,
    ...(output !== undefined && { output }),
    ...(reply !== undefined && { message: reply }),
    text: reply === undefined ? (outcome.kind === 'blocked' && outcome.message) || '' : messageText(reply),
  }
}

/** The error that stands for an outcome, where the caller asked for errors; `undefined` where it did not. */
export function toRejection(outcome: Outcome, reject: RejectOn): TurnloopError | undefined {
  if (reject === 'never' || outcome.kind === 'completed' || outcome.kind === 'awaiting') return undefined
  if (outcome.kind === 'blocked') {
    const { message = 'The turn was blocked.', trigger, data, source, phase } = outcome
    if (source === 'model') return new TurnloopError('blocked', message, { facts: { ...outcome } })
    const Check = phase === 'input' ? InputCheckError : phase === 'output' ? OutputCheckError : CheckError
    return new Check(message, { ...(trigger !== undefined && { trigger }), ...(data && { data }) })
  }
  if (reject === 'blocked') return undefined
  if (outcome.kind === 'failed') return fromRecord(outcome.error)
  return new TurnloopError('not-completed', `The turn ended ${outcome.kind}.`, { facts: { outcome: outcome.kind } })
}

/** An error to throw for one that was recorded, of its own class where that is one of ours. */
export function fromRecord(record: ErrorRecord): TurnloopError {
  const { code, message, facts, cause } = record
  const Class = CLASSES[record.name] ?? TurnloopError
  return new Class(code, message, {
    ...(facts && { facts }),
    ...(cause !== undefined && { cause: new Error(cause) }),
  })
}

const CLASSES: { readonly [Name in string]?: typeof TurnloopError } = { ModelError, StorageError, ToolError }

/** What stands for the outcome that every turn has. */
export const NO_OUTCOME: Outcome = {
  kind: 'failed',
  error: { name: 'TurnloopError', code: 'internal', message: 'The turn ended without an outcome.' },
}
