/// <reference types="node" />
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A JSON-RPC message, as it came. */
export interface Rpc {
  readonly id?: string | number
  readonly method: string
  readonly params: Record<string, unknown>
}

/** One call, for whoever answers it. */
export interface CallStream {
  readonly rpc: Rpc
  /** Send an event on the stream of this call. */
  event(message: object, id?: string): void
  progress(progress: number, total?: number): void
  /** End the stream without another word. */
  cut(): void
}

/** Options of `startFakeServer`. */
export interface FakeServerOptions {
  /** Pages of the list, by cursor; the first is under `''`. */
  pages?: () => Record<string, { tools: unknown[]; nextCursor?: string }>
  /** Answers `tools/call`; `undefined`: the answer is sent by hand, or never. */
  call?: (stream: CallStream) => object | undefined | Promise<object | undefined>
  /** No session ids. */
  isStateless?: boolean
  /** No stream for notices: GET is answered with 405. */
  isMute?: boolean
  /** Lets pages of every origin in. */
  isOpen?: boolean
  /** Told of the body of each request, before `intercept`. */
  onBody?: (request: IncomingMessage, body: string) => void
  /** Looked at before anything else; `true`: it has answered. */
  intercept?: (request: IncomingMessage, response: ServerResponse, rpc: Rpc | undefined) => boolean
}

/** An MCP server that does exactly what a test says, over Streamable HTTP. */
export interface FakeServer {
  readonly url: string
  /** All messages, in the order they came. */
  readonly received: Rpc[]
  /** Resolves with the next message of that method, or one that came before. */
  message(method: string): Promise<Rpc>
  /** Tell everybody who listens for notices. Resolves once somebody does. */
  notify(method: string): Promise<void>
  /** End the streams of all who listen for notices. */
  cutNotices(): void
  /** Forget all sessions: the next request with one is answered 404. */
  forget(body?: string): void
  readonly initialised: number
  close(): Promise<void>
}

/** Start one on a free port of this machine. */
export async function startFakeServer(options: FakeServerOptions = {}): Promise<FakeServer> {
  const state: State = {
    options,
    received: [],
    waiting: [],
    sessions: new Set(),
    notices: new Set(),
    opened: [],
    count: 0,
    lost: '',
  }
  const server = createServer((request, response) => {
    respond(state, request, response).catch((error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received: state.received,
    message: (method) => nextMessage(state, method),
    notify: async (method) => {
      if (state.notices.size === 0) await new Promise<void>((resolve) => state.opened.push(resolve))
      for (const stream of state.notices) writeEvent(stream, { jsonrpc: '2.0', method })
    },
    cutNotices: () => {
      for (const stream of state.notices) stream.end()
    },
    forget: (body = '') => {
      state.sessions.clear()
      state.lost = body
    },
    get initialised() {
      return state.count
    },
    close: () => stop(server),
  }
}

interface State {
  readonly options: FakeServerOptions
  readonly received: Rpc[]
  readonly waiting: { method: string; resolve(rpc: Rpc): void }[]
  readonly sessions: Set<string>
  readonly notices: Set<ServerResponse>
  readonly opened: (() => void)[]
  count: number
  lost: string
}

function nextMessage(state: State, method: string): Promise<Rpc> {
  const known = state.received.find((rpc) => rpc.method === method)
  return known !== undefined
    ? Promise.resolve(known)
    : new Promise((resolve) => state.waiting.push({ method, resolve }))
}

async function respond(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  state.options.onBody?.(request, body)
  if (state.options.isOpen === true) letIn(response)
  if (state.options.isOpen === true && request.method === 'OPTIONS') {
    response.writeHead(204).end()
    return
  }
  const rpc = !body.startsWith('{') ? undefined : ({ params: {}, ...JSON.parse(body) } as Rpc)
  if (state.options.intercept?.(request, response, rpc)) return
  const session = request.headers['mcp-session-id']
  if (session !== undefined && !state.sessions.has(String(session))) {
    response.writeHead(404).end(state.lost)
    return
  }
  if (request.method === 'GET') return openNotices(state, response)
  if (request.method === 'DELETE') {
    state.sessions.delete(String(session))
    response.writeHead(200).end()
    return
  }
  if (rpc === undefined) {
    response.writeHead(405).end()
    return
  }
  state.received.push(rpc)
  for (const waiter of state.waiting.splice(0)) {
    if (waiter.method === rpc.method) waiter.resolve(rpc)
    else state.waiting.push(waiter)
  }
  if (rpc.id === undefined || rpc.method === undefined) response.writeHead(202).end()
  else await answer(state, response, rpc)
}

/** What a server has to send so that a page of another origin can use it. */
export function letIn(response: ServerResponse): void {
  const sent = 'content-type, accept, authorization, mcp-session-id, mcp-protocol-version, last-event-id, x-key'
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-headers', sent)
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE')
  response.setHeader('access-control-expose-headers', 'Mcp-Session-Id, WWW-Authenticate')
}

function openNotices(state: State, response: ServerResponse): void {
  if (state.options.isMute === true) {
    response.writeHead(405).end()
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  state.notices.add(response)
  response.on('close', () => state.notices.delete(response))
  for (const resolve of state.opened.splice(0)) resolve()
}

async function answer(state: State, response: ServerResponse, rpc: Rpc): Promise<void> {
  const { options } = state
  if (rpc.method === 'initialize') {
    state.count += 1
    const session = `session-${state.count}`
    if (options.isStateless !== true) state.sessions.add(session)
    sendJson(response, rpc, INITIALIZED, options.isStateless === true ? {} : { 'mcp-session-id': session })
  } else if (rpc.method === 'tools/list') {
    const page = options.pages?.()[String(rpc.params.cursor ?? '')] ?? { tools: [] }
    sendJson(response, rpc, page)
  } else {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    const stream: CallStream = {
      rpc,
      event: (message, id) => writeEvent(response, message, id),
      progress: (progress, total) => {
        const { progressToken } = rpc.params._meta as { progressToken: number }
        const params = { progressToken, progress, ...(total !== undefined && { total }) }
        writeEvent(response, { jsonrpc: '2.0', method: 'notifications/progress', params })
      },
      cut: () => response.end(),
    }
    const result = await options.call?.(stream)
    if (result === undefined) return
    const isError = 'code' in result
    writeEvent(response, { jsonrpc: '2.0', id: rpc.id, ...(isError ? { error: result } : { result }) })
    response.end()
  }
}

const INITIALIZED = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'fake', version: '1' },
}

function sendJson(response: ServerResponse, rpc: Rpc, result: object, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, result }))
}

function writeEvent(response: ServerResponse, message: object, id?: string): void {
  response.write(`${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`)
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
