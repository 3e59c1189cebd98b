import type { Tool } from '@turnloop/core'
import { type McpToolSource, mcpTools } from '@turnloop/mcp'
import { manualClock } from '@turnloop/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { callContext, quiet, toolNamed } from './call-context.ts'
import { type FakeServerOptions, startFakeServer } from './fake-server.ts'

const TOOLS = [
  { name: 'slow', inputSchema: { type: 'object' } },
  { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
]

describe('a stream that breaks', () => {
  const cleanUps: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  })

  async function start(
    options: FakeServerOptions,
    settings = {},
  ): Promise<{ source: McpToolSource; tools: readonly Tool[] }> {
    const server = await startFakeServer({ pages: () => ({ '': { tools: TOOLS } }), ...options })
    cleanUps.push(server.close)
    const source = mcpTools({ url: server.url }, settings)
    cleanUps.push(() => source.dispose())
    return { source, tools: await source.list({ signal: quiet() }) }
  }

  test('before the answer and without event ids, the call says that its outcome is unknown (H11)', async () => {
    const { tools } = await start({
      call: (stream) => {
        stream.progress(1)
        stream.cut()
        return undefined
      },
    })
    const context = callContext()
    const call = Promise.resolve(toolNamed(tools, 'slow').execute({}, context))

    await expect(call).rejects.toMatchObject({ facts: { reason: 'connection-lost', outcomeUnknown: true } })
    expect(context.updates).toEqual([{ progress: 1 }])
  })

  test('with event ids it is taken up again, and an answer that comes twice counts once (H11)', async () => {
    let id: string | number | undefined
    const asked: (string | undefined)[] = []
    const { tools } = await start({
      call: (stream) => {
        id = stream.rpc.id
        stream.event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } }, 'event-1')
        stream.cut()
        return undefined
      },
      intercept: (request, response) => {
        const last = request.headers['last-event-id']
        if (request.method !== 'GET' || last === undefined) return false
        asked.push(String(last))
        const answer = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'late' }] } })
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(`id: event-2\ndata: ${answer}\n\nid: event-3\ndata: ${answer}\n\n`)
        return true
      },
    })

    const result = await toolNamed(tools, 'slow').execute({}, callContext())
    expect(result).toMatchObject({ content: [{ text: 'late' }] })
    expect(asked).toEqual(['event-1'])
  })

  test('a server without a stream for notices is fine, and is asked for its list each time (H11)', async () => {
    const names = ['one']
    const server = await startFakeServer({
      isMute: true,
      pages: () => ({ '': { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) } }),
    })
    cleanUps.push(server.close)
    const source = mcpTools({ url: server.url })
    cleanUps.push(() => source.dispose())
    await source.list({ signal: quiet() })
    names.push('two')

    expect((await source.list({ signal: quiet() })).map(({ name }) => name)).toEqual(['one', 'two'])
    expect(source.getState().status).toBe('ready')
  })

  test('a call without a sign of life ends, and each progress gives it more time', async () => {
    const clock = manualClock()
    let send: ((progress: number) => void) | undefined
    const { tools } = await start(
      {
        call: (stream) => {
          send = (progress) => stream.progress(progress)
          send(0)
          return undefined
        },
      },
      { clock, callTimeoutMs: 1_000 },
    )
    const heard: unknown[] = []
    let hear = (): void => {}
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        hear = resolve
      })
    const context = {
      ...callContext(),
      progress: (update: unknown) => {
        heard.push(update)
        hear()
      },
    }
    const first = next()
    const call = Promise.resolve(toolNamed(tools, 'look').execute({}, context))
    const end = expect(call).rejects.toMatchObject({ code: 'tool-timed-out', facts: { reason: 'timed-out' } })
    await first
    for (const progress of [1, 2, 3]) {
      await clock.advance(900)
      const shown = next()
      send?.(progress)
      await shown
    }
    await clock.advance(1_000)

    await end
    expect(heard).toHaveLength(4)
  })
})
