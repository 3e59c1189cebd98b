import type { Tool } from '@turnloop/core'
import { type McpToolSource, type McpToolsOptions, mcpTools } from '@turnloop/mcp'
import { deferred, manualClock } from '@turnloop/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { callContext, quiet, toolNamed } from './call-context.ts'
import { type FakeServer, type FakeServerOptions, startFakeServer } from './fake-server.ts'

const TOOLS = [{ name: 'search', inputSchema: { type: 'object' } }]

describe('calls', () => {
  const cleanUps: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  })

  async function start(options: FakeServerOptions = {}): Promise<FakeServer> {
    const server = await startFakeServer({
      pages: () => ({ '': { tools: TOOLS } }),
      call: () => ({ content: [] }),
      ...options,
    })
    cleanUps.push(server.close)
    return server
  }

  async function list(
    url: string,
    options: McpToolsOptions = {},
  ): Promise<{ source: McpToolSource; tools: readonly Tool[] }> {
    const source = mcpTools({ url }, options)
    cleanUps.push(() => source.dispose())
    return { source, tools: await source.list({ signal: quiet() }) }
  }

  test('two servers with the same tool are kept apart by prefixes (H5)', async () => {
    const [one, two] = [await start(), await start()]
    const tools = [
      ...(await list(one.url, { prefix: 'one_' })).tools,
      ...(await list(two.url, { prefix: 'two_' })).tools,
    ]
    await toolNamed(tools, 'two_search').execute({}, callContext())

    expect(tools.map(({ name }) => name)).toEqual(['one_search', 'two_search'])
    expect((await two.message('tools/call')).params.name).toBe('search')
    expect(one.received.some(({ method }) => method === 'tools/call')).toBe(false)
  })

  test('the time limit stands still while the person is asked', async () => {
    const clock = manualClock()
    const asked = deferred<void>()
    const answered = deferred<void>()
    let finish = (): void => {}
    const server = await start({
      call: (stream) => {
        const params = {
          message: 'Name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        }
        stream.event({ jsonrpc: '2.0', id: 'ask', method: 'elicitation/create', params })
        const result = { content: [{ type: 'text', text: 'thanks' }] }
        finish = () => stream.event({ jsonrpc: '2.0', id: stream.rpc.id, result })
        return undefined
      },
      onBody: (_request, body) => {
        if (body.includes('"ask"')) finish()
      },
    })
    const { tools } = await list(server.url, {
      clock,
      callTimeoutMs: 1_000,
      elicit: async () => {
        asked.resolve()
        await answered.promise
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    const call = toolNamed(tools, 'search').execute({}, callContext())
    await asked.promise
    await clock.advance(3_600_000)
    answered.resolve()

    expect(await call).toMatchObject({ content: [{ text: 'thanks' }] })
  })

  test('a call after dispose says that it was not run', async () => {
    const server = await start()
    const { source, tools } = await list(server.url)
    await source.dispose()
    const call = Promise.resolve(toolNamed(tools, 'search').execute({}, callContext()))

    await expect(call).rejects.toMatchObject({ facts: { reason: 'disposed' } })
    await expect(call).rejects.toThrow('The call was not run.')
  })

  test('a server that wants a sign-in in mid-session is told by the state', async () => {
    let isOpen = true
    const server = await start({
      intercept: (_request, response) => {
        if (!isOpen) response.writeHead(401).end()
        return !isOpen
      },
    })
    const { source, tools } = await list(server.url)
    isOpen = false
    const call = Promise.resolve(toolNamed(tools, 'search').execute({}, callContext()))

    await expect(call).rejects.toMatchObject({ facts: { reason: 'needs-auth', status: 401 } })
    expect(source.getState()).toMatchObject({ status: 'needs-auth', reason: 'needs-auth' })
    isOpen = true
    await toolNamed(tools, 'search').execute({}, callContext())
    expect(source.getState().status).toBe('ready')
  })

  test('an error status leaves no doubt, unless the server fell over', async () => {
    let status = 422
    const server = await start({
      intercept: (_request, response, rpc) => {
        if (rpc?.method !== 'tools/call') return false
        response.writeHead(status).end('no')
        return true
      },
    })
    const { tools } = await list(server.url)
    const outcome = (): Promise<unknown> =>
      Promise.resolve(toolNamed(tools, 'search').execute({}, callContext())).catch(({ facts }) => facts.outcomeUnknown)

    expect(await outcome()).toBeUndefined()
    status = 502
    expect(await outcome()).toBe(true)
  })

  test('a server without tools lists none', async () => {
    const client = {
      request: () => Promise.reject(new Error('Method not found')),
      setNotificationHandler: () => {},
      getServerCapabilities: () => ({}),
      close: () => Promise.resolve(),
    }

    expect(await mcpTools({ client }).list({ signal: quiet() })).toEqual([])
  })
})
