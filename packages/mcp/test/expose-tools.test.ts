import { createAgent, defineGuardrail, defineHooks, RetryModel, type Tool, tool, toolHooks } from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type ExposeOptions, exposeTools } from '../src/expose-tools.ts'
import type { LeftOutTool } from '../src/remote-tool.ts'
import { FakeRegistry } from './fake-registry.ts'

const add = tool({
  name: 'add',
  title: 'Add',
  description: 'Adds two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  effect: 'read',
  execute: ({ a, b }) => a + b,
})

/** Expose, and wait until the first list is registered. */
async function expose(
  given: Parameters<typeof exposeTools>[0],
  options: ExposeOptions = {},
): Promise<{ registry: FakeRegistry; stop: () => void; leftOut: LeftOutTool[]; names: readonly string[] }> {
  const registry = new FakeRegistry()
  const leftOut: LeftOutTool[] = []
  let stop = (): void => {}
  const names = await new Promise<readonly string[]>((resolve) => {
    const told = { registry, onExposed: resolve, onLeftOut: (left: LeftOutTool) => void leftOut.push(left) }
    stop = exposeTools(given, { ...told, ...options })
  })
  return { registry, stop, leftOut, names }
}

function text(result: unknown): string {
  return (result as { content: { text: string }[] }).content.map((block) => block.text).join('\n')
}

test('a tool is registered with its schema, title and hints', async () => {
  const { registry, names } = await expose([add])
  expect(names).toEqual(['add'])
  const { name, title, description, inputSchema, annotations } = registry.tools.get('add') ?? {}
  expect({ name, title, description, annotations }).toEqual({
    name: 'add',
    title: 'Add',
    description: 'Adds two numbers',
    annotations: { readOnlyHint: true, consequentialHint: false },
  })
  expect(inputSchema).toMatchObject({ type: 'object', required: ['a', 'b'] })
})

test('a call comes back as a result of MCP', async () => {
  const { registry } = await expose([add])
  const result = await registry.call('add', { a: 2, b: 40 })
  expect(result).toEqual({ content: [{ type: 'text', text: '42' }], structuredContent: { result: 42 } })
})

test('arguments that do not fit never reach the tool', async () => {
  let runs = 0
  const { registry } = await expose([
    tool({ ...options('count'), input: z.object({ n: z.number() }), execute: () => ++runs }),
  ])
  const result = await registry.call('count', { n: 'two' })
  expect(result).toMatchObject({ isError: true })
  expect(text(result)).toContain('do not fit its schema')
  expect(runs).toBe(0)
})

test('what a tool throws is a result with isError', async () => {
  const { registry } = await expose([failing('breaks', 'no such table')])
  const result = await registry.call('breaks')
  expect(result).toEqual({ content: [{ type: 'text', text: 'no such table' }], isError: true })
})

test("a caller's cancel reaches the tool", async () => {
  const reached = deferred()
  let started = (): void => {}
  const running = new Promise<void>((resolve) => {
    started = resolve
  })
  const waits = tool({
    ...options('waits'),
    execute: (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        started()
        signal.addEventListener('abort', () => {
          reached.resolve()
          reject(signal.reason)
        })
      }),
  })
  const { registry } = await expose([waits])
  const controller = new AbortController()
  const call = registry.call('waits', {}, controller.signal)
  await running
  controller.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  await reached.promise
})

test('a tool over its time limit is told to stop and answered for', async () => {
  const slow = tool({
    ...options('slow'),
    timeoutMs: 1,
    execute: (_input, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  const { registry } = await expose([slow])
  expect(text(await registry.call('slow'))).toContain('did not finish within 1 ms')
})

test('taking back unregisters, and may be done twice', async () => {
  const { registry, stop } = await expose([add])
  stop()
  stop()
  expect(registry.tools.size).toBe(0)
})

test('taken back before the list came, nothing is registered', async () => {
  const registry = new FakeRegistry()
  const asked = deferred()
  const list = deferred<readonly Tool[]>()
  const source = {
    list: () => {
      asked.resolve()
      return list.promise
    },
  }
  const stop = exposeTools([source], { registry })
  await asked.promise
  stop()
  list.resolve([add])
  await new Promise((resolve) => setImmediate(resolve))
  expect(registry.tools.size).toBe(0)
})

test('taken back at once, a source is not even asked', async () => {
  let lists = 0
  const source = {
    list: async () => {
      lists += 1
      return []
    },
  }
  exposeTools([source], { registry: new FakeRegistry() })()
  await new Promise((resolve) => setImmediate(resolve))
  expect(lists).toBe(0)
})

test('without a registry nothing happens', () => {
  expect(() => exposeTools([add])()).not.toThrow()
})

test('exposing again at once works, as in StrictMode', async () => {
  const { registry, stop } = await expose([add])
  stop()
  await new Promise<unknown>((resolve) => exposeTools([add], { registry, onExposed: resolve }))
  expect([...registry.tools.keys()]).toEqual(['add'])
})

test('a name that is taken is left out and told', async () => {
  const registry = new FakeRegistry()
  await registry.add('add', () => 'mine')
  const { leftOut, names } = await expose([add, tool({ ...options('other'), execute: () => 1 })], { registry })
  expect(names).toEqual(['other'])
  expect(leftOut).toEqual([{ name: 'add', reason: 'Duplicate tool name' }])
})

test('a source is listed again when it changes', async () => {
  let listed: readonly Tool[] = [add]
  let change = (): void => {}
  const changing = {
    list: async () => listed,
    subscribe: (onChange: () => void) => {
      change = onChange
      return () => {}
    },
  }
  const { registry } = await expose([changing])
  const kept = registry.tools.get('add')
  listed = [add, tool({ ...options('more'), execute: () => 1 })]
  change()
  await new Promise((resolve) => registry.addEventListener('toolchange', resolve, { once: true }))
  expect([...registry.tools.keys()]).toEqual(['add', 'more'])
  expect(registry.tools.get('add')).toBe(kept)
})

test('a list that fails is told, and what is registered stays', async () => {
  let change = (): void => {}
  let isBroken = false
  const told = deferred<LeftOutTool>()
  const source = {
    list: async () => {
      if (isBroken) throw new Error('gone')
      return [add]
    },
    subscribe: (onChange: () => void) => {
      change = onChange
      return () => {}
    },
  }
  const { registry } = await expose([source], { onLeftOut: told.resolve })
  isBroken = true
  change()
  expect((await told.promise).reason).toContain('gone')
  expect([...registry.tools.keys()]).toEqual(['add'])
})

test('"include" and "prefix" say what is exposed and how it is called', async () => {
  const others = ['keep', 'drop'].map((name) => tool({ ...options(name), execute: () => name }))
  const { registry, names } = await expose(others, { prefix: 'my.', include: ({ name }) => name === 'keep' })
  expect(names).toEqual(['my.keep'])
  expect(text(await registry.call('my.keep'))).toBe('keep')
})

test('a prefix that no registry takes is refused', () => {
  expect(() => exposeTools([add], { prefix: 'a b' })).toThrow(expect.objectContaining({ code: 'bad-option' }))
})

test('a tool that needs a person is not exposed where nobody is asked', async () => {
  const buys = tool({ ...options('buys'), needsApproval: true, execute: () => 'bought' })
  const { names, leftOut } = await expose([buys])
  expect(names).toEqual([])
  expect(leftOut).toEqual([{ name: 'buys', reason: expect.stringContaining('decide') }])
})

test.each([
  { allow: true, says: 'bought 3' },
  { allow: false, says: 'did not allow' },
])('a person decides about a call: $allow', async ({ allow, says }) => {
  const asked: unknown[] = []
  const buys = tool({
    ...options('buys'),
    input: z.object({ n: z.number() }),
    needsApproval: true,
    execute: ({ n }) => `bought ${n}`,
  })
  const { registry } = await expose([buys], {
    decide: ({ toolName, input }) => {
      asked.push({ toolName, input })
      return { allow }
    },
  })
  const result = await registry.call('buys', { n: 3 })
  expect(registry.tools.get('buys')?.annotations.consequentialHint).toBe(true)
  expect(asked).toEqual([{ toolName: 'buys', input: { n: 3 } }])
  expect(text(result).toLowerCase()).toContain(says)
})

test('a decision that fails is a no', async () => {
  let runs = 0
  const buys = tool({ ...options('buys'), needsApproval: true, execute: () => ++runs })
  const { registry } = await expose([buys], { decide: () => Promise.reject(new Error('closed')) })
  expect(await registry.call('buys')).toMatchObject({ isError: true })
  expect(runs).toBe(0)
})

test('a call that turns out to need a person is an error without one', async () => {
  let runs = 0
  const buys = tool({ ...options('buys'), needsApproval: () => true, execute: () => ++runs })
  const { registry } = await expose([buys])
  expect(text(await registry.call('buys'))).toContain('a person has to decide first')
  expect(runs).toBe(0)
})

test("the agent's hooks see the call and who makes it, and its model is not asked", async () => {
  const seen: unknown[] = []
  const model = scriptedModel([])
  const hooks = defineHooks({
    toolHooks: [
      (call, next, context) => {
        seen.push([call.name, call.input, context.metadata])
        return next()
      },
    ],
  })
  const { registry } = await expose(createAgent({ model, tools: [add], hooks, instructions: 'Be brief.' }))
  expect(text(await registry.call('add', { a: 1, b: 1 }))).toBe('2')
  expect(seen).toEqual([['add', { a: 1, b: 1 }, { calledBy: 'web-mcp' }]])
  expect(model.requests).toEqual([])
})

test("a tool's own hooks guard an exposed call", async () => {
  const guarded = tool({
    ...options('guarded'),
    hooks: toolHooks({ before: () => ({ deny: 'not today' }) }),
    execute: () => 'ran',
  })
  const { registry } = await expose([guarded], {})
  const result = await registry.call('guarded')
  expect(result).toMatchObject({ isError: true })
  expect(text(result)).toContain('not today')
})

test('an output guardrail keeps a result in the page', async () => {
  const leaks = tool({ ...options('leaks'), execute: () => 'the secret' })
  const keeps = defineGuardrail({
    name: 'keeps',
    check: ({ texts }) => (texts.join('').includes('secret') ? { block: 'no' } : undefined),
  })
  const hooks = defineHooks({ postHooks: [keeps] })
  const { registry } = await expose(createAgent({ model: scriptedModel([]), tools: [leaks], hooks }))
  const result = await registry.call('leaks')
  expect(result).toMatchObject({ isError: true })
  expect(JSON.stringify(result)).not.toContain('secret')
})

test('a result that a guardrail has rewritten leaves as it was rewritten', async () => {
  const leaks = tool({ ...options('leaks'), execute: () => ({ code: 'secret' }) })
  const redacts = defineGuardrail({
    name: 'redacts',
    check: ({ texts }) => ({ replace: texts.map((each) => each.replaceAll('secret', '[code]')) }),
  })
  const hooks = defineHooks({ postHooks: [redacts] })
  const { registry } = await expose(createAgent({ model: scriptedModel([]), tools: [leaks], hooks }))
  expect(await registry.call('leaks')).toEqual({ content: [{ type: 'text', text: '{"code":"[code]"}' }] })
})

test('a result that a check sends back is an error', async () => {
  const hooks = defineHooks({
    postHooks: [
      () => {
        throw new RetryModel('Shorter, please.')
      },
    ],
  })
  const { registry } = await expose(createAgent({ model: scriptedModel([]), tools: [add], hooks }))
  const result = await registry.call('add', { a: 1, b: 1 })
  expect(result).toMatchObject({ isError: true })
  expect(text(result)).toContain('sent back by a check')
})

function options(name: string): { name: string; description: string } {
  return { name, description: `Does ${name}` }
}

function failing(name: string, message: string): Tool {
  return tool({
    ...options(name),
    execute: () => {
      throw new Error(message)
    },
  })
}

function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
