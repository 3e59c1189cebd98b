import type { JsonObject } from '@turnloop/core'

/** Progress of a call, as the server tells it. */
export interface McpProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** How a request is made. */
export interface McpRequestOptions {
  /** Aborting it tells the server: `notifications/cancelled`. */
  signal?: AbortSignal
  /** Longer than any limit of ours, which is kept here. In ms. */
  timeout?: number
  onprogress?(progress: McpProgress): void
}

/** One request as it goes over the wire, without its id. */
export interface McpRequest {
  method: string
  params?: { [key: string]: unknown }
}

/**
 * A connected client with the `request` of the official packages: `Client` of `@modelcontextprotocol/sdk` and of
 * `@modelcontextprotocol/client` fit as they are.
 *
 * A handler of its own for `notifications/tools/list_changed` is replaced; the rest of the client is left alone.
 */
export interface McpSdkClient {
  request(request: McpRequest, resultSchema: never, options?: McpRequestOptions): Promise<unknown>
  setNotificationHandler(method: never, handler: never): void
  getServerVersion?(): { name: string; version: string } | undefined
  getServerCapabilities?(): { tools?: object | undefined } | undefined
  close(): Promise<void>
  onclose?: (() => void) | undefined
}

/** The least that a client of your own has to have. */
export interface McpPlainClient {
  listTools(
    params: { cursor?: string },
    options: McpRequestOptions,
  ): Promise<{ tools: readonly unknown[]; nextCursor?: string | undefined }>
  callTool(params: McpCall, options: McpRequestOptions): Promise<unknown>
  /** Calls back when the list is out of date; returns the way to stop that. */
  onToolsChanged?(listener: () => void): () => void
  close?(): Promise<void>
  onclose?: (() => void) | undefined
}

/** Any client that can list and call tools. */
export type McpClientLike = McpSdkClient | McpPlainClient

/** What is asked of a tool. */
export interface McpCall {
  name: string
  arguments: JsonObject
}

/** The limit that clients are given of their own: none. */
export const NEVER_MS: number = 2 ** 31 - 1

/** Whether the server has tools at all, as far as the client knows. */
export function hasTools(client: McpClientLike): boolean {
  const capabilities = 'request' in client ? client.getServerCapabilities?.() : undefined
  return capabilities === undefined || capabilities.tools !== undefined
}

/** Ask for one page of the list. Whatever comes is handed on: one bad tool must not cost the others. */
export async function listPage(
  client: McpClientLike,
  cursor: string | undefined,
  options: McpRequestOptions,
): Promise<unknown> {
  const params = cursor === undefined ? {} : { cursor }
  return 'request' in client
    ? client.request({ method: 'tools/list', params }, AS_IT_IS, options)
    : client.listTools(params, options)
}

/** Call a tool, by the server's name for it. The result is handed on as it is. */
export async function callTool(client: McpClientLike, call: McpCall, options: McpRequestOptions): Promise<unknown> {
  return 'request' in client
    ? client.request({ method: 'tools/call', params: { ...call } }, AS_IT_IS, options)
    : client.callTool(call, options)
}

/** Hear of `list_changed`; returns the way to stop that. */
export function onToolsChanged(client: McpClientLike, listener: () => void): () => void {
  if (!('request' in client)) return client.onToolsChanged?.(listener) ?? (() => {})
  let hear = listener
  setHandler(client, () => hear())
  return () => {
    hear = () => {}
  }
}

const LIST_CHANGED = 'notifications/tools/list_changed'

/** Version 2 takes the name of a method, version 1 a schema that has it; each throws on the other's. */
function setHandler(client: McpSdkClient, handler: () => void): void {
  // The two versions share no type for what is handed over.
  const set = client.setNotificationHandler.bind(client) as (method: unknown, handler: () => void) => void
  try {
    set(LIST_CHANGED, handler)
  } catch {
    set({ ...AS_IT_IS_V1, shape: { method: { value: LIST_CHANGED } } }, handler)
  }
}

const AS_IT_IS_V1 = {
  safeParse: (data: unknown): { success: true; data: unknown } => ({ success: true, data }),
}

/**
 * A schema that takes everything, in the form of both versions. Their own schemas refuse a whole list, or a whole
 * result, for one member that they do not know.
 */
const AS_IT_IS = {
  ...AS_IT_IS_V1,
  '~standard': { version: 1, vendor: 'turnloop', validate: (value: unknown): { value: unknown } => ({ value }) },
  // Typed by the packages with their own schema types, of which this has what they use.
} as never
