import { type Checked, type Tool, type ToolContext, tool } from '@turnloop/core'
import { deafTool, deferred, manualClock } from '@turnloop/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { serveTools } from '../src/serve-tools.ts'
import { served } from './served.ts'

const context = {
  callId: 'call-1',
  idempotencyKey: 'key-1',
  turnId: 'turn-1',
  sessionId: undefined,
  state: {},
  metadata: {},
}

function toolThat(execute: (input: unknown, context: ToolContext) => unknown): Tool {
  return tool({ name: 'probe', description: 'For tests.', execute })
}

const double = tool({
  name: 'double',
  title: 'Double',
  description: 'Twice a number.',
  input: z.object({ n: z.coerce.number().max(10) }),
  effect: 'read',
  timeoutMs: 5000,
  execute: ({ n }) => n * 2,
})

describe('the handshake', () => {
  it('answers hello with the version and the tools without their functions', async () => {
    const { post, next } = await served([double])
    post({ kind: 'turnloop:hello', version: 2 })
    const { check: _check, execute: _execute, ...descriptor } = double
    expect(await next()).toEqual({ kind: 'turnloop:ready', version: 2, tools: [descriptor] })
  })

  it('describes a tool that carries more than a tool has', async () => {
    const { post, next } = await served([deafTool()])
    post({ kind: 'turnloop:hello', version: 2 })
    expect(await next()).toMatchObject({ tools: [{ name: 'deaf', effect: 'unsafe' }] })
  })

  it('says what people have to be asked about, and asks every time where a condition cannot be posted', async () => {
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      needsApproval: () => false,
      stopAfter: true,
      execute: () => 1,
    })
    const choose = tool({ name: 'choose', description: 'Asks.', input: z.object({ to: z.string() }), askUser: ['to'] })
    const { post, next } = await served([pay, choose])
    post({ kind: 'turnloop:hello', version: 2 })
    expect(await next()).toMatchObject({
      tools: [
        { name: 'pay', needsApproval: true, stopAfter: true },
        { name: 'choose', askUser: ['to'], isHostAnswered: true },
      ],
    })
  })

  it('answers a hello of another version, so that the page can tell', async () => {
    const { post, next } = await served([double])
    post({ kind: 'turnloop:hello', version: 99 })
    expect(await next()).toMatchObject({ kind: 'turnloop:ready', version: 2 })
  })

  it('refuses two tools of one name', () => {
    expect(() => serveTools([double, double])).toThrow('"double" is the name of two tools')
  })

  it('refuses a tool with hooks rather than leave them out', () => {
    // Only that it has some counts here.
    const hooked = { ...double, hooks: {} as never }
    expect(() => serveTools([hooked])).toThrow('"double" has hooks, which cannot run in a worker')
  })

  it('refuses what is no tool', () => {
    // What a caller without types can pass.
    expect(() => serveTools([{ name: 'x' } as Tool])).toThrow('expected tools made by tool()')
  })
})

describe('a call', () => {
  it('runs with the value its own schema made of the arguments', async () => {
    const { call, next } = await served([double])
    await call('double', { n: '4' })
    expect(await next()).toEqual({ kind: 'turnloop:result', id: 1, value: 8 })
  })

  it('does not run before its start', async () => {
    let ran = 0
    const { post, next, rest } = await served([toolThat(() => (ran += 1))])
    post({ kind: 'turnloop:call', run: false, id: 1, toolName: 'probe', input: {}, context })
    expect(await next()).toEqual({ kind: 'turnloop:checked', id: 1 })
    expect(await rest()).toEqual([])
    expect(ran).toBe(0)
    post({ kind: 'turnloop:start', id: 1 })
    expect(await next()).toEqual({ kind: 'turnloop:result', id: 1, value: 1 })
  })

  it('with refused arguments fails before it could start', async () => {
    const { post, next } = await served([double])
    post({ kind: 'turnloop:call', run: false, id: 1, toolName: 'double', input: { n: 11 }, context })
    expect(await next()).toMatchObject({
      kind: 'turnloop:failure',
      thrown: { error: { name: 'ToolError', code: 'bad-input', message: expect.stringContaining('n: ') } },
    })
  })

  it('of an unknown tool is answered with the names there are (G2)', async () => {
    const { post, next } = await served([double])
    post({ kind: 'turnloop:call', run: false, id: 1, toolName: 'nope', input: {}, context })
    expect(await next()).toMatchObject({
      kind: 'turnloop:failure',
      thrown: { error: { message: 'The worker has no tool named nope. It has: double.' } },
    })
  })

  it('gets the data of its context and an empty transcript', async () => {
    const seen: ToolContext[] = []
    const { call, next } = await served([toolThat((_input, given) => void seen.push(given))])
    await call('probe')
    await next()
    expect(seen[0]).toMatchObject({
      callId: 'call-1',
      idempotencyKey: 'key-1',
      turnId: 'turn-1',
      sessionId: 'session-1',
      state: { topic: 'tables' },
      metadata: { tab: 2 },
      messages: [],
    })
  })

  it('that throws fails with the name, message and cause of the error', async () => {
    const failing = toolThat(() => {
      throw new RangeError('row 7', { cause: 'no such row' })
    })
    const { call, next } = await served([failing])
    await call('probe')
    expect(await next()).toMatchObject({
      kind: 'turnloop:failure',
      thrown: { error: { name: 'RangeError', message: 'row 7', cause: { value: 'no such row' } } },
    })
  })

  it('whose result cannot be cloned fails and names the path', async () => {
    const { call, next } = await served([toolThat(() => ({ rows: [{ draw: () => {} }] }))])
    await call('probe')
    expect(await next()).toMatchObject({
      thrown: { error: { code: 'not-cloneable', facts: { toolName: 'probe', path: 'result.rows.0.draw' } } },
    })
  })

  it('whose check throws fails', async () => {
    const { post, next } = await served([{ ...double, check: () => Promise.reject(new Error('broken schema')) }])
    post({ kind: 'turnloop:call', run: false, id: 1, toolName: 'double', input: {}, context })
    expect(await next()).toMatchObject({ thrown: { error: { message: 'broken schema' } } })
  })
})

describe('progress', () => {
  it('comes before the result', async () => {
    const { call, next } = await served([toolThat((_input, { progress }) => progress({ done: 1 }))])
    await call('probe')
    expect(await next()).toEqual({ kind: 'turnloop:progress', id: 1, update: { done: 1 } })
    expect(await next()).toMatchObject({ kind: 'turnloop:result' })
  })

  it('that was held back comes before the result too', async () => {
    const chatty = toolThat((_input, { progress }) => {
      for (let n = 1; n <= 500; n += 1) progress(n)
    })
    const { call, next } = await served([chatty], { clock: manualClock() })
    await call('probe')
    const kinds: string[] = []
    let last: unknown
    for (let message = await next(); message.kind === 'turnloop:progress'; message = await next()) {
      kinds.push(message.kind)
      last = message.update
    }
    expect({ sent: kinds.length, last }).toEqual({ sent: 21, last: 500 })
  })

  it('that cannot be cloned says so and does not end the call', async () => {
    const odd = toolThat((_input, { progress }) => {
      // What a tool without types can pass.
      progress({ at: () => {} } as never)
      return 'done'
    })
    const { call, next } = await served([odd])
    await call('probe')
    expect(await next()).toMatchObject({ update: 'probe: progress.at cannot be copied to the page. Give plain data.' })
    expect(await next()).toMatchObject({ kind: 'turnloop:result', value: 'done' })
  })
})

describe('cancel', () => {
  it('aborts the signal of the running tool with the reason', async () => {
    const started = deferred()
    const stoppable = toolThat((_input, { signal }) => {
      started.resolve()
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    })
    const { post, call, next } = await served([stoppable])
    await call('probe')
    await started.promise
    post({ kind: 'turnloop:cancel', id: 1, reason: { error: { name: 'AbortError', message: 'stop' } } })
    expect(await next()).toMatchObject({ thrown: { error: { name: 'AbortError', message: 'stop' } } })
  })

  it('of a call that has not started forgets it', async () => {
    let ran = 0
    const { post, next, rest } = await served([toolThat(() => (ran += 1))])
    post({ kind: 'turnloop:call', run: false, id: 1, toolName: 'probe', input: {}, context })
    await next()
    post({ kind: 'turnloop:cancel', id: 1, reason: { value: 'stop' } })
    post({ kind: 'turnloop:start', id: 1 })
    expect(await rest()).toEqual([])
    expect(ran).toBe(0)
  })
})

it.each([true, false])('a call cancelled while it is checked is not run (run: %s)', async (run) => {
  const checking = deferred<Checked>()
  let ran = 0
  const { post, rest } = await served([{ ...toolThat(() => (ran += 1)), check: () => checking.promise }])
  post({ kind: 'turnloop:call', run, id: 1, toolName: 'probe', input: {}, context })
  post({ kind: 'turnloop:cancel', id: 1, reason: { error: { name: 'AbortError', message: 'stop' } } })
  expect(await rest()).toEqual([])
  checking.resolve({ ok: true, value: {} })
  // The page waits for an answer to what it told to run, and has forgotten the rest.
  expect(await rest()).toMatchObject(run ? [{ kind: 'turnloop:failure', thrown: { error: { message: 'stop' } } }] : [])
  expect(ran).toBe(0)
})

it('a forgotten call whose check fails in the end is not answered', async () => {
  const checking = deferred<Checked>()
  const { post, rest } = await served([{ ...double, check: () => checking.promise }])
  post({ kind: 'turnloop:call', run: false, id: 1, toolName: 'double', input: {}, context })
  post({ kind: 'turnloop:cancel', id: 1, reason: { value: 'moved' } })
  await rest()
  checking.reject(new Error('broken schema'))
  expect(await rest()).toEqual([])
})

it('ignores messages it does not know', async () => {
  const { post, rest } = await served([double])
  post({ kind: 'turnloop:teleport', id: 1 })
  post({ type: 'webpackOk' })
  expect(await rest()).toEqual([])
})
