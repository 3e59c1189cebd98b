import type { JsonObject, JsonValue } from './json.ts'

/** Every code a Turnloop error can carry. Branch on these; messages may change. */
export type TurnloopErrorCode =
  // the caller
  | 'bad-option'
  | 'bad-input'
  | 'already-consumed'
  | 'session-busy'
  | 'session-closed'
  | 'nothing-to-resume'
  | 'shortened'
  | 'blocked'
  | 'not-completed'
  | 'stop-turn'
  | 'retry-model'
  // the model
  | 'model-unreachable'
  | 'model-unauthorized'
  | 'model-not-found'
  | 'model-rate-limited'
  | 'model-refused-request'
  | 'model-overloaded'
  | 'model-bad-response'
  | 'model-failed'
  | 'model-timed-out'
  | 'context-too-long'
  | 'stream-cut'
  | 'empty-reply'
  | 'output-invalid'
  // tools
  | 'tool-failed'
  | 'tool-timed-out'
  | 'tool-list-failed'
  | 'worker-failed-to-load'
  | 'worker-crashed'
  | 'worker-terminated'
  | 'not-cloneable'
  // storage
  | 'conflict'
  | 'stale-fence'
  | 'quota-exceeded'
  | 'disconnected'
  | 'blocked-by-other-tab'
  | 'newer-version'
  | 'storage-unavailable'
  // anything of ours that should not happen
  | 'internal'

/** What an error looks like as plain data: in outcomes, in the log, across workers. */
export interface ErrorRecord {
  readonly name: string
  readonly code: TurnloopErrorCode
  readonly message: string
  /** What the error knows: `toolName`, `status`, `usedBytes` and the like. */
  readonly facts?: JsonObject
  /** The message of what caused it, when that adds something. */
  readonly cause?: string
}

/**
 * The error of this library at its API edge: what failed, on what, and how to repair it.
 *
 * Inside a turn a failure is an event and an outcome instead; see `Outcome`.
 */
export class TurnloopError extends Error {
  override readonly name: string = 'TurnloopError'
  readonly code: TurnloopErrorCode
  readonly facts: JsonObject

  constructor(code: TurnloopErrorCode, message: string, options: { cause?: unknown; facts?: JsonObject } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.facts = options.facts ?? {}
  }
}

/** What a `Model` throws. `facts.status` is the HTTP status and `facts.retryAfterMs` the wait the server asked for. */
export class ModelError extends TurnloopError {
  override readonly name = 'ModelError'
}

/** What a `SessionStore` throws. */
export class StorageError extends TurnloopError {
  override readonly name = 'StorageError'
}

/** What running a tool can throw; `facts.toolName` names it. */
export class ToolError extends TurnloopError {
  override readonly name = 'ToolError'
}

/** Whether a value is one of our errors, also after a trip through a worker or the log, where classes are lost. */
export function isTurnloopError(error: unknown): error is TurnloopError {
  if (typeof error !== 'object' || error === null) return false
  const { name, code, message }: { [Field in 'name' | 'code' | 'message']?: unknown } = error
  return typeof name === 'string' && OUR_NAMES.has(name) && typeof code === 'string' && typeof message === 'string'
}

const OUR_NAMES: ReadonlySet<string> = new Set([
  'TurnloopError',
  'ModelError',
  'StorageError',
  'ToolError',
  'WorkerError',
  'CheckError',
  'InputCheckError',
  'OutputCheckError',
  'StopTurn',
  'RetryModel',
])

/** Turn anything thrown into plain data for the log; `code` is used for what is not ours. */
export function toErrorRecord(error: unknown, code: TurnloopErrorCode): ErrorRecord {
  if (isTurnloopError(error)) {
    return {
      name: error.name,
      code: error.code,
      message: error.message,
      ...(error.facts && Object.keys(error.facts).length > 0 && { facts: error.facts }),
      ...causeOf(error.cause, error.message),
    }
  }
  if (error instanceof Error)
    return { name: error.name, code, message: error.message, ...causeOf(error.cause, error.message) }
  return { name: 'Error', code, message: describeThrown(error) }
}

/** The message of anything that can be thrown, never empty. Never throws itself, whatever it is given. */
export function describeThrown(error: unknown): string {
  return attempt(() => textOf(error)) ?? attempt(() => String(error)) ?? 'something that cannot be described'
}

function textOf(error: unknown): string | undefined {
  // Typed as text, and yet whatever was put there.
  if (error instanceof Error) return String(error.message || error.name)
  return typeof error === 'string' && error !== '' ? error : JSON.stringify(error)
}

function attempt(describe: () => string | undefined): string | undefined {
  try {
    return describe()
  } catch {
    return undefined
  }
}

/** An abort reason as plain data: strings stay, errors keep name and message, everything else becomes text. */
export function toReasonRecord(reason: unknown): JsonValue {
  if (reason === undefined) return 'cancelled'
  if (typeof reason === 'string' || typeof reason === 'number' || typeof reason === 'boolean') return reason
  if (reason instanceof Error) return { name: reason.name, message: reason.message }
  return describeThrown(reason)
}

function causeOf(cause: unknown, message: string): { cause?: string } {
  if (cause === undefined) return {}
  const text = describeThrown(cause)
  return message.includes(text) ? {} : { cause: text }
}
