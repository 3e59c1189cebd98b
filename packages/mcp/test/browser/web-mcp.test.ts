import { createAgent, tool } from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { exposeTools } from '../../src/expose-tools.ts'
import { pageTools } from '../../src/page-tools.ts'
import { type WebMcpListedTool, type WebMcpRegistry, type WebMcpTool, webMcpRegistry } from '../../src/web-mcp.ts'

const registry = webMcpRegistry()

if (registry === undefined) {
  console.log('SKIPPED: this browser has no document.modelContext, also with --enable-features=WebMCP')
  test.skip('WebMCP is not tested: this browser has no document.modelContext', () => {})
} else describe('the registry of this browser', () => testWith(registry))

function testWith(real: WebMcpRegistry): void {
  const undo: (() => void)[] = []
  afterEach(() => {
    for (const stop of undo.splice(0)) stop()
  })

  const add = tool({
    name: 'add',
    title: 'Add',
    description: 'Adds two numbers',
    input: z.object({ a: z.number(), b: z.number() }),
    effect: 'read',
    execute: ({ a, b }) => a + b,
  })

  function expose(tools: Parameters<typeof exposeTools>[0]): Promise<readonly string[]> {
    return new Promise((resolve) => undo.push(exposeTools(tools, { onExposed: resolve })))
  }

  async function row(name: string): Promise<WebMcpListedTool> {
    const found = (await real.getTools()).find((listed) => listed.name === name)
    if (found === undefined) throw new Error(`${name} is not registered`)
    return found
  }

  async function call(name: string, input: object, signal = new AbortController().signal): Promise<unknown> {
    return JSON.parse((await real.executeTool(await row(name), input, { signal })) ?? 'null')
  }

  /** As a script of the page registers. */
  async function register(name: string, execute: WebMcpTool['execute'], more: Partial<WebMcpTool> = {}): Promise<void> {
    const controller = new AbortController()
    undo.push(() => controller.abort())
    const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const described = { name, description: `Does ${name}`, inputSchema, annotations: {}, ...more }
    await real.registerTool({ ...described, execute }, { signal: controller.signal })
  }

  test('lists an exposed tool with its schema and hints, and calls it', async () => {
    expect(await expose([add])).toEqual(['add'])
    const { title, description, inputSchema, annotations } = await row('add')
    expect({ title, description }).toEqual({ title: 'Add', description: 'Adds two numbers' })
    expect(inputSchema).toMatchObject({ type: 'object', required: ['a', 'b'] })
    expect(annotations).toMatchObject({ readOnlyHint: true, consequentialHint: false })
    expect(await call('add', { a: 2, b: 40 })).toMatchObject({ content: [{ type: 'text', text: '42' }] })
  })

  test('arguments that the browser lets through are checked all the same', async () => {
    await expose([add])
    expect(await call('add', { a: 'two' })).toMatchObject({ isError: true })
  })

  test("a caller's abort reaches an exposed tool", async () => {
    const controller = new AbortController()
    let stopped = (): void => {}
    const wasStopped = new Promise<void>((resolve) => {
      stopped = resolve
    })
    const waits = tool({
      name: 'waits',
      description: 'Waits',
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped()
            reject(signal.reason)
          })
          controller.abort(new Error('enough'))
        }),
    })
    await expose([waits])
    await expect(call('waits', {}, controller.signal)).rejects.toThrow('enough')
    await wasStopped
  })

  test('what is taken back is gone from the registry, and can be exposed again', async () => {
    await expose([add])
    undo.pop()?.()
    expect(await real.getTools()).toEqual([])
    expect(await expose([add])).toEqual(['add'])
  })

  test("the loop calls a tool of the page, and this page's own does not come back", async () => {
    await register('double', async (input) => ({ content: [{ type: 'text', text: String(Number(input.n) * 2) }] }))
    await expose([add])
    const source = pageTools()
    const model = scriptedModel([{ calls: [{ name: 'double', input: { n: 21 } }] }, 'That is 42.'])
    const agent = createAgent({ model, tools: [add, source] })
    const { messages, outcome } = await agent.turn('Double 21').untilDone()
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
    expect(outcome.kind).toBe('completed')
    expect(results).toMatchObject([{ status: 'ok', result: { content: [{ type: 'text', text: '42' }] } }])
    const listed = await source.list({ signal: new AbortController().signal })
    expect(listed.map(({ name, effect }) => [name, effect])).toEqual([['double', 'unsafe']])
  })

  test('a stop leaves an unsafe tool of the page in doubt', async () => {
    let started = (): void => {}
    const running = new Promise<void>((resolve) => {
      started = resolve
    })
    await register('waits', () => {
      started()
      return new Promise(() => {})
    })
    const model = scriptedModel([{ calls: [{ name: 'waits', input: { n: 1 } }] }, 'Never said.'])
    const runner = createAgent({ model, tools: [pageTools()] }).turn('Wait')
    const done = runner.untilDone()
    await running
    runner.cancel()
    const { messages } = await done
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
    expect(results).toMatchObject([{ toolName: 'waits', status: 'unknown' }])
  })

  test('a change of the registry is heard', async () => {
    let stop = (): void => {}
    const heard = new Promise<void>((resolve) => {
      stop = pageTools().subscribe?.(resolve) ?? stop
    })
    await register('late', async () => ({ content: [] }))
    await heard
    stop()
  })
}
