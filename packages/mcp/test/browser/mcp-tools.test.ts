import { createAgent, resultText, type ToolResult } from '@turnloop/core'
import { type McpElicitation, mcpTools } from '@turnloop/mcp'
import { scriptedModel } from '@turnloop/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from 'vitest/browser'
import { callContext, quiet, toolNamed } from '../call-context.ts'
import type { ServerKind } from './server-commands.ts'

declare module 'vitest/browser' {
  interface BrowserCommands {
    startServer(kind: ServerKind): Promise<string>
    restartServer(url: string): Promise<void>
    seenBy(url: string): Promise<readonly string[]>
    stopServers(): Promise<void>
  }
}

afterAll(() => commands.stopServers())

describe('the everything server, from a page', () => {
  let url = ''
  beforeAll(async () => {
    url = await commands.startServer('everything')
  })

  test('a turn calls its tools, and gets structured content and a picture', async () => {
    const source = mcpTools({ url })
    const model = scriptedModel([
      {
        calls: [
          { name: 'get-sum', input: { a: 2, b: 3 } },
          { name: 'get-structured-content', input: { location: 'Chicago' } },
          { name: 'get-tiny-image', input: {} },
          { name: 'get-sum', input: { a: 'two' } },
        ],
      },
      'Done.',
    ])
    const { messages } = await createAgent({ model, tools: [source] })
      .turn('go')
      .untilDone()
    await source.dispose()
    const results: ToolResult[] = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))

    expect(results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'error'])
    expect(results[0] && resultText(results[0].result)).toContain('5')
    expect(results[1]?.result.structuredContent).toHaveProperty('temperature')
    expect(results[2]?.result.content.map(({ type }) => type)).toContain('image')
    expect(results.slice(0, 3).every(({ result }) => result._meta?.['turnloop/untrusted'] === true)).toBe(true)
  })

  test('a long call shows its progress, and Stop is answered at once', async () => {
    const source = mcpTools({ url })
    const slow = toolNamed(await source.list({ signal: quiet() }), 'trigger-long-running-operation')
    const stop = new AbortController()
    const context = { ...callContext(stop.signal), progress: () => stop.abort('enough') }
    const call = Promise.resolve(slow.execute({ duration: 600, steps: 6_000 }, context))

    await expect(call).rejects.toMatchObject({ facts: { toolName: 'trigger-long-running-operation' } })
    await source.dispose()
  })

  test('Stop reaches the server', async () => {
    const watched = await commands.startServer('watched')
    const source = mcpTools({ url: watched })
    const slow = toolNamed(await source.list({ signal: quiet() }), 'trigger-long-running-operation')
    const stop = new AbortController()
    const context = { ...callContext(stop.signal), progress: () => stop.abort('enough') }
    await expect(slow.execute({ duration: 600, steps: 6_000 }, context)).rejects.toThrow()

    await expect.poll(() => commands.seenBy(watched)).toContain('notifications/cancelled')
    await source.dispose()
  })

  test('the person is asked in the middle of a call', async () => {
    const asked: McpElicitation[] = []
    const elicit = async (request: McpElicitation): Promise<{ action: 'decline' }> => {
      asked.push(request)
      return { action: 'decline' }
    }
    const source = mcpTools({ url }, { elicit })
    const tool = toolNamed(await source.list({ signal: quiet() }), 'trigger-elicitation-request')
    const result = await tool.execute({}, callContext())
    await source.dispose()

    expect(asked[0]?.mode).toBe('form')
    expect(JSON.stringify(result)).toMatch(/declin/i)
  })

  test('it is used again after a restart', async () => {
    const source = mcpTools({ url }, { configure: () => ({ effect: 'idempotent' }) })
    const echo = toolNamed(await source.list({ signal: quiet() }), 'echo')
    await commands.restartServer(url)

    expect(await echo.execute({ message: 'back' }, callContext())).toMatchObject({ content: [{ text: 'Echo: back' }] })
    await source.dispose()
  })

  test('a page whose policy forbids eval lists, checks and calls', async () => {
    const told = new Promise<unknown>((resolve) => {
      addEventListener('message', ({ data }) => {
        if (typeof data === 'object' && data !== null && 'strict' in data) resolve(data.strict)
      })
    })
    const frame = document.createElement('iframe')
    frame.src = `/packages/mcp/test/browser/fixtures/strict.html?url=${encodeURIComponent(url)}`
    document.body.append(frame)
    const report = await told
    frame.remove()

    expect(report).toMatchObject({
      mayEval: false,
      isRefused: true,
      result: { structuredContent: { temperature: expect.anything() } },
    })
  })
})

test('the memory server, which speaks over its standard streams, is used through a bridge', async () => {
  const source = mcpTools({ url: await commands.startServer('memory') })
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }]
  const model = scriptedModel([
    { calls: [{ name: 'create_entities', input: { entities } }] },
    { calls: [{ name: 'read_graph', input: {} }] },
    'Done.',
  ])
  const { messages } = await createAgent({ model, tools: [source] })
    .turn('go')
    .untilDone()
  await source.dispose()
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))

  expect(model.requests[0]?.tools).toHaveLength(9)
  expect(results.map(({ status }) => status)).toEqual(['ok', 'ok'])
  expect(results[1]?.result.structuredContent).toMatchObject({ entities })
})

describe('a server of another origin', () => {
  const facts = async (kind: ServerKind): Promise<unknown> => {
    const source = mcpTools({ url: await commands.startServer(kind) })
    return source.list({ signal: quiet() }).catch((error) => error.facts)
  }

  test('that hides its session id is told what to send (H1)', async () => {
    expect(await facts('hides-session')).toMatchObject({
      reason: 'cors',
      header: 'Access-Control-Expose-Headers: Mcp-Session-Id',
    })
  })

  test('that refuses the protocol version is told what to send (H1)', async () => {
    expect(await facts('refuses-version')).toMatchObject({
      reason: 'cors',
      header: expect.stringContaining('mcp-protocol-version'),
    })
  })

  test('that lets no page in is told from one that is down (H1)', async () => {
    expect(await facts('refuses-all')).toMatchObject({ reason: 'cors', header: 'Access-Control-Allow-Origin' })
    const gone = mcpTools({ url: 'http://127.0.0.1:9/mcp' })
    await expect(gone.list({ signal: quiet() })).rejects.toMatchObject({ facts: { reason: 'unreachable' } })
  })
})
