import { mcpTools } from '@turnloop/mcp'
import { deferred, manualClock } from '@turnloop/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { callContext, quiet } from './call-context.ts'
import { type FakeServer, type FakeServerOptions, startFakeServer } from './fake-server.ts'

describe('connections', () => {
  let server: FakeServer | undefined
  afterEach(async () => server?.close())

  const start = async (options: FakeServerOptions = {}): Promise<FakeServer> => {
    server = await startFakeServer({
      pages: () => ({ '': { tools: [{ name: 'a', inputSchema: { type: 'object' } }] } }),
      call: () => ({ content: [] }),
      ...options,
    })
    return server
  }

  test('sources of one URL share one, closed with the last of them', async () => {
    const deleted = deferred<void>()
    const { url } = await start({
      intercept: (request) => {
        if (request.method === 'DELETE') deleted.resolve()
        return false
      },
    })
    const [one, two, other] = [
      mcpTools({ url }),
      mcpTools({ url }, { prefix: 'p_' }),
      mcpTools({ url }, { transport: 'http' }),
    ]
    const lists = await Promise.all([one, two, other].map((source) => source.list({ signal: quiet() })))

    expect(lists.map(([tool]) => tool?.name)).toEqual(['a', 'p_a', 'a'])
    expect(server?.initialised).toBe(2)
    await other.dispose()
    await one.dispose()
    await one.dispose()
    expect(await lists[1]?.[0]?.execute({}, callContext())).toMatchObject({ content: [] })
    await two.dispose()
    await deleted.promise
    expect(two.getState().status).toBe('closed')
    await expect(two.list({ signal: quiet() })).rejects.toMatchObject({ facts: { reason: 'disposed' } })
  })

  test('one attempt serves all who wait, and one who stops waiting stops no other', async () => {
    const { url } = await start()
    const source = mcpTools({ url })
    const stop = new AbortController()
    const stopped = source.list({ signal: stop.signal })
    const kept = source.list({ signal: quiet() })
    stop.abort(new Error('stopped'))

    await expect(stopped).rejects.toThrow('stopped')
    expect(await kept).toHaveLength(1)
    expect(server?.initialised).toBe(1)
    await source.dispose()
  })

  test('a server that does not answer is given up, and tried again with the next use', async () => {
    const clock = manualClock()
    let isSilent = true
    const asked = deferred<void>()
    const { url } = await start({
      intercept: () => {
        asked.resolve()
        return isSilent
      },
    })
    const source = mcpTools({ url }, { clock, connectTimeoutMs: 5_000 })
    const list = expect(source.list({ signal: quiet() })).rejects.toMatchObject({ facts: { reason: 'unreachable' } })
    await asked.promise
    await clock.advance(5_000)
    await list
    expect(source.getState()).toMatchObject({ status: 'failed', reason: 'unreachable' })

    isSilent = false
    expect(await source.list({ signal: quiet() })).toHaveLength(1)
    expect(source.getState()).toMatchObject({ status: 'ready', server: { name: 'fake' } })
    await source.dispose()
  })

  test('something that is no MCP server is told so', async () => {
    const { url } = await start({
      intercept: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
        return true
      },
    })

    await expect(mcpTools({ url }).list({ signal: quiet() })).rejects.toMatchObject({ facts: { reason: 'not-mcp' } })
  })

  test('headers go to the server, and are asked for each time', async () => {
    const seen = new Set<unknown>()
    const { url } = await start({
      intercept: (request) => {
        seen.add(request.headers['x-key'])
        return false
      },
    })
    let count = 0
    const headers = async (): Promise<Record<string, string>> => {
      count += 1
      return { 'x-key': 'secret' }
    }
    const source = mcpTools({ url }, { headers })
    await source.list({ signal: quiet() })
    await source.dispose()

    expect([...seen]).toEqual(['secret'])
    expect(count).toBeGreaterThan(2)
  })

  test('a client that was given is left open, and cannot be made anew', async () => {
    let isClosed = false
    const client = {
      listTools: () => Promise.resolve({ tools: [] }),
      callTool: () => Promise.resolve({}),
      close: async () => {
        isClosed = true
      },
    }
    const source = mcpTools({ client })
    await source.list({ signal: quiet() })
    await source.dispose()

    expect(isClosed).toBe(false)
  })

  test('a client made by a function is closed, and made anew when it is gone', async () => {
    const made: { onclose?: (() => void) | undefined; isClosed: boolean }[] = []
    const source = mcpTools({
      client: async () => {
        const client = {
          isClosed: false,
          onclose: undefined,
          listTools: () => Promise.resolve({ tools: [] }),
          callTool: () => Promise.resolve({}),
          close: async () => {
            client.isClosed = true
          },
        }
        made.push(client)
        return client
      },
    })
    await source.list({ signal: quiet() })
    made[0]?.onclose?.()
    expect(source.getState()).toMatchObject({ status: 'failed', reason: 'connection-lost' })
    await source.list({ signal: quiet() })
    expect(source.getState().status).toBe('ready')
    await source.dispose()

    expect(made.map(({ isClosed }) => isClosed)).toEqual([true, true])
  })

  test('options that cannot be used are named', () => {
    const wrong = (target: object, options: object): (() => unknown) => {
      // As a page without types would call it.
      return () => mcpTools(target as { url: string }, options)
    }
    expect(wrong({}, {})).toThrow('{ url } or { client }')
    expect(wrong({ url: 'ftp://x' }, {})).toThrow('"url"')
    expect(wrong({ client: {} }, {})).toThrow('"client"')
    expect(wrong({ url: 'http://x' }, { prefx: '' })).toThrow('"prefx"')
    expect(wrong({ url: 'http://x' }, { prefix: 'a.b' })).toThrow('"prefix"')
    expect(wrong({ client: async () => ({}) }, { headers: {} })).toThrow('"headers"')
  })
})
