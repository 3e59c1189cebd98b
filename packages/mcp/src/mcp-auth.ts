import type { Fetch } from './fetch.ts'

/** How to sign in at servers: the option `auth` of `mcpTools`. Made by `oauthProvider()`; one serves many servers. */
export interface McpAuth {
  /** What is kept for one server; the same for every source. `fetch` is what requests are sent with. */
  forServer(url: URL, fetch: Fetch): ServerAuth
}

/** The sign-in at one server. */
export interface ServerAuth {
  /** As `fetch`, with the access token. Rejects with `ToolError` and the reason `needs-auth` where there is none. */
  readonly fetch: Fetch
  /** Where to sign in, once that is known. */
  readonly signInUrl: string | undefined
  /** Let the person sign in. Opens the window before it returns. */
  signIn(signal: AbortSignal): Promise<void>
}
