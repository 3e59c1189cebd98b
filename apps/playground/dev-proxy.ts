import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Connect, Plugin, ProxyOptions } from 'vite'

/** Where the page finds the proxy: set it as the address of an OpenAI-compatible endpoint. */
const PATH = '/proxy/v1'

/**
 * Let the page talk to a provider without ever holding its key: the dev server adds it.
 *
 * `TURNLOOP_PROXY_TARGET` is the provider's address, version and all (`https://api.openai.com/v1`), and
 * `TURNLOOP_PROXY_KEY` the key. Without a target the path answers 404 with what is missing. Requests from other sites are
 * refused: whoever can reach the proxy spends the key.
 */
export function devProxy(environment: Readonly<Record<string, string | undefined>> = process.env): Plugin {
  const target = environment.TURNLOOP_PROXY_TARGET
  const key = environment.TURNLOOP_PROXY_KEY
  const guard: Connect.NextHandleFunction = (request, response, next) => {
    const refusal = refuse(request, target)
    if (refusal === undefined) next()
    else answer(response, refusal)
  }
  const proxy = target === undefined ? {} : { [PATH]: proxyTo(target, key) }
  return {
    name: 'turnloop-dev-proxy',
    config: () => ({ server: { proxy }, preview: { proxy } }),
    configureServer: ({ middlewares }) => void middlewares.use(PATH, guard),
    configurePreviewServer: ({ middlewares }) => void middlewares.use(PATH, guard),
  }
}

interface Refusal {
  readonly status: number
  readonly message: string
}

function refuse({ headers }: IncomingMessage, target: string | undefined): Refusal | undefined {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin')
    return { status: 403, message: 'Only the playground may use this proxy.' }
  if (target !== undefined) return undefined
  const message = 'The proxy is off. Start with TURNLOOP_PROXY_TARGET (and TURNLOOP_PROXY_KEY) in the environment.'
  return { status: 404, message }
}

function answer(response: ServerResponse, { status, message }: Refusal): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message } }))
}

function proxyTo(target: string, key: string | undefined): ProxyOptions {
  const { origin, pathname } = new URL(target)
  return {
    target: origin,
    changeOrigin: true,
    rewrite: (path) => pathname.replace(/\/$/, '') + path.slice(PATH.length),
    configure: (server) => {
      server.on('proxyReq', (request) => {
        // What identifies the page or the person is none of the provider's business.
        for (const header of ['cookie', 'origin', 'referer']) request.removeHeader(header)
        if (key !== undefined) request.setHeader('authorization', `Bearer ${key}`)
      })
    },
  }
}
