import { type JsonObject, type ToolContext, ToolError } from '@turnloop/core'
import type { ToWorker } from './protocol.ts'

/** One call as the page keeps it, on whichever worker it is. */
export interface HostedCall {
  readonly toolName: string
  readonly input: JsonObject
  readonly context: ToolContext
  /** `start` was posted: now only an answer tells what happened. Until then the call can move to a new worker. */
  started: boolean
  /** A worker crashed before this call could start. */
  crashed: boolean
  /** Takes back the grace timer. */
  stopGrace?: () => void
  /** Stop listening to the call's signal. */
  readonly release: () => void
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** The message that asks a worker to check a call. Only the data of its context is sent. */
export function callMessage(id: number, { toolName, input, context }: HostedCall): ToWorker {
  const { callId, idempotencyKey, turnId, sessionId } = context
  return { kind: 'turnloop:call', id, toolName, input, context: { callId, idempotencyKey, turnId, sessionId } }
}

/** The error of arguments that hold something other than data; the cause says what. */
export function inputNotCloneable({ toolName }: HostedCall, cause: unknown): ToolError {
  const message = `The arguments of ${toolName} cannot be copied to its worker: ${String(cause)}`
  return new ToolError('not-cloneable', message, { cause, facts: { toolName } })
}
