import { createAgent, isTurnloopError, tool } from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { exposeTools } from '../src/expose-tools.ts'
import { pageTools } from '../src/page-tools.ts'
import type { LeftOutTool } from '../src/remote-tool.ts'
import { callContext, quiet, toolNamed } from './call-context.ts'
import { FakeRegistry } from './fake-registry.ts'

const signal = quiet()

test('a tool of the page has its schema, title, source and effect', async () => {
  const registry = new FakeRegistry()
  const inputSchema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }
  await registry.add('look', () => 'found', { title: 'Look', inputSchema, annotations: { readOnlyHint: true } })
  await registry.add('act', () => 'done')
  const tools = await pageTools({ registry, timeoutMs: 50 }).list({ signal })
  expect(toolNamed(tools, 'look')).toMatchObject({ title: 'Look', effect: 'read', source: 'web-mcp', timeoutMs: 50 })
  expect(toolNamed(tools, 'look').inputSchema).toMatchObject(inputSchema)
  expect(toolNamed(tools, 'act').effect).toBe('unsafe')
  await expect(toolNamed(tools, 'look').check({})).resolves.toMatchObject({ ok: false })
})

test('the loop calls a tool of the page', async () => {
  const registry = new FakeRegistry()
  await registry.add('add', (input) => {
    const { a, b } = input as { a: number; b: number }
    return { content: [{ type: 'text', text: String(a + b) }] }
  })
  const model = scriptedModel([{ calls: [{ name: 'add', input: { a: 2, b: 40 } }] }, 'It is 42.'])
  const agent = createAgent({ model, tools: [pageTools({ registry })] })
  const { messages } = await agent.turn('What is 2 + 40?').untilDone()
  const [result] = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  expect(result).toMatchObject({ status: 'ok', result: { content: [{ type: 'text', text: '42' }] } })
  expect(result?.result._meta).toMatchObject({ 'turnloop/untrusted': true, 'turnloop/mcp': { tool: 'add' } })
})

test.each([
  { what: 'a text', value: 'hello', content: 'hello' },
  { what: 'nothing', value: undefined, content: '' },
  { what: 'an object', value: { n: 1 }, content: '{"n":1}', structuredContent: { n: 1 } },
  { what: 'a list', value: [1], content: '[1]', structuredContent: { result: [1] } },
  {
    what: 'an error of MCP',
    value: { content: [{ type: 'text', text: 'no' }], isError: true },
    content: 'no',
    isError: true,
  },
])('$what becomes a result', async ({ value, content, what: _what, ...more }) => {
  const registry = new FakeRegistry()
  await registry.add('give', () => value)
  const [give] = await pageTools({ registry }).list({ signal })
  const result = await give?.execute({}, callContext())
  expect(result).toMatchObject({ content: [{ type: 'text', text: content }], ...more })
})

test('a tool that throws, and one that is gone, fail', async () => {
  const registry = new FakeRegistry()
  const gone = new AbortController()
  await registry.add('breaks', () => Promise.reject(new Error('secret')))
  await registry.add('leaves', () => 1, { signal: gone.signal })
  const tools = await pageTools({ registry }).list({ signal })
  gone.abort()
  for (const name of ['breaks', 'leaves']) {
    const error = await failure(() => toolNamed(tools, name).execute({}, callContext()))
    expect(error).toMatchObject({ code: 'tool-failed', facts: { toolName: name } })
    expect(error.facts).not.toHaveProperty('outcomeUnknown')
  }
})

test.each([
  { effect: 'read', annotations: { readOnlyHint: true }, isInDoubt: undefined },
  { effect: 'unsafe', annotations: {}, isInDoubt: true },
])('a stopped call is in doubt unless it only reads: $effect', async ({ annotations, isInDoubt }) => {
  const registry = new FakeRegistry()
  const controller = new AbortController()
  await registry.add('waits', () => new Promise(() => controller.abort()), { annotations })
  const [waits] = await pageTools({ registry }).list({ signal })
  const error = await failure(() => waits?.execute({}, callContext(controller.signal)))
  expect(error.facts.outcomeUnknown).toBe(isInDoubt)
})

test('a name that models do not take is mapped, and called by its own', async () => {
  const registry = new FakeRegistry()
  await registry.add('cart.add', () => 'added')
  const [mapped] = await pageTools({ registry, prefix: 'page_' }).list({ signal })
  expect(mapped?.name).toMatch(/^page_cart_add_\w{6}$/)
  await expect(mapped?.execute({}, callContext())).resolves.toMatchObject({ content: [{ text: 'added' }] })
})

test("what this page exposes does not come back, a frame's tool of that name does", async () => {
  const registry = new FakeRegistry()
  const own = tool({ name: 'own', description: 'Own', execute: () => 1 })
  let stop = (): void => {}
  await new Promise<unknown>((resolve) => {
    stop = exposeTools([own], { registry, onExposed: resolve })
  })
  await registry.add('script', () => 1)
  const names = async (): Promise<string[]> => (await pageTools({ registry }).list({ signal })).map(({ name }) => name)
  expect(await names()).toEqual(['script'])
  registry.rows.push({ name: 'own', description: 'Of a frame', window: {} })
  expect(await names()).toEqual(['script', 'own'])
  registry.rows.length = 0
  stop()
  await registry.add('own', () => 2)
  expect(await names()).toEqual(['script', 'own'])
})

test('tools of the page are not exposed to the page again', async () => {
  const registry = new FakeRegistry()
  await registry.add('script', () => 1)
  const agent = createAgent({ model: scriptedModel([]), tools: [pageTools({ registry })] })
  const names = await new Promise<unknown>((resolve) =>
    exposeTools(agent, { registry, prefix: 'my_', onExposed: resolve }),
  )
  expect(names).toEqual([])
})

test("the document's own tool wins over a frame's, which is told", async () => {
  const registry = new FakeRegistry()
  await registry.add('find', () => 'own')
  registry.rows.push({ name: 'find', description: 'Of a frame', source: {} })
  const leftOut: LeftOutTool[] = []
  const [find] = await pageTools({ registry, onLeftOut: (left) => void leftOut.push(left) }).list({ signal })
  expect(find?.description).toBe('A tool')
  expect(leftOut).toEqual([{ name: 'find', reason: 'another document has a tool of the same name' }])
})

test('a tool without a schema takes any arguments, as in Chromium 160', async () => {
  const registry = new FakeRegistry()
  registry.rows.push({ name: 'free', description: 'Free', title: null, inputSchema: null, annotations: null })
  const [free] = await pageTools({ registry }).list({ signal })
  expect(free?.inputSchema).toEqual({ type: 'object', properties: {} })
  await expect(free?.check({ any: 1 })).resolves.toMatchObject({ ok: true })
})

test('"configure" sees the row, changes a tool or leaves it out', async () => {
  const registry = new FakeRegistry()
  await registry.add('one', () => 1)
  await registry.add('two', () => 2)
  const source = pageTools({
    registry,
    configure: ({ name }, { origin }) =>
      name === 'two' && origin === 'https://page.test' ? { effect: 'idempotent', needsApproval: true } : false,
  })
  const tools = await source.list({ signal })
  expect(tools).toMatchObject([{ name: 'two', effect: 'idempotent', needsApproval: true }])
})

test('who subscribed hears of a change until it stops', async () => {
  const registry = new FakeRegistry()
  let changes = 0
  const stop = pageTools({ registry }).subscribe?.(() => {
    changes += 1
  })
  await registry.add('one', () => 1)
  stop?.()
  await registry.add('two', () => 2)
  expect(changes).toBe(1)
})

test('without a registry, and where the page may not use it, there are no tools', async () => {
  const registry = new FakeRegistry()
  registry.refusal = new DOMException('Not allowed', 'NotAllowedError')
  await expect(pageTools().list({ signal })).resolves.toEqual([])
  await expect(pageTools({ registry }).list({ signal })).resolves.toEqual([])
  pageTools().subscribe?.(() => {})()
  registry.refusal = new DOMException('Broken', 'InvalidStateError')
  await expect(pageTools({ registry }).list({ signal })).rejects.toThrow('Broken')
})

async function failure(run: () => unknown): Promise<{ code: string; facts: Record<string, unknown> }> {
  try {
    await run()
  } catch (error) {
    if (isTurnloopError(error)) return error
    throw error
  }
  throw new Error('it did not fail')
}
