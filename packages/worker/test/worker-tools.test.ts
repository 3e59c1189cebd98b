import { type Tool, ToolError, TurnloopError, tool } from '@turnloop/core'
import { deafTool } from '@turnloop/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type WorkerToolSource, type WorkerToolsOptions, workerTools } from '../src/worker-tools.ts'
import { callContext, never } from './call-context.ts'
import { type ChannelWorker, channelWorker } from './channel-worker.ts'

const add = tool({
  name: 'add',
  title: 'Add',
  description: 'Add two numbers.',
  input: z.object({ a: z.number(), b: z.number().default(1) }).refine(({ a }) => a !== 13, 'thirteen is not added'),
  effect: 'read',
  exclusive: true,
  timeoutMs: 5000,
  execute: ({ a, b }) => ({ sum: a + b }),
})

function sourceOf(tools: readonly Tool[], options?: WorkerToolsOptions): WorkerToolSource {
  const source = workerTools(() => channelWorker(tools), options)
  onTestFinished(() => source.dispose())
  return source
}

async function only(source: WorkerToolSource): Promise<Tool> {
  const [first] = await source.list(never)
  if (!first) throw new Error('the source lists nothing')
  return first
}

describe('a listed tool', () => {
  it('looks like the one in the worker, whose time limit is counted there', async () => {
    const { check: _check, execute: _execute, ...described } = await only(sourceOf([add]))
    const { check: _c, execute: _e, ...original } = add
    expect(described).toEqual({ ...original, source: 'worker', timeoutMs: 2 ** 31 - 1 })
  })

  it('keeps its identity as long as its worker lives', async () => {
    const source = sourceOf([add])
    expect(await only(source)).toBe(await only(source))
  })

  it('refuses arguments that its JSON Schema refuses, in the page', async () => {
    const listed = await only(sourceOf([add]))
    expect(await listed.check({ a: 'x' })).toMatchObject({ ok: false, problems: [expect.stringContaining('a')] })
  })

  it('leaves the arguments as the model wrote them', async () => {
    const listed = await only(sourceOf([add]))
    expect(await listed.check({ a: 1 })).toEqual({ ok: true, value: { a: 1 } })
  })

  it('leaves what a person fills in to the worker', async () => {
    const input = z.strictObject({ to: z.string(), at: z.number().max(9) })
    const asking = tool({ name: 'ask', description: 'Asks.', input, askUser: ['at'], execute: ({ to, at }) => to + at })
    const listed = await only(sourceOf([asking]))
    expect(listed.inputSchema).toEqual(asking.inputSchema)
    expect(await listed.check({ to: 'x', at: 3 })).toEqual({ ok: true, value: { to: 'x', at: 3 } })
    expect(await listed.check({ to: 1, at: 3 })).toMatchObject({ ok: false })
    expect(await listed.execute({ to: 'x', at: 3 }, callContext())).toBe('x3')
    await expect(listed.execute({ to: 'x', at: 10 }, callContext())).rejects.toMatchObject({ code: 'bad-input' })
  })

  it('that the host answers is one in the page too', async () => {
    const choose = tool({ name: 'choose', description: 'Asks.', input: z.object({ to: z.string() }), askUser: ['to'] })
    expect(await only(sourceOf([choose]))).toMatchObject({ name: 'choose', askUser: ['to'], isHostAnswered: true })
  })

  it('leaves a pattern the page cannot compile to the worker', async () => {
    const lax = tool({
      name: 'lax',
      description: 'Has a pattern only valid without the u flag.',
      input: z.object({ id: z.string().regex(/^[\w-.]+$/) }),
      execute: ({ id }) => id,
    })
    const listed = await only(sourceOf([lax]))
    expect(await listed.check({ id: 'a-b' })).toMatchObject({ ok: true })
    await expect(listed.execute({ id: 'a b' }, callContext())).rejects.toMatchObject({ code: 'bad-input' })
  })
})

describe('a call', () => {
  it('resolves with what the tool returns', async () => {
    const listed = await only(sourceOf([add]))
    expect(await listed.execute({ a: 2, b: 3 }, callContext())).toEqual({ sum: 5 })
  })

  it('gets the defaults of the schema in the worker', async () => {
    const listed = await only(sourceOf([add]))
    expect(await listed.execute({ a: 2 }, callContext())).toEqual({ sum: 3 })
  })

  it('is refused by the schema in the worker too', async () => {
    const listed = await only(sourceOf([add]))
    const call = listed.execute({ a: 13 }, callContext())
    await expect(call).rejects.toMatchObject({
      name: 'ToolError',
      code: 'bad-input',
      message: expect.stringContaining('thirteen is not added'),
    })
  })

  it('feeds progress to its context in order', async () => {
    const counting = tool({
      name: 'count',
      description: 'Counts.',
      execute: (_input, { progress }) => [1, 2, 3].forEach((n) => void progress(n)),
    })
    const context = callContext()
    await (await only(sourceOf([counting]))).execute({}, context)
    expect(context.updates).toEqual([1, 2, 3])
  })

  it('runs beside another that waits', async () => {
    const deaf = deafTool()
    const source = sourceOf([deaf, add])
    const [listedDeaf, listedAdd] = await source.list(never)
    const waiting = listedDeaf?.execute({}, callContext())
    expect(await listedAdd?.execute({ a: 1, b: 1 }, callContext())).toEqual({ sum: 2 })
    deaf.release('done')
    expect(await waiting).toBe('done')
  })

  it('with arguments that are no data rejects and names the tool', async () => {
    const listed = await only(sourceOf([add]))
    const call = listed.execute({ a: () => {} }, callContext())
    await expect(call).rejects.toMatchObject({ code: 'not-cloneable', facts: { toolName: 'add' } })
    await expect(call).rejects.toBeInstanceOf(ToolError)
  })

  it('of a tool the worker no longer serves is answered', async () => {
    let tools: Tool[] = [add]
    const workers: ChannelWorker[] = []
    const source = workerTools(() => {
      const worker = channelWorker(tools)
      workers.push(worker)
      return worker
    })
    onTestFinished(() => source.dispose())
    const listed = await only(source)
    tools = [deafTool()]
    workers[0]?.emit('error', { message: 'hot update' })
    await expect(listed.execute({ a: 1 }, callContext())).rejects.toThrow('no tool named add')
  })
})

describe('bad options', () => {
  it('a Worker instead of a factory is refused', () => {
    // What a caller without types can pass.
    expect(() => workerTools(channelWorker([]) as never)).toThrow(TurnloopError)
  })

  it.each([
    { graceMs: -1 },
    { startTimeoutMs: Number.NaN },
    { graceMs: 2 ** 31 },
    { size: 0 },
    { callsPerWorker: 1.5 },
  ])('%o is refused', (options) => {
    expect(() => workerTools(() => channelWorker([]), options)).toThrow(Object.keys(options)[0])
  })
})
