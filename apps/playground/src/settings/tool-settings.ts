import { keptSettings } from '../app/kept-settings.ts'
import type { Observable } from '../app/observable.ts'
import { isRecord } from '../data/is-record.ts'
import { nameFor, readAddress } from './server-address.ts'

/** Whether a tool of a server runs: always, once the person has allowed it, or never. */
export type Permission = 'always' | 'ask' | 'never'

/** An MCP server as it was added. */
export interface ServerSettings {
  /** What the page calls it, in its tools' names too: letters, digits and `-`. */
  readonly name: string
  readonly url: string
  /** By the server's own name of a tool; only what somebody chose. */
  readonly permissions: Readonly<Record<string, Permission>>
}

/** Tools from elsewhere, and for elsewhere. */
export interface ToolSettings {
  readonly servers: readonly ServerSettings[]
  /** Offer the page's tools to the agent of the browser, by WebMCP. */
  readonly offersTools: boolean
}

/** The tool settings of this page. Another tab of it hears of a change. Sign-ins are not in them. */
export const toolSettings: Observable<ToolSettings> = keptSettings('ask-your-data/tools', {
  read: toToolSettings,
  isShared: true,
})

/** Change some of the tool settings. */
export function setToolSettings(changes: Partial<ToolSettings>): void {
  toolSettings.set({ ...toolSettings.get(), ...changes })
}

/** Choose when a tool of a server runs. It holds from the next turn on. */
export function setPermission(server: string, tool: string, permission: Permission): void {
  const servers = toolSettings
    .get()
    .servers.map((known) =>
      known.name === server ? { ...known, permissions: { ...known.permissions, [tool]: permission } } : known,
    )
  setToolSettings({ servers })
}

/** Take a server out. */
export function removeServer(server: string): void {
  setToolSettings({ servers: toolSettings.get().servers.filter(({ name }) => name !== server) })
}

/** How names of the page's own tools begin: a server of that name could have one of the same. */
const OWN_BEGINNINGS = ['describe', 'query', 'draw', 'slow', 'fail', 'save', 'find', 'export', 'ask', 'run']

/** Add a server; what is wrong with the address, in words, where it cannot be one. */
export function addServer(address: string): string | undefined {
  const { servers } = toolSettings.get()
  const url = readAddress(address)
  if (typeof url === 'string') return url
  if (servers.some((known) => known.url === url.href)) return 'This server is in the list already.'
  const name = nameFor(url, new Set([...OWN_BEGINNINGS, ...servers.map((known) => known.name)]))
  setToolSettings({ servers: [...servers, { name, url: url.href, permissions: {} }] })
  return undefined
}

function toToolSettings({ servers, offersTools }: Readonly<Record<string, unknown>>): ToolSettings {
  return { servers: Array.isArray(servers) ? servers.filter(isServer) : [], offersTools: offersTools === true }
}

function isServer(value: unknown): value is ServerSettings {
  if (!isRecord(value)) return false
  const { name, url, permissions } = value
  return typeof name === 'string' && typeof url === 'string' && URL.canParse(url) && isRecord(permissions)
}
