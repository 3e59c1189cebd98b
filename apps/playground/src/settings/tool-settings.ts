import { type Observable, observable } from '../app/observable.ts'

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

const KEY = 'ask-your-data/tools'

/** The tool settings of this page. Another tab of it hears of a change. Sign-ins are not in them. */
export const toolSettings: Observable<ToolSettings> = createToolSettings()

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

/** Add a server; what is wrong with the address, in words, where it cannot be one. */
export function addServer(address: string): string | undefined {
  const { servers } = toolSettings.get()
  const url = readAddress(address)
  if (typeof url === 'string') return url
  if (servers.some((known) => known.url === url.href)) return 'This server is in the list already.'
  const name = nameFor(url, new Set(servers.map((known) => known.name)))
  setToolSettings({ servers: [...servers, { name, url: url.href, permissions: {} }] })
  return undefined
}

function readAddress(address: string): URL | string {
  const text = address.trim()
  const isBare = /^[\w.-]+(:\d+)?(\/|$)/.test(text) && !/^https?:/i.test(text)
  const url = isBare ? `${/^(localhost|127\.)/.test(text) ? 'http' : 'https'}://${text}` : text
  if (!URL.canParse(url) || !/^https?:\/\/./i.test(url))
    return 'That is no web address. It looks like https://example.org/mcp.'
  const parsed = new URL(url)
  // It would be stored with the address, and shown with it.
  if (parsed.username !== '' || parsed.password !== '') return 'Leave the user and the password out of the address.'
  parsed.hash = ''
  return parsed
}

/** "deepwiki" for mcp.deepwiki.com, "localhost-3001" for a server of this machine; with a number where that is taken. */
function nameFor({ hostname, port }: URL, taken: ReadonlySet<string>): string {
  const labels = hostname.split('.').filter((label) => !/^(mcp|www|api)$/.test(label))
  const isName = /[a-z]/i.test(labels.at(-1) ?? '')
  const host = isName ? (labels.at(-2) ?? labels[0] ?? 'server') : hostname
  const plain = [host, port]
    .join('-')
    .replace(/[^a-z\d]+/gi, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 24)
  let name = plain || 'server'
  for (let count = 2; taken.has(name); count += 1) name = `${plain}-${count}`
  return name
}

function createToolSettings(): Observable<ToolSettings> {
  const settings = observable(readSettings())
  settings.subscribe(() => {
    const text = JSON.stringify(settings.get())
    try {
      if (localStorage.getItem(KEY) !== text) localStorage.setItem(KEY, text)
    } catch {
      // Storage may be off or full. The choice then holds until the page is closed.
    }
  })
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) settings.set(readSettings())
  })
  return settings
}

function readSettings(): ToolSettings {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    // What was stored is an object by our own hand; anything else reads as nothing chosen.
    const stored = (typeof value === 'object' && value !== null ? value : {}) as Partial<ToolSettings>
    const servers = Array.isArray(stored.servers) ? stored.servers.filter(isServer) : []
    return { servers, offersTools: stored.offersTools === true }
  } catch {
    return { servers: [], offersTools: false }
  }
}

function isServer(value: Partial<ServerSettings> | null): value is ServerSettings {
  return (
    typeof value === 'object' &&
    typeof value?.name === 'string' &&
    typeof value.url === 'string' &&
    URL.canParse(value.url) &&
    typeof value.permissions === 'object' &&
    value.permissions !== null
  )
}
