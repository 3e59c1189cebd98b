import { isTurnloopError, type JsonObject, ToolError, type TurnloopError, type TurnloopErrorCode } from '@turnloop/core'

/**
 * Why an MCP server could not be used; stands in `facts.reason` of what is thrown and in the state of the source.
 *
 * `unreachable`: no answer, by a server that is down, a network or a policy of this page. `cors`: the server answers, but
 * its CORS headers keep this page out; `facts.header` names what is missing. `needs-auth`: somebody has to sign in.
 * `sign-in-denied`, `sign-in-expired`, `popup-blocked`: what became of that. `refused`: it answered with an error status,
 * `facts.status`. `not-mcp`: what it answered is no MCP. `session-lost`: it forgot the session. `connection-lost`: the
 * connection broke before the answer came. `timed-out`, `disposed`: as they say.
 */
export type McpFailureReason =
  | 'unreachable'
  | 'cors'
  | 'needs-auth'
  | 'sign-in-denied'
  | 'sign-in-expired'
  | 'popup-blocked'
  | 'refused'
  | 'not-mcp'
  | 'session-lost'
  | 'connection-lost'
  | 'timed-out'
  | 'disposed'

/** What an error of this package knows beside its reason. */
export interface McpFailureDetails {
  /** Default `tool-failed`. */
  readonly code?: TurnloopErrorCode
  readonly cause?: unknown
  readonly facts?: JsonObject
}

/** An error about an MCP server, with `facts.reason`. */
export function mcpError(reason: McpFailureReason, message: string, details: McpFailureDetails = {}): ToolError {
  const { code = 'tool-failed', cause, facts } = details
  return new ToolError(code, message, { cause, facts: { ...facts, reason } })
}

/** The error of this package in what was thrown, or in what caused it; `undefined` for an error of anybody else. */
export function ourErrorOf(error: unknown): TurnloopError | undefined {
  if (isTurnloopError(error) && REASONS.has(String(error.facts?.reason))) return error
  return error instanceof Error && error.cause !== undefined ? ourErrorOf(error.cause) : undefined
}

/** The reason in an error of this package. */
export function reasonOf(error: unknown): McpFailureReason | undefined {
  // A member of the set, which is the union.
  return ourErrorOf(error)?.facts.reason as McpFailureReason | undefined
}

const REASONS: ReadonlySet<string> = new Set<McpFailureReason>([
  'unreachable',
  'cors',
  'needs-auth',
  'sign-in-denied',
  'sign-in-expired',
  'popup-blocked',
  'refused',
  'not-mcp',
  'session-lost',
  'connection-lost',
  'timed-out',
  'disposed',
])

/** The text of anything thrown. */
export function describe(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
