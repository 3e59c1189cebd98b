import type { Tool } from '@turnloop/core'
import { type LeftOutTool, type McpAuth, type McpState, type McpToolSource, mcpTools } from '@turnloop/mcp'
import type { Permission, ServerSettings } from '../settings/tool-settings.ts'

/** A tool of a server, as the settings show it. */
export interface ServerTool {
  /** What the model calls it. */
  readonly toolName: string
  /** The server's own name for it. */
  readonly name: string
  readonly title?: string
  readonly description: string
  /** The server says that it changes nothing. */
  readonly readsOnly: boolean
}

/** How it stands with one server. */
export interface ServerView {
  readonly name: string
  readonly url: string
  readonly state: McpState
  /** Of the last list; absent until there was one. */
  readonly tools?: readonly ServerTool[]
  readonly leftOut: readonly LeftOutTool[]
}

/** Where nothing was chosen: what only reads may run, everything else asks. */
export function permissionOf({ permissions }: ServerSettings, { name, readsOnly }: ServerTool): Permission {
  return permissions[name] ?? (readsOnly ? 'always' : 'ask')
}

/** How long a turn waits for a server that is being connected. One that comes later joins at the next step. */
const PATIENCE_MS = 3_000

/** The connection to one server: what it offers, and how it stands. It never throws. */
export class ServerConnection {
  readonly #source: McpToolSource
  readonly #onChange: () => void
  readonly #onTools: () => void
  readonly #wrapped = new WeakMap<Tool, Tool>()
  #tools: readonly Tool[] | undefined
  #view: ServerView

  constructor(
    { name, url }: ServerSettings,
    { auth, onChange, onTools }: { auth: McpAuth; onChange(): void; onTools(): void },
  ) {
    this.#source = mcpTools({ url }, { auth, prefix: `${name}_`, callTimeoutMs: 120_000 })
    this.#onChange = onChange
    this.#onTools = onTools
    this.#view = { name, url, state: this.#source.getState(), leftOut: [] }
    this.#source.subscribeState(() => this.#show())
    this.#source.subscribe(onTools)
  }

  get view(): ServerView {
    return this.#view
  }

  /** The tools for a turn, by what is allowed now. Of a server that is not there: none, and it is tried again behind. */
  async offer(settings: ServerSettings, signal: AbortSignal): Promise<readonly Tool[]> {
    const { status } = this.#source.getState()
    const loading = this.load(signal)
    const isAway = status === 'failed' || status === 'needs-auth'
    const tools = await Promise.race([loading, after(isAway ? 0 : PATIENCE_MS, signal)])
    if (tools === undefined) {
      loading.then((late) => {
        if (late !== undefined) this.#onTools()
      })
      return []
    }
    return tools.flatMap((tool) => {
      const shown = this.#view.tools?.find(({ toolName }) => toolName === tool.name)
      const permission = shown === undefined ? 'ask' : permissionOf(settings, shown)
      if (permission === 'never') return []
      return permission === 'ask' ? this.#asking(tool) : tool
    })
  }

  /** Connect and list. `undefined` where that fails; the view says why. */
  async load(signal: AbortSignal = new AbortController().signal): Promise<readonly Tool[] | undefined> {
    try {
      this.#tools = await this.#source.list({ signal })
      this.#show()
      return this.#tools
    } catch {
      return undefined
    }
  }

  /** In a click: it opens a window. */
  async signIn(): Promise<void> {
    await this.#source.signIn()
    if ((await this.load()) !== undefined) this.#onTools()
  }

  /** Let go of the server. */
  close(): void {
    // Nobody waits for the server to have heard of it.
    this.#source.dispose().catch(() => {})
  }

  #show(): void {
    const { name, url } = this.#view
    const tools = this.#tools?.flatMap((tool) => this.#describe(tool) ?? [])
    const leftOut = this.#source.leftOut()
    this.#view = { name, url, state: this.#source.getState(), leftOut, ...(tools !== undefined && { tools }) }
    this.#onChange()
  }

  #describe({ name: toolName, effect }: Tool): ServerTool | undefined {
    const details = this.#source.details(toolName)
    if (details === undefined) return undefined
    const { name, title, description } = details
    return { toolName, name, description, readsOnly: effect === 'read', ...(title !== undefined && { title }) }
  }

  /** The same one each time: whoever compares tools sees no change where there is none. */
  #asking(tool: Tool): Tool {
    const known = this.#wrapped.get(tool)
    if (known !== undefined) return known
    const asking: Tool = Object.freeze({ ...tool, needsApproval: true })
    this.#wrapped.set(tool, asking)
    return asking
  }
}

/** Nothing, after a time or at once when the signal aborts. */
function after(ms: number, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve(undefined)
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}
