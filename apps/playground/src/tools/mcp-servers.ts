import type { ToolSource } from '@turnloop/core'
import { oauthProvider } from '@turnloop/mcp'
import { type Observable, observable } from '../app/observable.ts'
import { type ServerSettings, toolSettings } from '../settings/tool-settings.ts'
import { ServerConnection, type ServerView } from './server-connection.ts'

/** The MCP servers of the settings, connected when a turn or the settings want them. */
export interface McpServers {
  /** All their tools, for the agent. A server that is not there has none; it never keeps a turn from starting. */
  readonly source: ToolSource
  readonly views: Observable<readonly ServerView[]>
  /** Connect those that nobody has asked for yet. */
  connectIdle(): void
  /** Try one again. */
  connect(name: string): void
  /** Let the person sign in: in a click. Rejects with `facts.reason`. */
  signIn(name: string): Promise<void>
}

/** Keep a connection for each server of the settings, and let go of those that were taken out. */
export function createMcpServers(): McpServers {
  const auth = oauthProvider({ redirectUrl: new URL('signed-in.html', document.baseURI), clientName: 'Ask your data' })
  const connections = new Map<string, ServerConnection>()
  const listeners = new Set<() => void>()
  const views = observable<readonly ServerView[]>([])
  const show = (): void => views.set([...connections.values()].map(({ view }) => view))
  const tellTools = (): void => {
    for (const listener of [...listeners]) listener()
  }
  const add = (settings: ServerSettings): void => {
    const connection = new ServerConnection(settings, { auth, onChange: show, onTools: tellTools })
    connections.set(settings.name, connection)
  }
  const follow = (): void => {
    const { servers } = toolSettings.get()
    const isKept = (name: string, url: string): boolean =>
      servers.some((known) => known.name === name && known.url === url)
    for (const [name, connection] of connections) {
      if (isKept(name, connection.view.url)) continue
      connections.delete(name)
      connection.close()
    }
    for (const server of servers) if (!connections.has(server.name)) add(server)
    show()
  }
  follow()
  toolSettings.subscribe(follow)
  return {
    views,
    source: {
      async list({ signal }) {
        const { servers } = toolSettings.get()
        const lists = await Promise.all(servers.map((known) => connections.get(known.name)?.offer(known, signal) ?? []))
        return lists.flat()
      },
      subscribe(onChange) {
        // One of its own, so that the same function may be added twice.
        const own = (): void => onChange()
        listeners.add(own)
        return () => void listeners.delete(own)
      },
    },
    connectIdle() {
      for (const connection of connections.values()) if (connection.view.state.status === 'idle') connection.load()
    },
    connect: (name) => void connections.get(name)?.load(),
    signIn: async (name) => connections.get(name)?.signIn(),
  }
}
