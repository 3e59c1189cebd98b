import { createAgent } from '@turnloop/core'
import { mcpTools } from '@turnloop/mcp'
import { deferred, scriptedModel } from '@turnloop/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { quiet } from './call-context.ts'
import { type FakeServer, startFakeServer } from './fake-server.ts'

describe('a list that changes', () => {
  let server: FakeServer | undefined
  afterEach(async () => server?.close())

  const named = (...names: string[]): { tools: unknown[] } => ({
    tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })),
  })

  test('a tool that a call unlocks can be used in the next step (H4)', async () => {
    const names = ['unlock']
    const changed = deferred<void>()
    server = await startFakeServer({
      pages: () => ({ '': named(...names) }),
      call: async ({ rpc }) => {
        if (rpc.params.name === 'unlock') {
          names.push('open')
          await server?.notify('notifications/tools/list_changed')
          await changed.promise
        }
        return { content: [{ type: 'text', text: `${rpc.params.name} done` }] }
      },
    })
    const source = mcpTools({ url: server.url })
    source.subscribe(() => changed.resolve())
    const model = scriptedModel([
      { calls: [{ name: 'unlock', input: {} }] },
      { calls: [{ name: 'open', input: {} }] },
      'Both done.',
    ])

    const { messages } = await createAgent({ model, tools: [source] })
      .turn('go')
      .untilDone()
    await source.dispose()
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))

    expect(results.map(({ status, toolName }) => `${toolName} ${status}`)).toEqual(['unlock ok', 'open ok'])
  })

  test('a notice that comes while a list is on its way beats it (H4)', async () => {
    let names = ['old']
    let isHeld = false
    const asked = deferred<void>()
    const release = deferred<void>()
    const plain = {
      listTools: async () => {
        const page = named(...names)
        if (isHeld) {
          asked.resolve()
          await release.promise
        }
        return page
      },
      callTool: () => Promise.resolve({}),
      onToolsChanged: (listener: () => void) => {
        notify = listener
        return () => {}
      },
    }
    let notify = (): void => {}
    const source = mcpTools({ client: plain })
    await source.list({ signal: quiet() })

    isHeld = true
    notify()
    const list = source.list({ signal: quiet() })
    await asked.promise
    names = ['new']
    notify()
    isHeld = false
    release.resolve()

    expect((await list).map(({ name }) => name)).toEqual(['new'])
  })

  test('many notices cost one list, and none costs no list (H4)', async () => {
    let lists = 0
    let notify = (): void => {}
    const plain = {
      listTools: () => {
        lists += 1
        return Promise.resolve(named('a'))
      },
      callTool: () => Promise.resolve({}),
      onToolsChanged: (listener: () => void) => {
        notify = listener
        return () => {}
      },
    }
    const source = mcpTools({ client: plain })
    const first = await source.list({ signal: quiet() })
    expect(await source.list({ signal: quiet() })).toBe(first)
    for (let times = 0; times < 20; times += 1) notify()
    await Promise.all([source.list({ signal: quiet() }), source.list({ signal: quiet() })])

    expect(lists).toBe(2)
  })

  test('what was missed while the stream of notices was away is asked for', async () => {
    const names = ['before']
    server = await startFakeServer({ pages: () => ({ '': named(...names) }) })
    const source = mcpTools({ url: server.url })
    await source.list({ signal: quiet() })
    await server.notify('notifications/message')
    const changed = deferred<void>()
    source.subscribe(() => changed.resolve())
    names.push('missed')
    server.cutNotices()
    await changed.promise

    expect((await source.list({ signal: quiet() })).map(({ name }) => name)).toEqual(['before', 'missed'])
    await source.dispose()
  })

  test('a list that pages in a circle is refused', async () => {
    const client = {
      listTools: () => Promise.resolve({ ...named('a'), nextCursor: 'again' }),
      callTool: () => Promise.resolve({}),
    }

    await expect(mcpTools({ client }).list({ signal: quiet() })).rejects.toMatchObject({
      code: 'tool-list-failed',
      facts: { reason: 'not-mcp' },
    })
  })
})
