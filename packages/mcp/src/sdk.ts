// The only file that knows the MCP SDK. It is loaded with the first connection, since it weighs ten times the rest.
import { auth, extractWWWAuthenticateParams, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CreateMessageRequestSchema,
  type CreateMessageResult,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/cfworker'
import { type McpClientLike, NEVER_MS } from './client-like.ts'
import type { McpElicitation, McpPageHandlers, McpSampling } from './elicitation.ts'
import type { Fetch } from './fetch.ts'
import type { OpenRequests } from './open-requests.ts'
import { isWebAddress } from './web-address.ts'

/** What a connection is opened with. */
export interface SdkOptions {
  readonly url: URL
  readonly fetch: Fetch
  readonly transport: 'http' | 'sse'
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly handlers: McpPageHandlers
  /** Told of the requests of a Streamable HTTP connection. */
  readonly requests: OpenRequests
  readonly signal: AbortSignal
}

/** A connected client of the SDK. */
export interface SdkConnection {
  readonly client: McpClientLike
  readonly server: { readonly name: string; readonly version: string } | undefined
  readonly instructions: string | undefined
  readonly announcesChanges: boolean
  isAsking(): boolean
  /** Called once, when the connection ends for any reason. */
  onEnd(listener: () => void): void
  /** Ends the session at the server, if it allows that, and then the connection. */
  close(): Promise<void>
}

/** Connect and initialise. Rejects with what the transport threw. */
export async function connectSdk(options: SdkOptions): Promise<SdkConnection> {
  const { handlers, signal } = options
  let asking = 0
  const client = new Client(options.clientInfo, {
    capabilities: {
      ...(handlers.elicit !== undefined && { elicitation: { form: { applyDefaults: true }, url: {} } }),
      ...(handlers.sample !== undefined && { sampling: {} }),
    },
    // The default one compiles code, which a strict Content-Security-Policy forbids.
    jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
  })
  const whileAsking = async <T>(answer: Promise<T>): Promise<T> => {
    asking += 1
    try {
      return await answer
    } finally {
      asking -= 1
    }
  }
  serve(client, handlers, whileAsking)
  const { transport, endSession } = openTransport(options)
  await client.connect(transport, { signal, timeout: NEVER_MS })
  let onEnd = (): void => {}
  client.onclose = () => onEnd()
  return {
    client,
    server: client.getServerVersion(),
    instructions: client.getInstructions(),
    announcesChanges: client.getServerCapabilities()?.tools?.listChanged === true,
    isAsking: () => asking > 0,
    onEnd: (listener) => {
      onEnd = listener
    },
    close: async () => {
      // Many servers do not allow it, or not to a page; and a dead one does not answer.
      let timer: ReturnType<typeof setTimeout> | undefined
      const enough = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LAST_WORDS_MS)
      })
      await Promise.race([endSession().catch(() => {}), enough])
      clearTimeout(timer)
      await client.close()
    },
  }
}

const LAST_WORDS_MS = 2_000

function serve(client: Client, handlers: McpPageHandlers, during: <T>(answer: Promise<T>) => Promise<T>): void {
  const { elicit, sample } = handlers
  if (elicit !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }): Promise<ElicitResult> => {
      // Checked by the SDK, whose type for the schema of a form is narrower than plain JSON.
      const request = { mode: 'form', ...params } as unknown as McpElicitation
      if (request.mode === 'url' && !isWebAddress(request.url)) throw new Error('Only http and https are opened.')
      return during(elicit.call(handlers, request, { signal }))
    })
  }
  if (sample !== undefined) {
    client.setRequestHandler(
      CreateMessageRequestSchema,
      async ({ params }, { signal }): Promise<CreateMessageResult> => {
        // Plain JSON, checked by the SDK.
        return { ...(await during(sample.call(handlers, params as unknown as McpSampling, { signal }))) }
      },
    )
  }
}

function openTransport({ url, fetch, transport, requests }: SdkOptions): {
  transport: Transport
  endSession(): Promise<void>
} {
  if (transport === 'sse') {
    const sse = new SSEClientTransport(url, { fetch })
    sse.onerror = (error) => {
      // Of the stream itself. It would connect again, to a new session that nobody has initialised.
      if ('event' in error) sse.close().catch(() => {})
    }
    return { transport: sse, endSession: () => Promise.resolve() }
  }
  const http = new StreamableHTTPClientTransport(url, {
    fetch,
    // How often, and after what pause, is decided in the fetch.
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 500,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 20,
    },
  })
  requests.watch(http)
  const receive = (message: { id?: unknown; method?: unknown }): void => {
    const { id, method } = message
    if (method === undefined && (typeof id === 'string' || typeof id === 'number')) requests.answered(id)
  }
  http.onmessage = receive
  // The SDK types the getter of the session id looser than its own interface.
  return { transport: http as Transport, endSession: () => http.terminateSession() }
}

/** What a server says in a refusal about how to sign in. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL | undefined
  readonly scope?: string | undefined
  readonly error?: string | undefined
}

/** Read the `WWW-Authenticate` header, which a server of another origin has to expose. */
export function readChallenge(response: Response): Challenge {
  return extractWWWAuthenticateParams(response)
}

/** One round of OAuth, with what `OAuthClientProvider` of the SDK wants. */
export interface AuthorizeOptions extends Challenge {
  readonly provider: OAuthClientProvider
  readonly serverUrl: string
  readonly authorizationCode?: string | undefined
  readonly fetch: Fetch
}

/** Get tokens by a code or a refresh token, else find where to sign in. `true` if there are tokens now. */
export async function authorize(options: AuthorizeOptions): Promise<boolean> {
  const { provider, serverUrl, authorizationCode, scope, resourceMetadataUrl, fetch } = options
  const result = await auth(provider, {
    serverUrl,
    fetchFn: fetch,
    ...(authorizationCode !== undefined && { authorizationCode }),
    ...(scope !== undefined && { scope }),
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
  })
  return result === 'AUTHORIZED'
}

export type { OAuthClientProvider }
