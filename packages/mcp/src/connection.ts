import type { Clock } from '@turnloop/core'
import { abortable } from './abortable.ts'
import { listAll } from './list-all.ts'
import { describe, mcpError, ourErrorOf, reasonOf } from './mcp-error.ts'
import type { McpState } from './mcp-state.ts'
import { toServerError } from './server-answer.ts'
import type { OpenLink, ServerLink } from './server-link.ts'

/** What a connection is made of. */
export interface ConnectionOptions {
  /** What messages call the server. */
  readonly label: string
  /** Its URL, if it has one. */
  readonly url?: string
  readonly open: OpenLink
  readonly clock: Clock
  readonly connectTimeoutMs: number
  /** Where to sign in, once that is known. */
  readonly signInUrl?: () => string | undefined
}

/** What a connection tells whoever uses it. */
export interface ConnectionListener {
  onState(state: McpState): void
  onToolsChanged(): void
}

/** A link, and who works with it. */
interface Lease {
  link?: ServerLink
  users: number
  isLost: boolean
}

/**
 * The way to one server: opened when it is needed, once for all who wait, and again when the server forgot the session.
 *
 * It holds the list of tools as the server sent it, each list under a number that counts what may have changed it.
 */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #listeners = new Set<ConnectionListener>()
  #state: McpState
  #current: Lease | undefined
  #opening: Promise<ServerLink> | undefined
  #listing: Promise<readonly unknown[]> | undefined
  #generation = 0
  #listed: { generation: number; tools: readonly unknown[] } | undefined
  #wasReady = false
  #isClosed = false

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#state = IDLE
  }

  get state(): McpState {
    return this.#state
  }

  get label(): string {
    return this.#options.label
  }

  /** What results say they are from: the URL, or else what the server calls itself. */
  get origin(): string {
    return this.#options.url ?? this.#state.server?.name ?? 'unknown'
  }

  /** Hear what happens; the returned function stops that. */
  listen(listener: ConnectionListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Work with the link. One that is lost meanwhile stays open until all work with it is done. */
  async use<T>(signal: AbortSignal, work: (link: ServerLink) => Promise<T>): Promise<T> {
    const link = await abortable(this.#link(), signal)
    const lease = this.#current?.link === link ? this.#current : { link, users: 0, isLost: true }
    lease.users += 1
    try {
      const result = await work(link)
      this.#worked(lease)
      return result
    } catch (error) {
      this.#troubled(lease, error)
      throw error
    } finally {
      lease.users -= 1
      this.#closeIfDone(lease)
    }
  }

  /** Connect, if that is not so yet. */
  async connect(signal: AbortSignal): Promise<void> {
    await abortable(this.#link(), signal)
  }

  /** All tools that the server lists; the same array as long as nothing can have changed. */
  async tools(signal: AbortSignal): Promise<readonly unknown[]> {
    const link = await abortable(this.#link(), signal)
    const known = this.#listed
    if (known?.generation === this.#generation && link.announcesChanges()) return known.tools
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined
    })
    return abortable(this.#listing, signal)
  }

  /** The list is out of date: the next `tools()` asks again. */
  toolsChanged(): void {
    this.#generation += 1
    for (const listener of this.#listeners) listener.onToolsChanged()
  }

  /** A sign-in came to nothing. */
  signInFailed(error: unknown): void {
    if (this.#current === undefined && this.#opening === undefined) this.#failed(error)
  }

  /** Close it for good. Calls that are under way reject. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const lease = this.#current
    this.#current = undefined
    this.#setState({ status: 'closed' })
    this.#listeners.clear()
    await lease?.link?.close()
  }

  /** A list that was overtaken by a notice is asked for again: what was on its way may be the old one. */
  async #list(): Promise<readonly unknown[]> {
    let tools: readonly unknown[] = []
    for (let round = 0; round < 5; round += 1) {
      const generation = this.#generation
      const signal = new AbortController().signal
      try {
        tools = await this.use(signal, async (link) => (link.hasTools ? listAll(link.client, this.#options) : []))
      } catch (error) {
        // Nothing is changed by listing twice.
        if (reasonOf(error) === 'session-lost' && round === 0) continue
        throw error
      }
      this.#listed = { generation, tools }
      if (generation === this.#generation) break
    }
    return tools
  }

  #link(): Promise<ServerLink> {
    if (this.#isClosed) {
      return Promise.reject(mcpError('disposed', `The tools of ${this.#options.label} were disposed of.`))
    }
    if (this.#current?.link !== undefined) return Promise.resolve(this.#current.link)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #open(): Promise<ServerLink> {
    const { clock, connectTimeoutMs, label, open } = this.#options
    const lease: Lease = { users: 0, isLost: false }
    const controller = new AbortController()
    this.#setState({ status: this.#wasReady ? 'reconnecting' : 'connecting' })
    const stopTimer = clock.setTimer(() => {
      controller.abort(mcpError('unreachable', `${label} did not answer within ${connectTimeoutMs} ms.`))
    }, connectTimeoutMs)
    try {
      const opening = open(this.#eventsOf(lease), controller.signal)
      // One that comes after all is nobody's.
      const closeLate = (link: ServerLink): Promise<void> | undefined =>
        controller.signal.aborted ? link.close() : undefined
      opening.then(closeLate).catch(() => {})
      const link = await abortable(opening, controller.signal)
      return this.#opened(lease, link)
    } catch (error) {
      this.#failed(error)
      throw error
    } finally {
      stopTimer()
    }
  }

  #opened(lease: Lease, link: ServerLink): ServerLink {
    lease.link = link
    if (this.#isClosed || lease.isLost) {
      link.close()
      throw lease.isLost
        ? mcpError('session-lost', `${this.#options.label} lost the session at once.`)
        : mcpError('disposed', `The tools of ${this.#options.label} were disposed of.`)
    }
    this.#current = lease
    const isAgain = this.#wasReady
    this.#wasReady = true
    this.#setState(readyState(link))
    // Another session may have other tools.
    if (isAgain) this.toolsChanged()
    return link
  }

  #eventsOf(lease: Lease): Parameters<OpenLink>[0] {
    return {
      onSessionLost: () => {
        if (this.#drop(lease)) this.#link().catch(() => {})
      },
      onClosed: () => {
        if (this.#drop(lease))
          this.#failed(mcpError('connection-lost', `${this.#options.label} closed the connection.`))
      },
      onToolsChanged: () => {
        if (this.#current !== lease) return
        this.#worked(lease)
        this.toolsChanged()
      },
    }
  }

  /** It answers again. */
  #worked(lease: Lease): void {
    if (this.#current !== lease || lease.link === undefined || this.#state.status === 'ready') return
    this.#setState(readyState(lease.link))
  }

  /** The session is kept where only the way to it broke: there may be work in it. */
  #troubled(lease: Lease, error: unknown): void {
    if (this.#current !== lease) return
    const known = toServerError(error, this.#options.label)
    const reason = reasonOf(known) ?? 'connection-lost'
    if (reason === 'session-lost') {
      if (this.#drop(lease)) this.#link().catch(() => {})
    } else if (AUTH_REASONS.has(reason)) {
      this.#drop(lease)
      this.#failed(known)
    } else if (reason === 'connection-lost' && error instanceof Error && known === ourErrorOf(error)) {
      this.#setState({ status: 'reconnecting', reason, message: known.message })
    }
  }

  /** Whether it was the current one: what an old one still says does not hurt the new one. */
  #drop(lease: Lease): boolean {
    lease.isLost = true
    if (this.#current !== lease) return false
    this.#current = undefined
    this.#generation += 1
    this.#closeIfDone(lease)
    return true
  }

  #closeIfDone(lease: Lease): void {
    if (lease.isLost && lease.users === 0) lease.link?.close()
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return
    const reason = reasonOf(error) ?? 'not-mcp'
    const status = AUTH_REASONS.has(reason) ? 'needs-auth' : 'failed'
    this.#setState({ status, reason, message: describe(error) })
  }

  #setState(state: McpState): void {
    const signInUrl = state.status === 'needs-auth' ? this.#options.signInUrl?.() : undefined
    this.#state = Object.freeze({ ...state, ...(signInUrl !== undefined && { signInUrl }) })
    for (const listener of this.#listeners) listener.onState(this.#state)
  }
}

function readyState({ server, instructions }: ServerLink): McpState {
  return {
    status: 'ready',
    ...(server !== undefined && { server }),
    ...(instructions !== undefined && { instructions }),
  }
}

/** The state of a connection that nobody has asked for. */
export const IDLE: McpState = Object.freeze({ status: 'idle' })

const AUTH_REASONS: ReadonlySet<string> = new Set(['needs-auth', 'sign-in-denied', 'sign-in-expired', 'popup-blocked'])
