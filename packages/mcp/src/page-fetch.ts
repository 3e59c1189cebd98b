import type { Clock } from '@turnloop/core'
import { crossesOrigin, explainFailedFetch, explainStatus } from './explain-failure.ts'
import type { Fetch } from './fetch.ts'
import { mcpError } from './mcp-error.ts'
import type { OpenRequests, RequestId } from './open-requests.ts'
import { StreamTries } from './stream-tries.ts'
import { watchBody } from './watch-body.ts'

/** What a `PageFetch` tells of the connection. */
export interface PageFetchEvents {
  /** The server does not know the session any more. */
  onSessionLost(): void
  /** The stream of notices was away for a while. */
  onNoticesMissed(): void
}

/** What a `PageFetch` is made of. */
export interface PageFetchOptions extends PageFetchEvents {
  readonly url: URL
  readonly fetch: Fetch
  readonly requests: OpenRequests
  readonly clock: Clock
}

/** The stream that carries the server's own notices. */
const NOTICES = 'notices'

/**
 * The `fetch` of one connection over Streamable HTTP. It says why something failed, where the SDK sees a status or a bare
 * `TypeError`; notices a lost session by status alone; and keeps broken streams from being opened for ever.
 */
export class PageFetch {
  /** The server can send notices of its own, such as `list_changed`, outside of a call. */
  canNotify = false
  readonly #options: PageFetchOptions
  readonly #tries = new StreamTries()
  #isInitialized = false
  #isProven = false
  #hadNotices = false

  constructor(options: PageFetchOptions) {
    this.#options = options
  }

  /** Rejects with `ToolError` and a reason where one can be told, else with what `fetch` threw. */
  readonly fetch: Fetch = async (url, init = {}) => {
    const request = readRequest(init)
    if (request.httpMethod === 'GET') return this.#openStream(url, init, request)
    const response = await this.#send(url, init, request)
    if (request.httpMethod !== 'POST') return response
    if (!response.ok) throw await this.#refusal(response, request)
    if (request.rpcMethod === 'initialize') this.#isInitialized = true
    else this.#isProven = true
    const { id } = request
    if (id === undefined || !isEventStream(response)) return response
    return watchBody(response, () => this.#options.requests.streamEnded(id))
  }

  async #send(url: string | URL, init: RequestInit, request: ReadRequest): Promise<Response> {
    try {
      return await this.#options.fetch(url, init)
    } catch (error) {
      if (!(error instanceof TypeError) || init.signal?.aborted === true || request.httpMethod !== 'POST') throw error
      throw await explainFailedFetch(error, {
        url: this.#options.url,
        fetch: this.#options.fetch,
        stage: this.#isProven ? 'proven' : this.#isInitialized ? 'second' : 'first',
      })
    }
  }

  async #refusal(response: Response, request: ReadRequest): Promise<Error> {
    const text = await response.text().catch(() => '')
    const { url, onSessionLost } = this.#options
    const { status } = response
    if (request.sessionId !== null && isSessionLost(status, text)) {
      onSessionLost()
      return mcpError('session-lost', `The MCP server ${url.href} does not know this session any more.`, {
        facts: { url: url.href, status },
      })
    }
    return explainStatus({ url, status, text, isHiddenSession: this.#isHiddenSession(request, status, text) })
  }

  /** Whether the server gave a session id, by all signs, that this page may not read. */
  #isHiddenSession({ sessionId }: ReadRequest, status: number, text: string): boolean {
    if (sessionId !== null || !this.#isInitialized) return false
    if (!this.#isProven) return status === 400 || status === 404
    return status === 400 && crossesOrigin(this.#options.url) && /session|initiali[sz]ed/i.test(text)
  }

  async #openStream(url: string | URL, init: RequestInit, request: ReadRequest): Promise<Response> {
    const { requests, clock, onSessionLost } = this.#options
    const owner = requests.ownerOf(request.lastEventId)
    const stream = owner === undefined ? NOTICES : `call ${owner}`
    const pauseMs = this.#tries.pauseBefore(stream)
    if (pauseMs === undefined) return this.#giveUp(owner)
    if (pauseMs > 0) await pause(pauseMs, clock, init.signal)
    const openedAt = clock.now()
    let response: Response
    try {
      response = await this.#options.fetch(url, init)
    } catch (error) {
      this.#tries.ended(stream, 0)
      throw error
    }
    if (response.status === 404 && request.sessionId !== null) {
      onSessionLost()
      return this.#giveUp(owner)
    }
    if (!response.ok) {
      this.#tries.ended(stream, 0)
      // 405: there is no such stream, which is lawful.
      if (owner === undefined) this.canNotify = false
      return response
    }
    if (owner === undefined) this.#noticesOpened()
    return watchBody(response, () => this.#tries.ended(stream, clock.now() - openedAt))
  }

  #noticesOpened(): void {
    this.canNotify = true
    if (this.#hadNotices) this.#options.onNoticesMissed()
    this.#hadNotices = true
  }

  /** To the transport this is a server without such a stream: it does not ask again. */
  #giveUp(owner: RequestId | undefined): Response {
    if (owner === undefined) this.canNotify = false
    else this.#options.requests.fail(owner)
    return new Response(null, { status: 405 })
  }
}

interface ReadRequest {
  readonly httpMethod: string
  readonly rpcMethod?: string
  /** Of a request that waits for an answer. */
  readonly id?: RequestId
  readonly sessionId: string | null
  readonly lastEventId: string | null
}

function readRequest(init: RequestInit): ReadRequest {
  const headers = new Headers(init.headers)
  return {
    httpMethod: init.method ?? 'GET',
    sessionId: headers.get('mcp-session-id'),
    lastEventId: headers.get('last-event-id'),
    ...readBody(init.body),
  }
}

function readBody(body: RequestInit['body']): { rpcMethod?: string; id?: RequestId } {
  if (typeof body !== 'string') return {}
  // The SDK's own message, which it has just written.
  const { method, id }: { method?: string; id?: RequestId } = JSON.parse(body)
  if (method === undefined) return {}
  return { rpcMethod: method, ...(id !== undefined && { id }) }
}

/** 404 by the standard; 400 from servers built like the SDK's examples, which say it in words. */
function isSessionLost(status: number, text: string): boolean {
  return status === 404 || (status === 400 && /session/i.test(text))
}

function isEventStream(response: Response): boolean {
  return /^\s*text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
}

function pause(ms: number, clock: Clock, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = clock.setTimer(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    const onAbort = (): void => {
      stop()
      reject(signal?.reason)
    }
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}
