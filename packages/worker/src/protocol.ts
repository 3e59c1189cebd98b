import type { JsonObject, JsonValue, Tool } from '@turnloop/core'
import type { WireThrown } from './error-wire.ts'

/**
 * The version both sides must share. Raise it when a message changes its meaning; `hello` and `ready` themselves keep
 * their shape for ever, so that any two versions can at least tell each other apart.
 *
 * One call, in order (`→` to the worker, `←` to the page):
 *
 *     → call   ← checked   → start → ping   ← pong   ← progress …   ← result | failure
 *
 * A call runs only after `start`, and starts are sent one at a time: the next after `pong`, which proves that the
 * worker's event loop still turns. So a call whose `start` was not posted has certainly not run and can move to another
 * worker. A `started` message from the worker could not prove that: ending a worker throws away what it had posted.
 */
export const PROTOCOL_VERSION = 1

/** What a tool looks like to the page: everything of a `Tool` but its functions. */
export type ToolDescriptor = Omit<Tool, 'check' | 'execute' | 'needsApproval'> & { readonly needsApproval?: boolean }

/** What the page sends. */
export type ToWorker =
  /** Asks for `ready`, for workers that announced themselves before the page listened. */
  | { readonly kind: 'turnloop:hello'; readonly version: number }
  /** Check these arguments, as the model wrote them; answered by `checked` or `failure`. */
  | {
      readonly kind: 'turnloop:call'
      readonly id: number
      readonly toolName: string
      readonly input: JsonObject
      readonly context: CallContext
    }
  /** Run a call that was `checked`. From here on its outcome is unknown until it is answered. */
  | { readonly kind: 'turnloop:start'; readonly id: number }
  /** Answered by `pong` as soon as the worker is back in its event loop. */
  | { readonly kind: 'turnloop:ping'; readonly id: number }
  /** Abort a call. One that was not started is forgotten without an answer. */
  | { readonly kind: 'turnloop:cancel'; readonly id: number; readonly reason: WireThrown }

/** What the worker sends. */
export type ToPage =
  /** The tools it serves: sent once by itself and once for every `hello`. */
  | { readonly kind: 'turnloop:ready'; readonly version: number; readonly tools: readonly ToolDescriptor[] }
  /** The arguments are good; the call waits for `start`. */
  | { readonly kind: 'turnloop:checked'; readonly id: number }
  | { readonly kind: 'turnloop:pong'; readonly id: number }
  | { readonly kind: 'turnloop:progress'; readonly id: number; readonly update: JsonValue }
  /** The tool's value, as structured clone leaves it. */
  | { readonly kind: 'turnloop:result'; readonly id: number; readonly value: unknown }
  /** Unknown tool, refused arguments, what the tool threw, or a value that cannot be cloned. */
  | { readonly kind: 'turnloop:failure'; readonly id: number; readonly thrown: WireThrown }

/** The part of a `ToolContext` that is data. */
export interface CallContext {
  readonly callId: string
  readonly idempotencyKey: string
  readonly turnId: string
  readonly sessionId: string | undefined
}

/** Read a message event's data; `undefined` for what is not ours. The caller ignores kinds it does not know. */
export function readMessage<Message extends ToWorker | ToPage>(data: unknown): Message | undefined {
  // Anything may arrive here; reading one optional property of it is safe.
  const kind = (data as { kind?: unknown } | null | undefined)?.kind
  // Both sides are this package in the same version, so the kind vouches for the rest.
  return typeof kind === 'string' && kind.startsWith('turnloop:') ? (data as Message) : undefined
}
