import type { McpClientLike } from './client-like.ts'

/** One connected client. It is replaced, never mended. */
export interface ServerLink {
  readonly client: McpClientLike
  /** What the server calls itself. */
  readonly server?: { readonly name: string; readonly version: string } | undefined
  /** What the server says about how it is used. */
  readonly instructions?: string | undefined
  /** Not every server has tools. */
  readonly hasTools: boolean
  /** It says when its list of tools changes. Without it the list is asked for at each turn. */
  announcesChanges(): boolean
  /** The server waits for the person or for a model: time limits stand still. */
  isAsking(): boolean
  /** Never rejects. */
  close(): Promise<void>
}

/** What a link tells the connection that it belongs to. */
export interface LinkEvents {
  /** The server forgot the session. */
  onSessionLost(): void
  /** The connection is gone. */
  onClosed(): void
  /** The list of tools is, or may be, out of date. */
  onToolsChanged(): void
}

/** Opens a link. Rejects with `ToolError` and a reason; aborting `signal` gives up. */
export type OpenLink = (events: LinkEvents, signal: AbortSignal) => Promise<ServerLink>
