import type { CallToolResult, Clock, JsonObject, ToolError, TurnloopError } from '@turnloop/core'
import { abortable, onAbort } from './abortable.ts'
import { callTool, type McpProgress, NEVER_MS } from './client-like.ts'
import type { Connection } from './connection.ts'
import { mcpError, reasonOf } from './mcp-error.ts'
import { errorResult, type ResultSource, readResult } from './remote-result.ts'
import type { McpToolDetails, RemoteCall } from './remote-tool.ts'
import { rpcErrorOf, toServerError } from './server-answer.ts'
import type { ServerLink } from './server-link.ts'

/** What calls run with. */
export interface CallRemoteOptions {
  readonly connection: Connection
  readonly callTimeoutMs: number
  readonly clock: Clock
}

/**
 * Run one call on the server.
 *
 * Its progress goes to the call's context and starts the time limit anew. Stop and the time limit are told to the server.
 * If the server has forgotten the session, the call runs once more on a new one, unless it is unsafe.
 * Rejects with `ToolError`; `facts.outcomeUnknown` says that it was sent and may have taken effect.
 */
export async function callRemote(
  details: McpToolDetails,
  call: RemoteCall,
  options: CallRemoteOptions,
): Promise<CallToolResult> {
  const { connection } = options
  const { signal } = call.context
  for (let attempt = 1; ; attempt += 1) {
    let isSent = false
    try {
      const result = await connection.use(signal, (link) => {
        isSent = true
        return request(link, { details, call, options })
      })
      return readResult(result, sourceOf(connection, details))
    } catch (error) {
      const answer = rpcErrorOf(error)
      if (answer !== undefined) return errorResult(answer.message, sourceOf(connection, details))
      const isLost = reasonOf(toServerError(error, connection.label)) === 'session-lost'
      const mayRepeat = isLost && attempt === 1 && call.effect !== 'unsafe'
      if (mayRepeat && !signal.aborted) continue
      throw toCallError(error, { details, call, options, isSent })
    }
  }
}

function sourceOf(connection: Connection, { name }: McpToolDetails): ResultSource {
  return { server: connection.origin, tool: name }
}

interface OneCall {
  readonly details: McpToolDetails
  readonly call: RemoteCall
  readonly options: CallRemoteOptions
}

async function request(link: ServerLink, { details, call, options }: OneCall): Promise<unknown> {
  const { clock, callTimeoutMs, connection } = options
  const { context, input } = call
  const controller = new AbortController()
  // A signal of this call alone: the SDK listens to what it is given for ever, and cancels what is long over.
  const stopListening = onAbort(context.signal, () => controller.abort(context.signal.reason))
  let stopTimer = (): void => {}
  const startTimer = (): void => {
    stopTimer()
    stopTimer = clock.setTimer(() => {
      if (link.isAsking()) return startTimer()
      controller.abort(
        mcpError('timed-out', `${connection.label} did not answer within ${callTimeoutMs} ms, nor show progress.`, {
          code: 'tool-timed-out',
          facts: { timeoutMs: callTimeoutMs },
        }),
      )
    }, callTimeoutMs)
  }
  const onprogress = (progress: McpProgress): void => {
    startTimer()
    context.progress(plainProgress(progress))
  }
  try {
    startTimer()
    const answer = callTool(
      link.client,
      { name: details.name, arguments: input },
      { signal: controller.signal, onprogress, timeout: NEVER_MS },
    )
    return await abortable(answer, controller.signal)
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    stopTimer()
    stopListening()
  }
}

function plainProgress({ progress, total, message }: McpProgress): JsonObject {
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
}

function toCallError(error: unknown, { details, call, options, isSent }: OneCall & { isSent: boolean }): ToolError {
  const isStopped = call.context.signal.aborted && error === call.context.signal.reason
  const known = isStopped
    ? mcpError('connection-lost', `${details.toolName} was stopped.`)
    : toServerError(error, options.connection.label)
  const isInDoubt = isSent && call.effect !== 'read' && mayHaveRun(known)
  const fate = isInDoubt ? ' It may or may not have taken effect.' : isSent ? '' : ' The call was not run.'
  return mcpError(reasonOf(known) ?? 'connection-lost', known.message + fate, {
    code: known.code,
    cause: known.cause,
    facts: { ...known.facts, toolName: details.toolName, ...(isInDoubt && { outcomeUnknown: true }) },
  })
}

/** A server that refuses a request has not run it, unless it fell over while it did. */
function mayHaveRun(error: TurnloopError): boolean {
  const reason = reasonOf(error)
  if (reason === 'refused') return Number(error.facts.status) >= 500
  return reason === 'connection-lost' || reason === 'timed-out'
}
