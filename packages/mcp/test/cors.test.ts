import type { ServerResponse } from 'node:http'
import { type Fetch, mcpTools } from '@turnloop/mcp'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { quiet } from './call-context.ts'
import { type FakeServer, type FakeServerOptions, startFakeServer } from './fake-server.ts'

interface Policy {
  /** The page may read the session id. */
  exposes: boolean
  /** The page may send the protocol version. */
  allowsVersion: boolean
  /** The page may send anything at all. */
  allows: boolean
}

/** What a browser does with a server of this policy. */
function pageOf({ exposes, allowsVersion, allows }: Policy): Fetch {
  return async (url, init = {}) => {
    const headers = new Headers(init.headers)
    const isRefused = !allows || (!allowsVersion && headers.has('mcp-protocol-version'))
    if (isRefused && init.mode !== 'no-cors') throw new TypeError('Failed to fetch')
    const response = await fetch(url, init.mode === 'no-cors' ? { method: 'GET' } : init)
    const seen = new Headers(response.headers)
    if (!exposes) seen.delete('mcp-session-id')
    return new Response(response.body, { status: response.status, headers: seen })
  }
}

const good: Policy = { exposes: true, allowsVersion: true, allows: true }

describe('a page of another origin', () => {
  let server: FakeServer | undefined
  beforeEach(() => vi.stubGlobal('location', new URL('https://page.example')))
  afterEach(async () => {
    vi.unstubAllGlobals()
    await server?.close()
  })

  async function facts(policy: Partial<Policy>, options: FakeServerOptions = {}): Promise<unknown> {
    server = await startFakeServer({ pages: () => ({ '': { tools: [] } }), ...options })
    const source = mcpTools({ url: server.url }, { fetch: pageOf({ ...good, ...policy }) })
    const outcome = await source.list({ signal: quiet() }).catch((error) => error.facts)
    const state = source.getState()
    await source.dispose()
    return { outcome, status: state.status, reason: state.reason }
  }

  /** As servers do that keep sessions: nothing but `initialize` without one. */
  const keepsSessions = {
    intercept: (request: { headers: Record<string, unknown> }, response: ServerResponse, rpc?: { method: string }) => {
      const isStranger = rpc !== undefined && rpc.method !== 'initialize' && !request.headers['mcp-session-id']
      if (isStranger) response.writeHead(400).end('Bad Request: Server not initialized')
      return isStranger
    },
  }

  test('a session id that cannot be read is told by name (H1)', async () => {
    expect(await facts({ exposes: false }, keepsSessions)).toMatchObject({
      outcome: { reason: 'cors', header: 'Access-Control-Expose-Headers: Mcp-Session-Id' },
      status: 'failed',
      reason: 'cors',
    })
  })

  test('a header that may not be sent is told by name (H1)', async () => {
    expect(await facts({ allowsVersion: false })).toMatchObject({
      outcome: { reason: 'cors', header: expect.stringContaining('mcp-protocol-version') },
    })
  })

  test('a server that lets nobody in is told from one that is down', async () => {
    expect(await facts({ allows: false })).toMatchObject({
      outcome: { reason: 'cors', header: 'Access-Control-Allow-Origin' },
    })
    const gone = await startFakeServer()
    await gone.close()
    const source = mcpTools({ url: gone.url }, { fetch: pageOf(good) })

    await expect(source.list({ signal: quiet() })).rejects.toMatchObject({
      code: 'tool-list-failed',
      facts: { reason: 'unreachable' },
    })
  })

  test('a server without sessions needs to expose nothing (H1)', async () => {
    expect(await facts({ exposes: false }, { isStateless: true })).toMatchObject({ outcome: [], status: 'ready' })
  })

  test('a server that does not allow DELETE can be left all the same', async () => {
    const noDelete = {
      intercept: (request: { method?: string | undefined }, response: ServerResponse) => {
        if (request.method !== 'DELETE') return false
        response.destroy()
        return true
      },
    }

    expect(await facts({}, noDelete)).toMatchObject({ outcome: [], status: 'ready' })
  })
})
