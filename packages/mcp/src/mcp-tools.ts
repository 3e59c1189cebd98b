import { systemClock, type Tool, type ToolSource, TurnloopError } from '@turnloop/core'
import { Connection, IDLE } from './connection.ts'
import type { Fetch } from './fetch.ts'
import { mcpError, ourErrorOf, reasonOf } from './mcp-error.ts'
import { checkMcpOptions, type McpTarget, type McpToolsOptions } from './mcp-options.ts'
import type { McpState } from './mcp-state.ts'
import { openClients, openGiven } from './open-client.ts'
import type { OpenUrlOptions } from './open-url.ts'
import type { LeftOutTool, McpToolDetails, RemoteTools } from './remote-tool.ts'
import type { OpenLink } from './server-link.ts'
import { type SharedConnection, shareConnection } from './shared-connections.ts'

/** Tools of one MCP server. */
export interface McpToolSource extends ToolSource {
  subscribe(onChange: () => void): () => void
  /** Let go of the connection, for good; it is closed with the last source that shares it. May be called again. */
  dispose(): Promise<void>
  /** How it stands with the server: a new object for each change, so it suits `useSyncExternalStore`. */
  getState(): McpState
  /** Hear of every new state. */
  subscribeState(listener: () => void): () => void
  /** Connect now instead of with the first list. Rejects as `list` does. */
  connect(options?: { signal?: AbortSignal }): Promise<void>
  /**
   * Sign in, in state `needs-auth`. Call it in a click: it opens the popup before anything else, or leaves the page.
   * Resolves once connected. Rejects with `facts.reason` `sign-in-denied`, `sign-in-expired`, `popup-blocked`, …
   */
  signIn(options?: { signal?: AbortSignal }): Promise<void>
  /** Ask for the list again with the next `list`, as after a notice of the server. */
  refresh(): void
  /** What the server says about the tool that a model knows by this name, of the last list. */
  details(toolName: string): McpToolDetails | undefined
  /** The tools of the last list that are not offered. */
  leftOut(): readonly LeftOutTool[]
}

/**
 * Use the tools of an MCP server as if they were local.
 *
 *     mcpTools({ url: 'https://example.org/mcp' })
 *     mcpTools({ client })   // connected, of either official package, or with `listTools` and `callTool`
 *
 * It connects when the tools are first listed; sources with the same URL and the same options that concern the connection
 * share one. Names are mapped to what models take; one that has to be changed ends in a hash of the original. Every
 * result carries `_meta['turnloop/untrusted']`.
 *
 * `list` rejects with `ToolError` (`tool-list-failed`), calls with `tool-failed` or `tool-timed-out`; `facts.reason` says
 * why, see `McpFailureReason`. Throws `bad-option`.
 */
export function mcpTools(target: McpTarget, options: McpToolsOptions = {}): McpToolSource {
  checkMcpOptions(target, options)
  return new RemoteSource(target, options)
}

class RemoteSource implements McpToolSource {
  readonly #target: McpTarget
  readonly #options: McpToolsOptions
  readonly #onTools = new Set<() => void>()
  readonly #onState = new Set<() => void>()
  #shared: SharedConnection | undefined
  #stopListening = (): void => {}
  #state: McpState = IDLE
  #isDisposed = false
  #last: { listed: readonly unknown[]; made: RemoteTools } | undefined

  constructor(target: McpTarget, options: McpToolsOptions) {
    this.#target = target
    this.#options = options
  }

  async list({ signal }: { signal: AbortSignal }): Promise<readonly Tool[]> {
    const connection = this.#connection()
    const listed = await connection.tools(signal).catch(asListFailure)
    // Loaded here, with the checker of schemas, which is as large as all the rest.
    const [{ toRemoteTools }, { callRemote }] = await Promise.all([
      import('./remote-tool.ts'),
      import('./call-remote.ts'),
    ])
    if (this.#last?.listed !== listed) {
      const { prefix, configure, callTimeoutMs = 60_000, clock = systemClock } = this.#options
      const run = { connection, callTimeoutMs, clock }
      const made = toRemoteTools(listed, {
        prefix,
        configure: configure?.bind(this.#options),
        run: (details, call) => callRemote(details, call, run),
      })
      this.#last = { listed, made }
      const { onLeftOut } = this.#options
      if (onLeftOut !== undefined) callAll(made.leftOut.map((tool) => () => onLeftOut.call(this.#options, tool)))
    }
    return this.#last.made.tools
  }

  subscribe(onChange: () => void): () => void {
    return addTo(this.#onTools, onChange)
  }

  subscribeState(listener: () => void): () => void {
    return addTo(this.#onState, listener)
  }

  getState(): McpState {
    return this.#state
  }

  async connect({ signal = never() }: { signal?: AbortSignal } = {}): Promise<void> {
    await this.#connection().connect(signal).catch(asListFailure)
  }

  async signIn({ signal = never() }: { signal?: AbortSignal } = {}): Promise<void> {
    const { auth } = this.#options
    if (auth === undefined || !('url' in this.#target)) {
      throw new TurnloopError('bad-option', 'mcpTools: signIn() needs the option "auth", made by oauthProvider().')
    }
    const connection = this.#connection()
    try {
      // Not after anything else: only in the click itself may a page open a window.
      await auth.forServer(toUrl(this.#target.url), plainFetch(this.#options)).signIn(signal)
    } catch (error) {
      connection.signInFailed(error)
      throw error
    }
    await connection.connect(signal).catch(asListFailure)
  }

  refresh(): void {
    this.#shared?.connection.toolsChanged()
  }

  details(toolName: string): McpToolDetails | undefined {
    return this.#last?.made.details.get(toolName)
  }

  leftOut(): readonly LeftOutTool[] {
    return this.#last?.made.leftOut ?? []
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return
    this.#isDisposed = true
    this.#stopListening()
    this.#setState(Object.freeze({ status: 'closed' }))
    await this.#shared?.release()
  }

  #connection(): Connection {
    if (this.#isDisposed) {
      throw mcpError('disposed', 'These MCP tools were disposed of. Make a new source.', { code: 'tool-list-failed' })
    }
    if (this.#shared === undefined) {
      this.#shared = shareConnection(keysOf(this.#target, this.#options), () =>
        createConnection(this.#target, this.#options),
      )
      const { connection } = this.#shared
      this.#state = connection.state
      this.#stopListening = connection.listen({
        onState: (state) => this.#setState(state),
        onToolsChanged: () => callAll(this.#onTools),
      })
    }
    return this.#shared.connection
  }

  #setState(state: McpState): void {
    this.#state = state
    callAll(this.#onState)
  }
}

/** One that throws starves no other, and is no business of the connection. */
function callAll(listeners: Iterable<() => void>): void {
  for (const listener of listeners) {
    try {
      listener()
    } catch {
      // Whoever listens has to look after what it does.
    }
  }
}

function addTo(listeners: Set<() => void>, listener: () => void): () => void {
  // One of its own, so that the same function may be added twice.
  const own = (): void => listener()
  listeners.add(own)
  return () => void listeners.delete(own)
}

/** What a connection is opened with: where all of it is the same, it can be shared. */
function keysOf(target: McpTarget, options: McpToolsOptions): readonly unknown[] {
  if ('client' in target) return [target.client]
  const { transport, headers, auth, fetch, clientInfo, elicit, sample, clock, connectTimeoutMs } = options
  return [toUrl(target.url).href, transport, headers, auth, fetch, clientInfo, elicit, sample, clock, connectTimeoutMs]
}

function createConnection(target: McpTarget, options: McpToolsOptions): Connection {
  const { clock = systemClock, connectTimeoutMs = 20_000 } = options
  const common = { clock, connectTimeoutMs }
  if ('client' in target) {
    const { client } = target
    const open = typeof client === 'function' ? openClients(client) : openGiven(client)
    return new Connection({ ...common, open, label: 'The MCP server' })
  }
  const { auth, transport = 'auto', clientInfo = OURSELVES } = options
  const url = toUrl(target.url)
  const plain = plainFetch(options)
  const session = auth?.forServer(url, plain)
  const send = withHeaders(session?.fetch ?? plain, options.headers)
  const open = openLazily({ url, fetch: send, transport, clientInfo, handlers: options, clock })
  return new Connection({
    ...common,
    open,
    label: `The MCP server ${url.href}`,
    url: url.href,
    ...(session !== undefined && { signInUrl: () => session.signInUrl }),
  })
}

function toUrl(url: string | URL): URL {
  return new URL(url, typeof location === 'undefined' ? undefined : location.href)
}

const OURSELVES = { name: 'turnloop', version: '0.1.0' }

/** Nothing of HTTP is loaded before it is needed. */
function openLazily(options: OpenUrlOptions): OpenLink {
  let open: OpenLink | undefined
  return async (events, signal) => {
    const { openUrl } = await import('./open-url.ts')
    open ??= openUrl(options)
    return open(events, signal)
  }
}

function plainFetch({ fetch: own }: McpToolsOptions): Fetch {
  return own ?? ((url, init) => fetch(url, init))
}

/** For the server alone: whoever gives out tokens is another server, and must not see them. */
function withHeaders(send: Fetch, headers: McpToolsOptions['headers']): Fetch {
  if (headers === undefined) return send
  return async (url, init = {}) => {
    const given = typeof headers === 'function' ? await headers() : headers
    const joined = new Headers(init.headers)
    for (const [name, value] of Object.entries(given)) joined.set(name, value)
    return send(url, { ...init, headers: joined })
  }
}

function asListFailure(error: unknown): never {
  const ours = ourErrorOf(error)
  if (ours === undefined) throw error
  throw mcpError(reasonOf(ours) ?? 'not-mcp', ours.message, {
    code: 'tool-list-failed',
    cause: ours.cause,
    facts: ours.facts,
  })
}

/** For whoever gives none. */
function never(): AbortSignal {
  return new AbortController().signal
}
