import { createAgent, type JsonObject, resultText, type ToolResult } from '@turnloop/core'
import { type McpToolSource, type McpToolsOptions, mcpTools } from '@turnloop/mcp'
import { scriptedModel } from '@turnloop/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { callContext, quiet, toolNamed } from './call-context.ts'
import { type FakeServer, type FakeServerOptions, startFakeServer } from './fake-server.ts'

// Where a case has more variants than one, the file that is about its subject has the others, under the same name.

const cleanUps: (() => Promise<void>)[] = []

beforeEach(() => vi.stubGlobal('location', new URL('https://page.example')))
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  vi.unstubAllGlobals()
})

async function serve(options: FakeServerOptions): Promise<FakeServer> {
  const server = await startFakeServer({ call: () => ({ content: [{ type: 'text', text: 'done' }] }), ...options })
  cleanUps.push(server.close)
  return server
}

function use(target: Parameters<typeof mcpTools>[0], options?: McpToolsOptions): McpToolSource {
  const source = mcpTools(target, options)
  cleanUps.push(() => source.dispose())
  return source
}

function listing(...names: string[]): { tools: unknown[] } {
  return { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }
}

function results(messages: readonly { role: string; results?: readonly ToolResult[] }[]): ToolResult[] {
  return messages.flatMap((message) => message.results ?? [])
}

test.each([
  ['hides its session header', 'Access-Control-Expose-Headers: Mcp-Session-Id'],
  ['refuses the header of the second request', 'Access-Control-Allow-Headers: mcp-protocol-version, mcp-session-id'],
])('H1: a server that %s is never connected, and is told what to send', async (what, header) => {
  const server = await serve({
    pages: () => ({ '': listing('look') }),
    intercept: (request, response, rpc) => {
      const isStranger = rpc !== undefined && rpc.method !== 'initialize' && !request.headers['mcp-session-id']
      if (isStranger) response.writeHead(400).end('Bad Request: Server not initialized')
      return isStranger
    },
  })
  // As a browser does, between two origins.
  const throughBrowser: typeof fetch = async (url, init) => {
    if (what.startsWith('refuses') && new Headers(init?.headers).has('mcp-protocol-version'))
      throw new TypeError('Failed to fetch')
    const { body, status, headers } = await fetch(url, init)
    const seen = new Headers(headers)
    if (what.startsWith('hides')) seen.delete('mcp-session-id')
    return new Response(body, { status, headers: seen })
  }
  const source = use({ url: server.url }, { fetch: throughBrowser })
  await expect(source.list({ signal: quiet() })).rejects.toMatchObject({ facts: { reason: 'cors', header } })
  expect(source.getState()).toMatchObject({ status: 'failed', reason: 'cors' })
})

test('H1: a server without sessions has none to expose', async () => {
  const server = await serve({ pages: () => ({ '': listing('look') }), isStateless: true })
  expect(await use({ url: server.url }).list({ signal: quiet() })).toHaveLength(1)
})

test.each([
  ['an empty body', ''],
  ['a page of HTML', '<html>gone</html>'],
  ['an error of JSON-RPC', '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'],
])('H2: a forgotten session, told with %s, is opened anew once', async (_what, body) => {
  const server = await serve({ pages: () => ({ '': listing('look') }) })
  const source = use({ url: server.url }, { configure: () => ({ effect: 'idempotent' }) })
  const look = toolNamed(await source.list({ signal: quiet() }), 'look')
  await look.execute({}, callContext())
  server.forget(body)
  const answers = await Promise.all([1, 2].map((n) => look.execute({ n }, callContext())))
  expect(answers).toMatchObject([{ content: [{ text: 'done' }] }, { content: [{ text: 'done' }] }])
  expect(server.initialised).toBe(2)
})

test('H4: a tool taken away in mid-turn is unknown in the next step', async () => {
  const names = ['lock', 'open']
  let changed = (): void => {}
  const heard = new Promise<void>((resolve) => {
    changed = resolve
  })
  const server = await serve({
    pages: () => ({ '': listing(...names) }),
    call: async ({ rpc }) => {
      if (rpc.params.name === 'open') return { code: -32602, message: 'Unknown tool: open' }
      names.pop()
      await server.notify('notifications/tools/list_changed')
      await heard
      return { content: [{ type: 'text', text: 'locked' }] }
    },
  })
  const source = use({ url: server.url })
  source.subscribe(changed)
  const open = { name: 'open', input: {} }
  // One step sees one fixed set: in the first, the server says that it is gone.
  const model = scriptedModel([{ calls: [{ name: 'lock', input: {} }, open] }, { calls: [open] }, 'It is gone.'])
  const agent = createAgent({ model, tools: [source], toolExecution: 'sequential' })
  const { messages, outcome } = await agent.turn('go').untilDone()
  expect(outcome.kind).toBe('completed')
  expect(results(messages).map(({ status }) => status)).toEqual(['ok', 'error', 'error'])
  expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ['lock', 'open'],
    ['lock'],
    ['lock'],
  ])
  expect(results(messages).map(({ result }) => resultText(result))[2]).toMatch(/no tool.*open|open.*(not|unknown)/i)
})

test('H5: every name is one that models take, and reaches the server as it was', async () => {
  const names = ['cal.read', 'cal/read', `${'a'.repeat(70)}X`, `${'a'.repeat(70)}Y`, 'čas', 'search']
  const server = await serve({ pages: () => ({ '': listing(...names) }) })
  const other = await serve({ pages: () => ({ '': listing('search') }) })
  const source = use({ url: server.url }, { prefix: 'one_' })
  const tools = [source, use({ url: other.url }, { prefix: 'two_' })]
  const model = scriptedModel(({ tools: offered }) =>
    offered.length === 7 && model.requests.length === 1
      ? { calls: offered.slice(0, 6).map(({ name }) => ({ name, input: {} })) }
      : 'Done.',
  )
  await createAgent({ model, tools }).turn('go').untilDone()

  const offered = model.requests[0]?.tools.map(({ name }) => name) ?? []
  expect(offered.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true)
  expect(new Set(offered).size).toBe(7)
  const called = server.received.filter(({ method }) => method === 'tools/call').map(({ params }) => params.name)
  expect(called.sort()).toEqual([...names].sort())
  const again = await use({ url: server.url }, { prefix: 'one_' }).list({ signal: quiet() })
  expect(again.map(({ name }) => name)).toEqual(offered.slice(0, 6))
})

test('H6: a schema keeps what its references mean, and a bad tool costs no other', async () => {
  const modes = { properties: { mode: { $ref: '#/$defs/M' } }, $defs: { M: { enum: ['fast', 'slow'] } } }
  const tools = [
    { name: 'run', inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', ...modes } },
    { name: 'odd', inputSchema: { type: 'object' }, outputSchema: { properties: {} } },
    { name: 'bad', inputSchema: 'none' },
  ]
  const server = await serve({ pages: () => ({ '': { tools } }) })
  const source = use({ url: server.url })
  const listed = await source.list({ signal: quiet() })
  expect(listed.map(({ name }) => name)).toEqual(['run', 'odd'])
  expect(source.leftOut()).toEqual([{ name: 'bad', reason: 'its inputSchema is no object' }])
  const run = toolNamed(listed, 'run')
  expect(run.inputSchema).toMatchObject({ type: 'object', properties: { mode: { enum: ['fast', 'slow'] } } })
  const check = async (mode: string): Promise<boolean> => (await run.check({ mode } satisfies JsonObject)).ok
  expect([await check('fast'), await check('medium')]).toEqual([true, false])
})
