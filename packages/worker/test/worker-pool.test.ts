import { type Tool, type ToolContext, type ToolEffect, tool } from '@turnloop/core'
import { deafTool } from '@turnloop/testing'
import { describe, expect, it } from 'vitest'
import { workerTools } from '../src/worker-tools.ts'
import { callContext, never } from './call-context.ts'
import { channelWorker } from './channel-worker.ts'
import { type Task, task, workplace } from './workplace.ts'

function taskTool(work: Task, name = 'work', effect: ToolEffect = 'unsafe'): Tool {
  return tool({ name, description: 'Goes on until the test says so.', effect, execute: () => work.execute() })
}

describe('a pool', () => {
  it('starts its second worker when a call finds the first at work', async () => {
    const work = task()
    const place = await workplace(() => [taskTool(work)], { size: 2 })
    void place.run('work')
    await work.hasBegun(1)
    expect(place.workers).toHaveLength(1)
    void place.run('work')
    await work.hasBegun(2)
    expect(place.workers).toHaveLength(2)
  })

  it('gives a call the worker that is started for it', async () => {
    let made = 0
    const work = task()
    const place = await workplace(
      () => {
        made += 1
        const mine = made
        return [taskTool(work), tool({ name: 'where', description: 'Tells its worker.', execute: () => mine })]
      },
      { size: 2 },
    )
    void place.run('work')
    await work.hasBegun(1)
    expect(await place.run('where')).toBe(2)
  })

  it('gives the next call to an idle worker rather than starting one', async () => {
    const quick = tool({ name: 'quick', description: 'Is done at once.', execute: () => 'done' })
    const place = await workplace(() => [quick], { size: 4 })
    for (let n = 0; n < 3; n += 1) await place.run('quick')
    expect(place.workers).toHaveLength(1)
  })

  it('has no more workers than its size', async () => {
    const work = task()
    const place = await workplace(() => [taskTool(work)], { size: 2 })
    const calls = Array.from({ length: 5 }, () => place.run('work'))
    await work.hasBegun(5)
    work.finish()
    await Promise.all(calls)
    expect(place.workers).toHaveLength(2)
  })

  it('lets calls wait when each worker may run one', async () => {
    const work = task()
    const place = await workplace(() => [taskTool(work)], { size: 2, callsPerWorker: 1 })
    const calls = Array.from({ length: 4 }, () => place.run('work'))
    await work.hasBegun(2)
    expect(work.begun).toBe(2)
    work.finish()
    await work.hasBegun(4)
    work.finish()
    expect(await Promise.all(calls)).toEqual(['done', 'done', 'done', 'done'])
  })

  it('moves a call from a worker that does not answer to one that is free', async () => {
    const work = task()
    const blocker = task()
    const place = await workplace(
      (worker) => [
        taskTool(work),
        tool({
          name: 'block',
          description: 'Ends its event loop.',
          execute: () => {
            worker()?.block()
            return blocker.execute()
          },
        }),
      ],
      { size: 2, callsPerWorker: 2 },
    )
    void place.run('block')
    const second = place.run('work')
    await Promise.all([blocker.hasBegun(1), work.hasBegun(1)])
    // Both are busy now: the third is asked of the one that stands still, and the fourth of the other.
    const rest = [place.run('work'), place.run('work')]
    await work.hasBegun(2)
    work.finish()
    await work.hasBegun(3)
    work.finish()
    expect(await Promise.all([second, ...rest])).toEqual(['done', 'done', 'done'])
    // The first is as good as new when it answers again: there is room for four.
    place.workers[0]?.unblock()
    blocker.finish()
    for (let n = 0; n < 4; n += 1) void place.run('work')
    await work.hasBegun(7)
    expect(place.workers).toHaveLength(2)
  })

  it('of four loses none of a thousand calls', async () => {
    let turn = 0
    const echo = tool({
      name: 'echo',
      description: 'Gives back its key, some calls later than others.',
      execute: async (_input, { idempotencyKey }) => {
        turn += 1
        if (turn % 3 === 0) await new Promise((resolve) => setTimeout(resolve))
        return idempotencyKey
      },
    })
    const place = await workplace(() => [echo], { size: 4 })
    const keys = Array.from({ length: 1000 }, (_, n) => `key-${n}`)
    expect(await Promise.all(keys.map((idempotencyKey) => place.run('echo', { idempotencyKey })))).toEqual(keys)
    expect(place.workers).toHaveLength(4)
  })

  it('of four answers a thousand calls while its workers crash', async () => {
    let turn = 0
    const runs = new Map<string, number>()
    const place = await workplace(
      (worker) => [
        tool({
          name: 'shaky',
          description: 'Takes its worker down every fiftieth time.',
          execute: (_input, { idempotencyKey }) => {
            turn += 1
            runs.set(idempotencyKey, (runs.get(idempotencyKey) ?? 0) + 1)
            if (turn % 50 === 0) worker()?.emit('error', { message: 'boom' })
            return idempotencyKey
          },
        }),
      ],
      { size: 4, callsPerWorker: 1 },
    )
    const keys = Array.from({ length: 1000 }, (_, n) => `key-${n}`)
    const ends = await Promise.allSettled(keys.map((idempotencyKey) => place.run('shaky', { idempotencyKey })))
    const lost = ends.filter((end) => end.status === 'rejected')
    expect(lost).toHaveLength(20)
    expect(lost.every(({ reason }) => reason.facts.outcomeUnknown)).toBe(true)
    expect([...runs.values()].every((count) => count === 1)).toBe(true)
  })

  it('goes on with the workers it has when another fails to load', async () => {
    let made = 0
    const work = task()
    const source = workerTools(
      () => {
        made += 1
        if (made === 1) return channelWorker([taskTool(work)])
        throw new Error('no more workers')
      },
      { size: 2 },
    )
    const [listed] = await source.list(never)
    const calls = [listed?.execute({}, callContext()), listed?.execute({}, callContext())]
    await work.hasBegun(2)
    work.finish()
    expect(await Promise.all(calls)).toEqual(['done', 'done'])
    expect(made).toBe(2)
    await source.dispose()
  })
})

describe('a started call whose worker is ended for another', () => {
  async function beside(effect: ToolEffect, context: Partial<ToolContext> = {}, onSecondWorker = (): void => {}) {
    let workers = 0
    const work = task()
    const deaf = deafTool()
    const keys: string[] = []
    const bystander = tool({
      name: 'bystander',
      description: 'Runs beside.',
      effect,
      execute: (_input, { idempotencyKey }) => {
        keys.push(idempotencyKey)
        return work.execute()
      },
    })
    const place = await workplace(() => {
      workers += 1
      if (workers === 2) onSecondWorker()
      return [deaf, bystander]
    })
    const controller = new AbortController()
    void place.run('deaf', { signal: controller.signal })
    const call = place.run('bystander', { idempotencyKey: 'key-7', ...context })
    await Promise.all([deaf.started, work.hasBegun(1)])
    controller.abort()
    await place.clock.advance(100)
    return { place, work, call, keys }
  }

  it.each(['read', 'idempotent'] as const)('runs again with the same key if it is %s', async (effect) => {
    const { work, call, keys } = await beside(effect)
    await work.hasBegun(2)
    work.finish()
    expect(await call).toBe('done')
    expect(keys).toEqual(['key-7', 'key-7'])
  })

  it('is answered as unknown if it is unsafe', async () => {
    const { work, call } = await beside('unsafe')
    await expect(call).rejects.toMatchObject({ facts: { toolName: 'bystander', outcomeUnknown: true } })
    expect(work.begun).toBe(1)
  })

  it('runs again once, and is then told what became of it', async () => {
    const { place, work, call } = await beside('idempotent')
    await work.hasBegun(2)
    // Beside another one, so that it is not taken for the one that crashes.
    void place.run('deaf')
    await place.workers[1]?.nextPosted('start')
    place.workers[1]?.emit('error', { message: 'boom' })
    await expect(call).rejects.toMatchObject({ code: 'worker-crashed', facts: { outcomeUnknown: true } })
    expect(work.begun).toBe(2)
  })

  it('runs again before those that waited all the time', async () => {
    const order: string[] = []
    const work = task()
    const deaf = deafTool()
    const note = (name: string, effect: ToolEffect): Tool =>
      tool({
        name,
        description: 'Tells that it begins.',
        effect,
        execute: () => {
          order.push(name)
          return work.execute()
        },
      })
    const place = await workplace(() => [deaf, note('first', 'read'), note('last', 'unsafe')], { callsPerWorker: 2 })
    const controller = new AbortController()
    void place.run('deaf', { signal: controller.signal })
    void place.run('first')
    await work.hasBegun(1)
    void place.run('last')
    controller.abort()
    await place.clock.advance(100)
    await work.hasBegun(3)
    expect(order).toEqual(['first', 'first', 'last'])
  })

  it('and that only reads is never in doubt', async () => {
    const { place, work, call } = await beside('read')
    await work.hasBegun(2)
    place.workers[1]?.emit('error', { message: 'boom' })
    await expect(call).rejects.toThrow('The call of bystander did not finish.')
    await expect(call).rejects.not.toHaveProperty('facts.outcomeUnknown', true)
  })

  it('and that is stopped before it runs again stays in doubt', async () => {
    const controller = new AbortController()
    const { call } = await beside('idempotent', { signal: controller.signal }, () => controller.abort())
    await expect(call).rejects.toMatchObject({ code: 'worker-terminated', facts: { outcomeUnknown: true } })
  })
})

it('a crash under several reading calls is survived by all of them', async () => {
  const work = task()
  const place = await workplace(() => [taskTool(work, 'look', 'read')])
  const calls = [place.run('look'), place.run('look')]
  await work.hasBegun(2)
  place.workers[0]?.emit('error', { message: 'boom' })
  await work.hasBegun(4)
  work.finish()
  expect(await Promise.all(calls)).toEqual(['done', 'done'])
})

it('a crash under one reading call is its own', async () => {
  const work = task()
  const place = await workplace(() => [taskTool(work, 'look', 'read')])
  const call = place.run('look')
  await work.hasBegun(1)
  place.workers[0]?.emit('error', { message: 'boom' })
  await expect(call).rejects.toMatchObject({ code: 'worker-crashed' })
  expect(place.workers).toHaveLength(1)
})
