/// <reference types="node" />
import type { BrowserCommand } from 'vitest/node'
import { startEverythingServer } from '../everything-server.ts'
import { startFakeServer } from '../fake-server.ts'
import { startGuardedServer } from '../guarded-server.ts'

/** Servers that a page can be pointed at. The last three keep sessions and differ in what they allow a page. */
export type ServerKind = 'everything' | 'guarded' | 'hides-session' | 'refuses-version' | 'refuses-all'

interface Running {
  readonly url: string
  stop(): Promise<unknown>
}

const running = new Map<string, Running>()

const startServer: BrowserCommand<[kind: ServerKind]> = async (_context, kind) => {
  const server = await start(kind)
  running.set(server.url, server)
  return server.url
}

const restartServer: BrowserCommand<[url: string]> = async (_context, url) => {
  await running.get(url)?.stop()
  running.set(url, await startEverything(Number(new URL(url).port)))
}

const stopServers: BrowserCommand<[]> = async () => {
  await Promise.all(Array.from(running.values(), (server) => server.stop()))
  running.clear()
}

/** For pages that test against real servers, which Vitest starts outside of the page. */
export const mcpCommands: {
  startServer: typeof startServer
  restartServer: typeof restartServer
  stopServers: typeof stopServers
} = { startServer, restartServer, stopServers }

function startEverything(port?: number): Promise<Running> {
  return startEverythingServer(port === undefined ? {} : { port })
}

async function start(kind: ServerKind): Promise<Running> {
  if (kind === 'everything') return startEverything()
  if (kind !== 'guarded') return startWithPolicy(kind)
  const server = await startGuardedServer({ isOpen: true })
  return { url: server.url, stop: server.close }
}

async function startWithPolicy(kind: Exclude<ServerKind, 'everything' | 'guarded'>): Promise<Running> {
  const headers = [
    'content-type',
    'accept',
    'mcp-session-id',
    ...(kind === 'refuses-version' ? [] : ['mcp-protocol-version']),
  ]
  const server = await startFakeServer({
    pages: () => ({ '': { tools: [] } }),
    intercept: (request, response, rpc) => {
      if (kind !== 'refuses-all') response.setHeader('access-control-allow-origin', '*')
      if (kind === 'refuses-version') response.setHeader('access-control-expose-headers', 'mcp-session-id')
      if (request.method === 'OPTIONS') {
        response.setHeader('access-control-allow-headers', headers.join(', '))
        response.setHeader('access-control-allow-methods', 'GET, POST, DELETE')
        response.writeHead(204).end()
        return true
      }
      const isStranger = rpc !== undefined && rpc.method !== 'initialize' && !request.headers['mcp-session-id']
      if (isStranger) response.writeHead(400).end('Bad Request: Server not initialized')
      return isStranger
    },
  })
  return { url: server.url, stop: server.close }
}
