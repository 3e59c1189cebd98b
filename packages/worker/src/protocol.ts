import type { JsonObject, JsonValue, Tool, ToolContext } from '@turnloop/core'
import type { WireThrown } from './error-wire.ts'

/**
 * The version both sides must share. Raise it when a message changes its meaning; `hello` and `ready` themselves keep
 * their shape for ever, so that any two versions can at least tell each other apart.
 *
 * One call, in order (`→` to the worker, `←` to the page):
 *
 *     to an idle worker   → call (run)   ← checked
 *     to a busy one       → call   ← checked   → start
 *     then                ← progress …   ← result | failure
 *     a streamed result   ← stream   ← chunk …   → ack …   ← result | failure
 *
 * A busy worker is asked to check first, one call at a time: its `checked` proves that its event loop still turns after
 * everything that was started there. So a call that was not told to run has certainly not run and can move to another
 * worker. A `started` message from the worker could not prove that: ending a worker throws away what it had posted.
 */
export const PROTOCOL_VERSION = 2

/** How many chunks of a streamed result may be on their way; the page acknowledges them as they are read. */
export const STREAM_WINDOW = 16

/** What a tool looks like to the page: everything of a `Tool` but its functions. */
export type ToolDescriptor = Omit<Tool, 'check' | 'execute' | 'needsApproval' | 'hooks'> & {
  readonly needsApproval?: boolean
}

/** What the page sends. */
export type ToWorker =
  /** Asks for `ready`, for workers that announced themselves before the page listened. */
  | { readonly kind: 'turnloop:hello'; readonly version: number }
  /** Check these arguments, as the model wrote them, and with `run` go on to the tool if they are good. */
  | {
      readonly kind: 'turnloop:call'
      readonly id: number
      readonly toolName: string
      readonly input: JsonObject
      readonly context: CallContext
      readonly run: boolean
    }
  /** Run a call that was `checked`. From here on its outcome is unknown until it is answered. */
  | { readonly kind: 'turnloop:start'; readonly id: number }
  /** That many more chunks have been read. */
  | { readonly kind: 'turnloop:ack'; readonly id: number; readonly count: number }
  /** Abort a call. One that was not started is forgotten without an answer. */
  | { readonly kind: 'turnloop:cancel'; readonly id: number; readonly reason: WireThrown }

/** What the worker sends. */
export type ToPage =
  /** The tools it serves: sent once by itself and once for every `hello`. */
  | { readonly kind: 'turnloop:ready'; readonly version: number; readonly tools: readonly ToolDescriptor[] }
  /** The arguments are good; the tool runs now, or waits for `start`. */
  | { readonly kind: 'turnloop:checked'; readonly id: number }
  | { readonly kind: 'turnloop:progress'; readonly id: number; readonly update: JsonValue }
  /** The result comes in chunks; the `result` that ends them carries nothing. */
  | { readonly kind: 'turnloop:stream'; readonly id: number }
  | { readonly kind: 'turnloop:chunk'; readonly id: number; readonly value: unknown }
  /** The tool's value, as structured clone leaves it. */
  | { readonly kind: 'turnloop:result'; readonly id: number; readonly value: unknown; readonly state?: State }
  /** Unknown tool, refused arguments, what the tool threw, or a value that cannot be cloned. */
  | { readonly kind: 'turnloop:failure'; readonly id: number; readonly thrown: WireThrown; readonly state?: State }

/** The session's state as the tool leaves it; only where that changed it. */
type State = ToolContext['state']

/** The part of a `ToolContext` that is data. */
export interface CallContext {
  readonly callId: string
  readonly idempotencyKey: string
  readonly turnId: string
  readonly sessionId: string | undefined
  readonly state: ToolContext['state']
  readonly metadata: JsonObject
}

/** Read a message event's data; `undefined` for what is not ours. The caller ignores kinds it does not know. */
export function readMessage<Message extends ToWorker | ToPage>(data: unknown): Message | undefined {
  // Anything may arrive here; reading one optional property of it is safe.
  const kind = (data as { kind?: unknown } | null | undefined)?.kind
  // Both sides are this package in the same version, so the kind vouches for the rest.
  return typeof kind === 'string' && kind.startsWith('turnloop:') ? (data as Message) : undefined
}
