/// <reference types="node" />
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type FakeServer, startFakeServer } from './fake-server.ts'

/** An MCP server that wants a sign-in, and the authorization server beside it. */
export interface GuardedServer extends FakeServer {
  /** What was asked of the token endpoint, in order. */
  readonly grants: Record<string, string>[]
  /** Paths that were asked for with the header `x-key`. */
  readonly keyed: ReadonlySet<string>
  registrations(): number
  /** How many requests were sent away. */
  refusals(): number
  /** What the sign-in page would send a person back with who agrees. */
  agree(signInUrl: string): URL
  /** The same for one who does not. */
  deny(signInUrl: string): URL
  /** Let no token count any more that was given out until now. */
  revoke(): void
}

/** How the server behaves. */
export interface GuardedServerOptions {
  expiresIn?: number
  /** Lets pages of every origin in. */
  isOpen?: boolean
  /** Takes none of its own tokens. */
  isBroken?: boolean
}

/** Start one on a free port of this machine. It gives each person a token and a refresh token that is good once. */
export async function startGuardedServer(options: GuardedServerOptions = {}): Promise<GuardedServer> {
  const state = {
    tokens: new Set<string>(),
    refresh: '',
    codes: new Map<string, string>(),
    count: 0,
    registrations: 0,
    refusals: 0,
  }
  const grants: Record<string, string>[] = []
  const keyed = new Set<string>()
  const bodies = new WeakMap<IncomingMessage, string>()
  const server = await startFakeServer({
    pages: () => ({ '': { tools: [{ name: 'secret', inputSchema: { type: 'object' } }] } }),
    call: () => ({ content: [{ type: 'text', text: '42' }] }),
    isOpen: options.isOpen === true,
    onBody: (request, body) => bodies.set(request, body),
    intercept: (request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://host')
      if (request.headers['x-key'] !== undefined) keyed.add(pathname)
      if (pathname === '/mcp') return refuseStranger(request, response)
      if (pathname === '/token') exchange(Object.fromEntries(new URLSearchParams(bodies.get(request))), response)
      // Everybody who comes there agrees.
      else if (pathname === '/authorize')
        response.writeHead(302, { location: agree(`${origin}${request.url}`).href }).end()
      else if (pathname === '/register') register(JSON.parse(bodies.get(request) ?? '{}'), response)
      else discover(pathname, response)
      return true
    },
  })
  const origin = new URL(server.url).origin

  function refuseStranger(request: IncomingMessage, response: ServerResponse): boolean {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    if (state.tokens.has(token) && options.isBroken !== true) return false
    state.refusals += 1
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}", scope="read"` }).end()
    return true
  }

  function discover(pathname: string, response: ServerResponse): void {
    if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
      send(response, 200, { resource: server.url, authorization_servers: [origin] })
      return
    }
    if (!pathname.startsWith('/.well-known/oauth-authorization-server')) {
      send(response, 404, {})
      return
    }
    send(response, 200, {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    })
  }

  function register(client: object, response: ServerResponse): void {
    state.registrations += 1
    send(response, 201, { ...client, client_id: `client-${state.registrations}` })
  }

  function exchange(grant: Record<string, string>, response: ServerResponse): void {
    grants.push(grant)
    const { grant_type, code = '', code_verifier = '', refresh_token } = grant
    const challenge = createHash('sha256').update(code_verifier).digest('base64url')
    const isGood =
      grant_type === 'refresh_token' ? refresh_token === state.refresh : state.codes.get(code) === challenge
    if (!isGood) {
      send(response, 400, { error: 'invalid_grant' })
      return
    }
    state.codes.delete(code)
    state.count += 1
    state.tokens.add(`token-${state.count}`)
    state.refresh = `refresh-${state.count}`
    send(response, 200, {
      access_token: `token-${state.count}`,
      refresh_token: state.refresh,
      token_type: 'Bearer',
      expires_in: options.expiresIn ?? 3600,
    })
  }

  const back = (signInUrl: string, answer: Record<string, string>): URL => {
    const { searchParams } = new URL(signInUrl)
    const url = new URL(searchParams.get('redirect_uri') ?? '')
    url.search = new URLSearchParams({ state: searchParams.get('state') ?? '', iss: origin, ...answer }).toString()
    return url
  }
  const agree = (signInUrl: string): URL => {
    const code = `code-${state.codes.size + state.count + 1}`
    state.codes.set(code, new URL(signInUrl).searchParams.get('code_challenge') ?? '')
    return back(signInUrl, { code })
  }
  return Object.assign(server, {
    grants,
    keyed,
    registrations: () => state.registrations,
    refusals: () => state.refusals,
    agree,
    deny: (signInUrl: string) => back(signInUrl, { error: 'access_denied' }),
    revoke: () => state.tokens.clear(),
  })
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
