import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { isTurnloopError, type Tool } from '@turnloop/core'
import { type McpState, type McpToolSource, mcpTools } from '@turnloop/mcp'
import { afterEach, describe, expect, test } from 'vitest'
import { callContext, quiet, toolNamed } from './call-context.ts'
import { type FakeServer, type FakeServerOptions, startFakeServer } from './fake-server.ts'

const TOOLS = [
  { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  { name: 'pay', inputSchema: { type: 'object' } },
]

describe('a server that forgets the session', () => {
  const cleanUps: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  })

  async function start(options: FakeServerOptions = {}): Promise<{
    server: FakeServer
    source: McpToolSource
    tools: readonly Tool[]
    states: McpState['status'][]
  }> {
    const server = await startFakeServer({
      pages: () => ({ '': { tools: TOOLS } }),
      call: () => ({ content: [{ type: 'text', text: 'done' }] }),
      ...options,
    })
    cleanUps.push(server.close)
    const source = mcpTools({ url: server.url })
    cleanUps.push(() => source.dispose())
    const states: McpState['status'][] = []
    source.subscribeState(() => states.push(source.getState().status))
    const tools = await source.list({ signal: quiet() })
    return { server, source, tools, states }
  }

  test.each([
    '',
    '<html>gone</html>',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}',
  ])('one new session serves all waiting calls that are safe (H2) [%s]', async (body) => {
    const { server, tools, states } = await start()
    server.forget(body)
    const look = toolNamed(tools, 'look')
    const results = await Promise.all([1, 2, 3].map((n) => look.execute({ n }, callContext())))

    expect(results).toHaveLength(3)
    for (const result of results) expect(result).toMatchObject({ content: [{ text: 'done' }] })
    expect(server.initialised).toBe(2)
    expect(states).toEqual(['connecting', 'ready', 'reconnecting', 'ready'])
  })

  test('a call that is not declared safe is not run again, and the next one works (H2)', async () => {
    const { server, tools } = await start()
    server.forget()
    const pay = toolNamed(tools, 'pay')
    const error = await Promise.resolve(pay.execute({}, callContext())).catch((thrown: unknown) => thrown)

    expect(isTurnloopError(error) && error.facts).toMatchObject({ reason: 'session-lost', toolName: 'pay' })
    expect(isTurnloopError(error) && error.facts.outcomeUnknown).toBeUndefined()
    expect(await pay.execute({}, callContext())).toMatchObject({ content: [{ text: 'done' }] })
    expect(server.received.filter(({ method }) => method === 'tools/call')).toHaveLength(1)
    expect(server.initialised).toBe(2)
  })

  test('a late 404 of the old session does not hurt the new one (H2)', async () => {
    let releaseLate = (): void => {}
    const { server, tools } = await start({
      intercept: (_request, response, rpc) => {
        const isLate = rpc?.method === 'tools/call' && JSON.stringify(rpc.params).includes('"late"')
        if (!isLate || releaseLate.name === 'answer') return false
        releaseLate = function answer() {
          response.writeHead(404).end()
        }
        return true
      },
    })
    const look = toolNamed(tools, 'look')
    const late = look.execute({ n: 'late' }, callContext())
    server.forget()
    await look.execute({ n: 1 }, callContext())
    releaseLate()

    expect(await late).toMatchObject({ content: [{ text: 'done' }] })
    expect(server.initialised).toBe(2)
  })

  test('a new session may have other tools, and whoever listens hears of it', async () => {
    const listed = [...TOOLS]
    const { server, source, tools } = await start({ pages: () => ({ '': { tools: listed } }) })
    const changes: string[] = []
    source.subscribe(() => changes.push(source.getState().status))
    listed.pop()
    server.forget()
    await toolNamed(tools, 'look').execute({}, callContext())

    expect(changes).toEqual(['ready'])
    expect(await source.list({ signal: quiet() })).toHaveLength(1)
  })

  test('a list that meets it is asked for again', async () => {
    const { server, source } = await start()
    server.forget()
    source.refresh()

    expect(await source.list({ signal: quiet() })).toHaveLength(2)
    expect(source.getState().status).toBe('ready')
  })

  test('a client that a function made is made anew (H2)', async () => {
    const { server } = await start()
    const connect = async (): Promise<Client> => {
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
      return client
    }
    const source = mcpTools({ client: connect })
    cleanUps.push(() => source.dispose())
    const look = toolNamed(await source.list({ signal: quiet() }), 'look')
    const before = server.initialised
    server.forget()

    expect(await look.execute({}, callContext())).toMatchObject({ content: [{ text: 'done' }] })
    expect(server.initialised - before).toBeLessThanOrEqual(2)
    expect(source.getState().status).toBe('ready')
  })

  test('404 without a session is not taken for one that was lost', async () => {
    const { server, source } = await start({
      isStateless: true,
      intercept: (_request, response, rpc) => {
        if (rpc?.method !== 'tools/call') return false
        response.writeHead(404).end('no such thing')
        return true
      },
    })
    const tools = await source.list({ signal: quiet() })
    const call = Promise.resolve(toolNamed(tools, 'look').execute({}, callContext()))

    await expect(call).rejects.toMatchObject({ facts: { reason: 'refused', status: 404 } })
    expect(server.initialised).toBe(1)
  })
})
