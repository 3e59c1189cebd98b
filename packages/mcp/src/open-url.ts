import type { Clock } from '@turnloop/core'
import { hasTools, onToolsChanged } from './client-like.ts'
import type { McpPageHandlers } from './elicitation.ts'
import { explainStatus } from './explain-failure.ts'
import type { Fetch } from './fetch.ts'
import { mcpError, ourErrorOf, reasonOf } from './mcp-error.ts'
import { OpenRequests } from './open-requests.ts'
import { PageFetch } from './page-fetch.ts'
import type { LinkEvents, OpenLink, ServerLink } from './server-link.ts'

/** How a server is reached by its URL. */
export interface OpenUrlOptions {
  readonly url: URL
  /** With credentials, if there are any. */
  readonly fetch: Fetch
  readonly transport: 'auto' | 'http' | 'sse'
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly handlers: McpPageHandlers
  readonly clock: Clock
}

/** Open links to a URL: Streamable HTTP, and the older HTTP with SSE where the server does not know it. */
export function openUrl(options: OpenUrlOptions): OpenLink {
  let transport = options.transport
  return async (events, signal) => {
    if (transport === 'sse') return openSse(options, events, signal)
    try {
      const link = await openHttp(options, events, signal)
      transport = 'http'
      return link
    } catch (error) {
      if (transport !== 'auto' || !isOlderServer(error)) throw error
      const link = await openSse(options, events, signal).catch(() => {
        // What the newer way said is the better answer.
        throw error
      })
      transport = 'sse'
      return link
    }
  }
}

/** How servers answer to `initialize` that do not know Streamable HTTP. */
function isOlderServer(error: unknown): boolean {
  return reasonOf(error) === 'refused' && OLDER.has(Number(ourErrorOf(error)?.facts.status))
}

const OLDER: ReadonlySet<number> = new Set([400, 404, 405, 406, 410, 415, 501])

async function openHttp(options: OpenUrlOptions, events: LinkEvents, signal: AbortSignal): Promise<ServerLink> {
  const { url, fetch, clock, clientInfo, handlers } = options
  const requests = new OpenRequests(clock)
  const page = new PageFetch({
    url,
    fetch,
    requests,
    clock,
    onSessionLost: events.onSessionLost,
    onNoticesMissed: events.onToolsChanged,
  })
  const { connectSdk } = await import('./sdk.ts')
  const connecting = connectSdk({ url, fetch: page.fetch, transport: 'http', clientInfo, handlers, requests, signal })
  const connection = await connecting.catch(explainConnect(url))
  return toLink(connection, events, () => !connection.announcesChanges || page.canNotify)
}

async function openSse(options: OpenUrlOptions, events: LinkEvents, signal: AbortSignal): Promise<ServerLink> {
  const { url, clock, clientInfo, handlers } = options
  const fetch: Fetch = async (target, init) => {
    const response = await options.fetch(target, init)
    if (init?.method !== 'POST' || response.ok) return response
    const { status } = response
    if (status !== 404) throw explainStatus({ url, status, text: await response.text(), isHiddenSession: false })
    events.onSessionLost()
    throw mcpError('session-lost', `The MCP server ${url.href} does not know this session any more.`)
  }
  const { connectSdk } = await import('./sdk.ts')
  const requests = new OpenRequests(clock)
  const connecting = connectSdk({ url, fetch, transport: 'sse', clientInfo, handlers, requests, signal })
  const connection = await connecting.catch(explainConnect(url))
  return toLink(connection, events, () => true)
}

type SdkConnection = Awaited<ReturnType<typeof import('./sdk.ts').connectSdk>>

function toLink(connection: SdkConnection, events: LinkEvents, announcesChanges: () => boolean): ServerLink {
  const { client, server, instructions } = connection
  onToolsChanged(client, events.onToolsChanged)
  connection.onEnd(events.onClosed)
  return {
    client,
    server,
    instructions,
    hasTools: hasTools(client),
    announcesChanges,
    isAsking: connection.isAsking,
    close: async () => {
      connection.onEnd(() => {})
      await connection.close().catch(() => {})
    },
  }
}

/** What is no error of ours yet did answer, but not as an MCP server does. */
function explainConnect(url: URL): (error: unknown) => never {
  return (error) => {
    const ours = ourErrorOf(error)
    if (ours !== undefined) throw ours
    const text = error instanceof Error ? error.message : String(error)
    throw mcpError('not-mcp', `${url.href} does not answer as an MCP server does: ${text}`, {
      cause: error,
      facts: { url: url.href },
    })
  }
}
