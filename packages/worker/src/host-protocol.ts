import type { WireThrown } from './error-wire.ts'

/**
 * The version both sides must share. It is about who is there: what is said in a session goes over the store's channel. `hello`
 * and `ready` keep their shape for ever.
 */
export const HOST_VERSION = 1

/** What a page sends to the worker that drives for it. */
export type ToHost =
  /** Asks for `ready`. `life` is the lock that the page holds for as long as it lives. */
  | { readonly kind: 'turnloop-host:hello'; readonly version: number; readonly life: string }
  /** The page shows a session; `page` is what it calls itself there. */
  | { readonly kind: 'turnloop-host:open'; readonly sessionId: string; readonly page: string }
  | { readonly kind: 'turnloop-host:leave'; readonly sessionId: string; readonly page: string }
  /** Asks for `pong`, because nothing else is answered. */
  | { readonly kind: 'turnloop-host:ping' }

/** What the worker sends. */
export type FromHost =
  /** Sent once by itself and once for every `hello`. `life` is the lock that the worker holds for as long as it lives. */
  | { readonly kind: 'turnloop-host:ready'; readonly version: number; readonly life: string }
  /** The session has been loaded here. */
  | { readonly kind: 'turnloop-host:opened'; readonly sessionId: string; readonly page: string }
  | { readonly kind: 'turnloop-host:refused'; readonly sessionId: string; readonly thrown: WireThrown }
  | { readonly kind: 'turnloop-host:pong' }

/** Read a message event's data; `undefined` for what is not ours. The caller ignores kinds it does not know. */
export function readHostMessage<Message extends ToHost | FromHost>(data: unknown): Message | undefined {
  // Anything may arrive here; reading one optional property of it is safe.
  const kind = (data as { kind?: unknown } | null | undefined)?.kind
  // Both sides are this package in the same version, so the kind vouches for the rest.
  return typeof kind === 'string' && kind.startsWith('turnloop-host:') ? (data as Message) : undefined
}
