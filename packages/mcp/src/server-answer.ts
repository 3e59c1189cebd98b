import type { TurnloopError } from '@turnloop/core'
import { describe, mcpError, ourErrorOf, reasonOf } from './mcp-error.ts'
import { STREAM_LOST } from './open-requests.ts'

/** An error that the server answered with, rather than something that went wrong on the way. */
export interface RpcError {
  readonly code: number
  readonly message: string
}

/** The server's own error in what a client threw, if it is one. */
export function rpcErrorOf(error: unknown): RpcError | undefined {
  if (!(error instanceof Error) || reasonOf(error) !== undefined) return undefined
  const { code, data }: Error & { code?: unknown; data?: unknown } = error
  // JSON-RPC keeps to negative numbers; clients use positive ones for HTTP statuses.
  if (typeof code !== 'number' || code >= 0 || data === STREAM_LOST || isClientsOwn(error)) return undefined
  return { code, message: error.message.replace(/^MCP error -?\d+: /, '') }
}

/** Clients use the numbers of the server for what they notice themselves, too. */
function isClientsOwn(error: Error): boolean {
  return /(^|: )(Connection closed|Request timed out|Request was cancelled)$/.test(error.message)
}

/** What a client of any make threw, as an error with a reason. */
export function toServerError(error: unknown, label: string): TurnloopError {
  const ours = ourErrorOf(error)
  if (ours !== undefined) return ours
  const answer = rpcErrorOf(error)
  if (answer !== undefined) {
    return mcpError('refused', `${label} answered with an error: ${answer.message}`, {
      cause: error,
      facts: { rpcCode: answer.code },
    })
  }
  const status = statusOf(error)
  if (status === 404) return mcpError('session-lost', `${label} does not know this session any more.`, { cause: error })
  if (status === 401) return mcpError('needs-auth', `${label} wants a sign-in (401).`, { cause: error })
  if (status !== undefined) {
    return mcpError('refused', `${label} answered ${status}: ${describe(error)}`, { cause: error, facts: { status } })
  }
  return mcpError('connection-lost', `${label}: the connection broke before the answer came (${describe(error)}).`, {
    cause: error,
  })
}

/** The HTTP status in an error of the official clients. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, status }: Error & { code?: unknown; status?: unknown } = error
  return [status, code].find((value): value is number => typeof value === 'number' && value >= 400 && value < 600)
}
