import { type McpElicitation, mcpTools } from '@turnloop/mcp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callContext, quiet, toolNamed } from './call-context.ts'
import { type EverythingServer, startEverythingServer } from './everything-server.ts'

describe('the everything server', () => {
  let server: EverythingServer
  beforeAll(async () => {
    server = await startEverythingServer()
  })
  afterAll(() => server.stop())

  test('asks the person in the middle of a call, and a model', async () => {
    const asked: McpElicitation[] = []
    const source = mcpTools(
      { url: server.url },
      {
        elicit: async (request) => {
          asked.push(request)
          return { action: 'accept', content: { name: 'Ada' } }
        },
        sample: async () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'a poem' } }),
      },
    )
    const tools = await source.list({ signal: quiet() })
    const elicited = await toolNamed(tools, 'trigger-elicitation-request').execute({}, callContext())
    const sampled = await toolNamed(tools, 'trigger-sampling-request').execute(
      { prompt: 'hi', maxTokens: 10 },
      callContext(),
    )
    await source.dispose()

    expect(asked).toMatchObject([{ mode: 'form', requestedSchema: { type: 'object' } }])
    expect(JSON.stringify(elicited)).toContain('Ada')
    expect(JSON.stringify(sampled)).toContain('a poem')
  })

  test('is used again after a restart in the middle of the session', async () => {
    const source = mcpTools({ url: server.url }, { configure: () => ({ effect: 'read' }) })
    const echo = toolNamed(await source.list({ signal: quiet() }), 'echo')
    await server.stop()
    await expect(echo.execute({ message: 'nobody' }, callContext())).rejects.toMatchObject({
      facts: { reason: 'connection-lost' },
    })
    expect(source.getState()).toMatchObject({ status: 'reconnecting', reason: 'connection-lost' })
    server = await startEverythingServer({ port: server.port })

    expect(await echo.execute({ message: 'back' }, callContext())).toMatchObject({ content: [{ text: 'Echo: back' }] })
    expect(source.getState().status).toBe('ready')
    await source.dispose()
  })

  test('is reached over SSE where it speaks nothing newer', async () => {
    const older = await startEverythingServer({ transport: 'sse' })
    const source = mcpTools({ url: older.url })
    const echo = toolNamed(await source.list({ signal: quiet() }), 'echo')

    expect(await echo.execute({ message: 'old' }, callContext())).toMatchObject({ content: [{ text: 'Echo: old' }] })
    await source.dispose()
    await older.stop()
  })
})
