/// <reference types="node" />
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserCommand } from 'vitest/node'
import { startEverythingServer } from '../everything-server.ts'
import { startFakeServer } from '../fake-server.ts'
import { startGuardedServer } from '../guarded-server.ts'
import { bridgeToPage } from '../stdio-bridge.ts'
import { startWatchedServer } from '../watched-server.ts'

/**
 * Servers that a page can be pointed at. `watched` is the everything server with somebody who notes what it is sent,
 * `memory` one that speaks over its standard streams, behind a bridge. The last three keep sessions and differ in what they
 * allow a page.
 */
export type ServerKind =
  | 'everything'
  | 'watched'
  | 'memory'
  | 'guarded'
  | 'hides-session'
  | 'refuses-version'
  | 'refuses-all'

interface Running {
  readonly url: string
  readonly seen?: readonly string[]
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

const seenBy: BrowserCommand<[url: string]> = async (_context, url) => running.get(url)?.seen ?? []

const stopServers: BrowserCommand<[]> = async () => {
  await Promise.all(Array.from(running.values(), (server) => server.stop()))
  running.clear()
}

/** For pages that test against real servers, which Vitest starts outside of the page. */
export const mcpCommands: {
  startServer: typeof startServer
  restartServer: typeof restartServer
  seenBy: typeof seenBy
  stopServers: typeof stopServers
} = { startServer, restartServer, seenBy, stopServers }

function startEverything(port?: number): Promise<Running> {
  return startEverythingServer(port === undefined ? {} : { port })
}

async function startMemory(): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'turnloop-memory-'))
  const script = fileURLToPath(
    new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/server-memory/package.json')),
  )
  const { url, stop } = await bridgeToPage(script, { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') })
  return { url, stop: () => stop().finally(() => rm(folder, { recursive: true })) }
}

async function start(kind: ServerKind): Promise<Running> {
  if (kind === 'everything') return startEverything()
  if (kind === 'watched') return startWatchedServer()
  if (kind === 'memory') return startMemory()
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
