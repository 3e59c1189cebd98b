import { isTurnloopError, type JsonObject, TurnloopError, type TurnloopErrorCode } from '@turnloop/core'

/** Something thrown, or the reason of an abort, as plain data. */
export type WireThrown = { readonly error: WireError } | { readonly value: Primitive }

type Primitive = string | number | boolean | null | undefined

/** An error as plain data; structured clone alone would lose its name, code and facts. */
export interface WireError {
  readonly name: string
  readonly message: string
  readonly stack?: string
  /** Only of our own errors. */
  readonly code?: TurnloopErrorCode
  readonly facts?: JsonObject
  readonly cause?: WireThrown
}

/** Turn anything thrown into plain data that can always be posted. Objects that are no errors become their JSON. */
export function toWire(thrown: unknown, depth = 0): WireThrown {
  if (isPrimitive(thrown)) return { value: thrown }
  if (typeof thrown !== 'object' || thrown === null) return { value: String(thrown) }
  // Any object may pose as an error; each field is checked before it is used.
  const { name, message, stack, cause }: Partial<Record<keyof Error, unknown>> = thrown
  if (typeof message !== 'string') return { value: toText(thrown) }
  return {
    error: {
      name: typeof name === 'string' ? name : 'Error',
      message,
      ...(typeof stack === 'string' && { stack }),
      ...(isTurnloopError(thrown) && { code: thrown.code, facts: plainFacts(thrown.facts) }),
      // A cause may lead back to its error.
      ...(cause !== undefined && depth < DEEPEST_CAUSE && { cause: toWire(cause, depth + 1) }),
    },
  }
}

/** The reason of an abort as plain data: the name and message of an error, else its text; all a tool needs to stop. */
export function reasonToWire(reason: unknown): WireThrown {
  if (reason instanceof Error) return { error: { name: reason.name, message: reason.message } }
  return { value: String(reason) }
}

/** Make an error again: name, message, stack, cause, and `code` and `facts` of ours. `isTurnloopError` knows it. */
export function fromWire(thrown: WireThrown): unknown {
  if (!('error' in thrown)) return thrown.value
  const { name, message, stack, code, facts, cause } = thrown.error
  const options = cause === undefined ? {} : { cause: fromWire(cause) }
  const error =
    code === undefined
      ? new Error(message, options)
      : new TurnloopError(code, message, { ...options, facts: facts ?? {} })
  return Object.assign(error, { name, stack: stack ?? error.stack })
}

/** Whether clone carries a value as it is. `null` counts; functions and symbols do not. */
function isPrimitive(value: unknown): value is Primitive {
  return value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value)
}

const DEEPEST_CAUSE = 4

function plainFacts(facts: JsonObject): JsonObject {
  try {
    return structuredClone(facts) ?? {}
  } catch {
    return {}
  }
}

function toText(value: object): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
