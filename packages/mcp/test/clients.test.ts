import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { isTurnloopError, type ToolSource } from '@turnloop/core'
import { type McpClientLike, type McpToolSource, mcpTools } from '@turnloop/mcp'
import { deferred } from '@turnloop/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { callContext, quiet, toolNamed } from './call-context.ts'
import { type CallStream, type FakeServer, startFakeServer } from './fake-server.ts'

const info = { name: 'test', version: '1' }

async function v1(url: string): Promise<McpClientLike> {
  const client = new Client(info)
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport)
  return client
}

async function v2(url: string): Promise<McpClientLike> {
  const client = new ClientV2(info)
  await client.connect(new TransportV2(new URL(url)))
  return client
}

const WAYS: Record<string, (url: string) => Promise<McpToolSource>> = {
  'a URL': async (url) => mcpTools({ url }),
  'a client of version 1': async (url) => mcpTools({ client: await v1(url) }),
  'a client of version 2': async (url) => mcpTools({ client: await v2(url) }),
  'a function that connects': async (url) => mcpTools({ client: () => v2(url) }),
}

describe.each(Object.entries(WAYS))('tools through %s', (_way, open) => {
  const cleanUps: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  })

  async function start(
    tools: () => unknown[],
    call?: (stream: CallStream) => object | undefined | Promise<object | undefined>,
  ): Promise<{ server: FakeServer; source: McpToolSource }> {
    const half = (): unknown[][] => [tools().slice(0, 1), tools().slice(1)]
    const pages = (): Record<string, { tools: unknown[]; nextCursor?: string }> => ({
      '': { tools: half()[0] ?? [], nextCursor: 'two' },
      two: { tools: half()[1] ?? [] },
    })
    const server = await startFakeServer({ pages, ...(call !== undefined && { call }) })
    cleanUps.push(server.close)
    const source = await open(server.url)
    cleanUps.push(() => source.dispose())
    return { server, source }
  }

  test('all pages are listed, and a malformed tool costs no other', async () => {
    const { source } = await start(() => [
      { name: 'a', inputSchema: { type: 'object' } },
      { name: 'b', inputSchema: { type: 'string' }, outputSchema: { no: 'type' } },
      { name: 'c.d', inputSchema: { type: 'object' }, outputSchema: { no: 'type' } },
    ])
    const tools = await source.list({ signal: quiet() })

    expect(tools.map(({ name }) => source.details(name)?.name)).toEqual(['a', 'c.d'])
    expect(source.leftOut()).toEqual([{ name: 'b', reason: expect.stringContaining('schema') }])
  })

  test('a call gets the original name and arguments, shows progress and gives its result', async () => {
    const { server, source } = await start(
      () => [{ name: 'count.up', inputSchema: { type: 'object' } }],
      (stream) => {
        stream.progress(1, 2)
        stream.progress(2, 2)
        return { content: [{ type: 'text', text: 'two' }, { type: 'hologram' }], structuredContent: { n: 2 } }
      },
    )
    const [tool] = await source.list({ signal: quiet() })
    const context = callContext()
    const result = await tool?.execute({ to: 2 }, context)

    const { params } = await server.message('tools/call')
    expect(params).toMatchObject({ name: 'count.up', arguments: { to: 2 } })
    expect(context.updates).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ])
    expect(result).toMatchObject({ structuredContent: { n: 2 }, _meta: { 'turnloop/untrusted': true } })
  })

  test('Stop is told to the server, and what may have happened is said', async () => {
    const { server, source } = await start(
      () => [
        { name: 'pay', inputSchema: { type: 'object' } },
        { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      ],
      () => undefined,
    )
    const tools = await source.list({ signal: quiet() })
    for (const [name, isInDoubt] of [
      ['pay', true],
      ['look', undefined],
    ] as const) {
      const stop = new AbortController()
      const call = toolNamed(tools, name).execute({}, callContext(stop.signal))
      await server.message('tools/call')
      stop.abort('stop')

      const error = await Promise.resolve(call).catch((thrown: unknown) => thrown)
      expect(isTurnloopError(error) && error.facts.outcomeUnknown).toBe(isInDoubt)
      server.received.splice(0, server.received.findIndex(({ method }) => method === 'tools/call') + 1)
      const { params } = await server.message('notifications/cancelled')
      expect(params.requestId).toBeDefined()
      server.received.length = 0
    }
  })

  test('a notice of change makes the next list a new one', async () => {
    let names = ['unlock']
    const { server, source } = await start(() => names.map((name) => ({ name, inputSchema: { type: 'object' } })))
    await source.list({ signal: quiet() })
    const changed = deferred<void>()
    source.subscribe(() => changed.resolve())

    names = ['unlock', 'open']
    await server.notify('notifications/tools/list_changed')
    await changed.promise

    expect(await namesOf(source)).toEqual(['unlock', 'open'])
  })

  test('an error that the server answers is a result, in its words', async () => {
    const { source } = await start(
      () => [{ name: 'gone', inputSchema: { type: 'object' } }],
      () => ({ code: -32602, message: 'Unknown tool: gone' }),
    )
    const [tool] = await source.list({ signal: quiet() })

    expect(await tool?.execute({}, callContext())).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('Unknown tool: gone') }],
      _meta: { 'turnloop/untrusted': true },
    })
  })
})

async function namesOf(source: ToolSource): Promise<string[]> {
  return (await source.list({ signal: quiet() })).map(({ name }) => name)
}
