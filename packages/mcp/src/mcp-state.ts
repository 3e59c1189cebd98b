import type { McpFailureReason } from './mcp-error.ts'

/**
 * How a source stands with its server; a new object for each change.
 *
 * `idle`: nothing has asked for it yet. `connecting`: for the first time. `ready`. `reconnecting`: after it had been
 * ready. `needs-auth`: somebody has to sign in, through `signIn()`. `failed`: the next use tries again. `closed`: by
 * `dispose()`, for good.
 */
export interface McpState {
  readonly status: 'idle' | 'connecting' | 'ready' | 'needs-auth' | 'reconnecting' | 'failed' | 'closed'
  /** Why it is `needs-auth` or `failed`. */
  readonly reason?: McpFailureReason
  /** The same in words, for a developer. */
  readonly message?: string
  /** Where to sign in, for a link if the popup was blocked. Only once it is known. */
  readonly signInUrl?: string
  /** What the server calls itself, from `ready` on. */
  readonly server?: { readonly name: string; readonly version: string }
  /** What the server says about how it is used. Not to be trusted more than the server is. */
  readonly instructions?: string
}
