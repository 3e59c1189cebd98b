import { hasTools, type McpClientLike, onToolsChanged } from './client-like.ts'
import { mcpError } from './mcp-error.ts'
import type { OpenLink, ServerLink } from './server-link.ts'

/** A connected client, or what makes one. */
export type McpClientTarget = McpClientLike | ((options: { signal: AbortSignal }) => Promise<McpClientLike>)

/** Open links with clients that a function makes. They are closed by us, and made anew when they are gone. */
export function openClients(make: (options: { signal: AbortSignal }) => Promise<McpClientLike>): OpenLink {
  return async (events, signal) => {
    const client = await make({ signal })
    return toLink(client, { ...events, close: async () => client.close?.() })
  }
}

/** "Open" the one client that is there. It is left open, and once it is gone, it is gone. */
export function openGiven(client: McpClientLike): OpenLink {
  let isGone = false
  return async (events) => {
    if (isGone) throw mcpError('connection-lost', 'The client was closed. Pass a function that makes one instead.')
    const gone = (event: () => void) => () => {
      isGone = true
      event()
    }
    return toLink(client, {
      onToolsChanged: events.onToolsChanged,
      onClosed: gone(events.onClosed),
      close: async () => {},
    })
  }
}

interface ClientEvents {
  onToolsChanged(): void
  onClosed(): void
  close(): Promise<void>
}

function toLink(client: McpClientLike, events: ClientEvents): ServerLink {
  const stop = onToolsChanged(client, events.onToolsChanged)
  const before = client.onclose
  let isOurs = true
  client.onclose = () => {
    before?.()
    if (isOurs) events.onClosed()
  }
  const announces = 'request' in client || client.onToolsChanged !== undefined
  const server = 'request' in client ? client.getServerVersion?.() : undefined
  return {
    client,
    ...(server !== undefined && { server: { name: server.name, version: server.version } }),
    hasTools: hasTools(client),
    announcesChanges: () => announces,
    isAsking: () => false,
    close: async () => {
      isOurs = false
      stop()
      await events.close().catch(() => {})
    },
  }
}
