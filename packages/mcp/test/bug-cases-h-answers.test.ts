import { type Agent, createAgent, resultText, type ToolResult, type TurnResult } from '@turnloop/core'
import { finishSignIn, type McpToolSource, mcpTools, memoryVault, oauthProvider } from '@turnloop/mcp'
import { scriptedModel } from '@turnloop/testing'
import { afterEach, expect, test } from 'vitest'
import { callContext, quiet, toolNamed } from './call-context.ts'
import { type FakeServerOptions, startFakeServer } from './fake-server.ts'
import { startGuardedServer } from './guarded-server.ts'

const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function serve(options: FakeServerOptions): Promise<McpToolSource> {
  const pages = () => ({ '': { tools: [{ name: 'draw', inputSchema: { type: 'object' } }] } })
  const server = await startFakeServer({ pages, ...options })
  cleanUps.push(server.close)
  const source = mcpTools({ url: server.url })
  cleanUps.push(() => source.dispose())
  return source
}

async function callOnce(answer: object, options: Partial<Parameters<Agent['with']>[0]> = {}): Promise<ToolResult> {
  const source = await serve({ call: () => answer })
  const model = scriptedModel([{ calls: [{ name: 'draw', input: {} }] }, 'Done.'])
  const result: TurnResult = await createAgent({ model, tools: [source] })
    .with(options)
    .turn('go')
    .untilDone()
  expect(result.outcome.kind).toBe('completed')
  const [settled] = result.messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  if (settled === undefined) throw new Error('the call was not answered')
  return settled
}

test('H9: pictures stay pictures, and what cannot be shown becomes a note', async () => {
  const data = 'QUJD'.repeat(75_000)
  const { result } = await callOnce(
    {
      content: [
        { type: 'text', text: 'ok' },
        { type: 'image', data, mimeType: 'image/png' },
        { type: 'audio', data: 'QUJD', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///b', name: 'b' },
        { type: 'hologram' },
      ],
    },
    { maxResultBytes: 400_000 },
  )
  expect(result.content.map(({ type }) => type)).toEqual(['text', 'image', 'audio', 'resource_link', 'text'])
  expect(resultText(result)).not.toContain('QUJDQUJD')
  expect(resultText(result)).toContain('hologram')
})

test('H9: a result over its byte budget is cut with a mark, doubled data or not', async () => {
  const data = 'QUJD'.repeat(75_000)
  const doubled = { content: [{ type: 'image', data, mimeType: 'image/png' }], structuredContent: { data } }
  for (const answer of [doubled, { content: [{ type: 'text', text: 'x'.repeat(20_000_000) }] }]) {
    const { result } = await callOnce(answer)
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(200_000)
    expect(resultText(result)).toMatch(/cut|left out|too large|bytes/i)
  }
})

test('H10: connecting again, a no and a reload spoil no sign-in', async () => {
  const server = await startGuardedServer()
  cleanUps.push(server.close)
  const vault = memoryVault()
  const opened: { location: { href: string }; close(): void }[] = []
  const page = (): McpToolSource => {
    const auth = oauthProvider({
      redirectUrl: 'https://page.example/back',
      vault,
      openWindow: (href) => {
        const popup = { location: { href }, close: () => {} }
        opened.push(popup)
        return popup
      },
    })
    const source = mcpTools({ url: server.url }, { auth })
    cleanUps.push(() => source.dispose())
    return source
  }
  const before = page()
  await expect(before.connect()).rejects.toMatchObject({ facts: { reason: 'needs-auth' } })
  const { signInUrl = '' } = before.getState()
  await expect(before.connect()).rejects.toMatchObject({ facts: { reason: 'needs-auth' } })
  expect(before.getState().signInUrl).toBe(signInUrl)

  // A reload: another page with the same vault goes on with the same sign-in, verifier and all.
  const after = page()
  await expect(after.connect()).rejects.toMatchObject({ facts: { reason: 'needs-auth' } })
  expect(after.getState().signInUrl).toBe(signInUrl)
  const refused = after.signIn()
  await new Promise((resolve) => setImmediate(resolve))
  finishSignIn(server.deny(signInUrl))
  await expect(refused).rejects.toMatchObject({ facts: { reason: 'sign-in-denied' } })
  expect(opened).toHaveLength(1)
  expect(after.getState()).toMatchObject({ status: 'needs-auth', reason: 'sign-in-denied' })
  const draw = after.list({ signal: quiet() })
  await expect(draw).rejects.toMatchObject({ facts: { reason: 'sign-in-denied' } })
})

test('H11: a stream that ends before the answer, without ids, leaves the outcome unknown', async () => {
  const source = await serve({
    isMute: true,
    call: (stream) => {
      stream.progress(1)
      stream.cut()
      return undefined
    },
  })
  const draw = toolNamed(await source.list({ signal: quiet() }), 'draw')
  const call = Promise.resolve(draw.execute({}, callContext()))
  await expect(call).rejects.toMatchObject({ facts: { reason: 'connection-lost', outcomeUnknown: true } })
  // No channel for notices is lawful, and nothing else is lost.
  expect(source.getState().status).not.toBe('failed')
  expect(await source.list({ signal: quiet() })).toHaveLength(1)
})

test('H11: with ids the stream is taken up where it broke, and a repeat counts once', async () => {
  const asked: string[] = []
  let answer = ''
  const source = await serve({
    call: (stream) => {
      answer = JSON.stringify({
        jsonrpc: '2.0',
        id: stream.rpc.id,
        result: { content: [{ type: 'text', text: 'late' }] },
      })
      stream.event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } }, 'event-1')
      stream.cut()
      return undefined
    },
    intercept: (request, response) => {
      const last = request.headers['last-event-id']
      if (request.method !== 'GET' || last === undefined) return false
      asked.push(String(last))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`id: 2\ndata: ${answer}\n\nid: 3\ndata: ${answer}\n\n`)
      return true
    },
  })
  const draw = toolNamed(await source.list({ signal: quiet() }), 'draw')
  expect(await draw.execute({}, callContext())).toMatchObject({ content: [{ text: 'late' }] })
  expect(asked).toEqual(['event-1'])
})
