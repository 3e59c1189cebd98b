import { createServer as createHttpServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devProxy } from '../dev-proxy.ts'

interface Seen {
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
}

const seen: Seen[] = []
let provider: Server
let target: string
let withProxy: ViteDevServer
let without: ViteDevServer

beforeAll(async () => {
  provider = createHttpServer(({ url, headers }, response) => {
    seen.push({ url, headers })
    response.end('hello')
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const address = provider.address()
  target = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api/v1`
  withProxy = await serve({ TURNLOOP_PROXY_TARGET: target, TURNLOOP_PROXY_KEY: 'secret' })
  without = await serve({})
})

afterAll(async () => {
  await Promise.all([withProxy.close(), without.close()])
  provider.close()
})

async function serve(environment: Record<string, string>): Promise<ViteDevServer> {
  const server = await createServer({
    configFile: false,
    logLevel: 'silent',
    root: import.meta.dirname,
    optimizeDeps: { noDiscovery: true },
    plugins: [devProxy(environment)],
    server: { port: 0, host: '127.0.0.1', ws: false },
  })
  return server.listen()
}

const ask = (server: ViteDevServer, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.resolvedUrls?.local[0]}proxy/v1/chat/completions?a=1`, { method: 'POST', body: '{}', headers })

test('the key is added on the way, and nothing tells who asked', async () => {
  const sent = { cookie: 'a=1', origin: 'http://localhost:5173', authorization: 'Bearer of-the-page' }
  const response = await ask(withProxy, { ...sent, 'sec-fetch-site': 'same-origin' })

  expect(await response.text()).toBe('hello')
  expect(seen.at(-1)?.url).toBe('/api/v1/chat/completions?a=1')
  expect(seen.at(-1)?.headers.authorization).toBe('Bearer secret')
  expect(seen.at(-1)?.headers).not.toHaveProperty('cookie')
  expect(seen.at(-1)?.headers).not.toHaveProperty('origin')
})

test('another site cannot spend the key', async () => {
  const before = seen.length
  const response = await ask(withProxy, { 'sec-fetch-site': 'cross-site' })

  expect(response.status).toBe(403)
  expect(seen).toHaveLength(before)
})

test('without a target the path says what is missing', async () => {
  const response = await ask(without)

  expect(response.status).toBe(404)
  expect(await response.text()).toContain('TURNLOOP_PROXY_TARGET')
})
