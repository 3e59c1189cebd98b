import { type Tool, tool } from '@turnloop/core'
import { type Deferred, deafTool, deferred } from '@turnloop/testing'
import { describe, expect, it, vi } from 'vitest'
import { workerTools } from '../src/worker-tools.ts'
import { never } from './call-context.ts'
import { type ChannelWorker, channelWorker } from './channel-worker.ts'
import { workplace } from './workplace.ts'

/** A tool that ends its worker's loop the moment it starts, as `while (true)` would. */
function spin(started: Deferred<void>, worker: () => ChannelWorker | undefined): Tool {
  return tool({
    name: 'spin',
    description: 'Never yields.',
    execute: () => {
      worker()?.block()
      started.resolve()
      return new Promise(() => {})
    },
  })
}

function counted(): { tool: Tool; runs: () => number } {
  let runs = 0
  const count = tool({ name: 'count', description: 'Counts its runs.', execute: () => (runs += 1) })
  return { tool: count, runs: () => runs }
}

describe('abort', () => {
  it('reaches the tool, whose own end is the answer', async () => {
    const started = deferred()
    const stoppable = tool({
      name: 'stoppable',
      description: 'Stops when asked.',
      execute: (_input, { signal }) => {
        started.resolve()
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(`stopped: ${signal.reason}`))
        })
      },
    })
    const { workers, clock, run } = await workplace(() => [stoppable])
    const controller = new AbortController()
    const call = run('stoppable', { signal: controller.signal })
    await started.promise
    controller.abort('user')
    expect(await call).toBe('stopped: user')
    expect({ timers: clock.pending, terminated: workers[0]?.terminated }).toEqual({ timers: 0, terminated: false })
  })

  it('before the start rejects at once with the reason, and the tool never runs', async () => {
    const started = deferred()
    const { tool: count, runs } = counted()
    const place = await workplace((worker) => [spin(started, worker), count])
    void place.run('spin')
    const controller = new AbortController()
    const queued = place.run('count', { signal: controller.signal })
    await started.promise
    controller.abort('changed my mind')
    await expect(queued).rejects.toBe('changed my mind')
    expect({ runs: runs(), terminated: place.workers[0]?.terminated }).toEqual({ runs: 0, terminated: false })
  })

  it('of a deaf tool ends the worker after the grace time', async () => {
    const deaf = deafTool()
    const { workers, clock, run } = await workplace(() => [deaf])
    const controller = new AbortController()
    const call = run('deaf', { signal: controller.signal })
    await deaf.started
    controller.abort()
    await clock.advance(99)
    expect(workers[0]?.terminated).toBe(false)
    await clock.advance(1)
    expect(workers[0]?.terminated).toBe(true)
    await expect(call).rejects.toMatchObject({
      name: 'WorkerError',
      code: 'worker-terminated',
      message:
        'Worker "tables" was ended because deaf did not stop within 100 ms. The call of deaf may or may not have taken effect.',
      facts: { toolName: 'deaf', outcomeUnknown: true },
    })
  })

  it('is listened for only as long as the call lasts', async () => {
    const { run } = await workplace(() => [counted().tool])
    const { signal } = new AbortController()
    const listening = vi.spyOn(signal, 'addEventListener')
    const letGo = vi.spyOn(signal, 'removeEventListener')
    await run('count', { signal })
    expect(letGo.mock.calls.map(([, listener]) => listener)).toEqual(
      listening.mock.calls.map(([, listener]) => listener),
    )
  })

  it('before the call starts no worker', async () => {
    const { workers, run } = await workplace(() => [deafTool()])
    await expect(run('deaf', { signal: AbortSignal.abort('early') })).rejects.toBe('early')
    expect(workers[0]?.posted).toEqual(['hello'])
  })
})

describe('calls on a worker that is ended for another', () => {
  it('move to a new worker if they had not started, and run once', async () => {
    const started = deferred()
    const { tool: count, runs } = counted()
    const place = await workplace((worker) => [spin(started, worker), count])
    const controller = new AbortController()
    const culprit = place.run('spin', { signal: controller.signal })
    const queued = place.run('count')
    await started.promise
    controller.abort()
    await place.clock.advance(100)
    await expect(culprit).rejects.toMatchObject({ code: 'worker-terminated' })
    expect(await queued).toBe(1)
    expect({ runs: runs(), workers: place.workers.length }).toEqual({ runs: 1, workers: 2 })
  })

  it('reject as unknown if they had started', async () => {
    const deaf = deafTool()
    const bystander = deafTool({ name: 'bystander' })
    const { clock, run } = await workplace(() => [deaf, bystander])
    const controller = new AbortController()
    void run('deaf', { signal: controller.signal })
    const other = run('bystander')
    await Promise.all([deaf.started, bystander.started])
    controller.abort()
    await clock.advance(100)
    await expect(other).rejects.toMatchObject({
      code: 'worker-terminated',
      message: expect.stringContaining('because deaf did not stop'),
      facts: { toolName: 'bystander', outcomeUnknown: true },
    })
  })

  it('do not wait for one that was cancelled before them', async () => {
    const started = deferred()
    const { tool: count } = counted()
    const place = await workplace((worker) => [spin(started, worker), count])
    const controller = new AbortController()
    void place.run('spin')
    void place.run('count', { signal: controller.signal })
    const last = place.run('count')
    await started.promise
    controller.abort()
    place.workers[0]?.unblock()
    expect(await last).toBe(1)
  })

  it('start beside others only after a sign of life', async () => {
    const { workers, run } = await workplace(() => [deafTool(), counted().tool])
    void run('deaf')
    await run('count')
    expect(workers[0]?.posted).toEqual(['hello', 'call', 'call', 'start'])
  })
})

describe('a crash', () => {
  it('rejects started calls and tells what was thrown where', async () => {
    const deaf = deafTool()
    const { workers, run } = await workplace(() => [deaf])
    const call = run('deaf')
    await deaf.started
    const event = workers[0]?.emit('error', { message: 'Error: boom', filename: 'https://app/w.js', lineno: 9 })
    await expect(call).rejects.toMatchObject({
      name: 'WorkerError',
      code: 'worker-crashed',
      message: expect.stringContaining('crashed: Error: boom (https://app/w.js:9)'),
      facts: { stage: 'run', url: 'https://app/w.js', toolName: 'deaf', outcomeUnknown: true },
    })
    expect(event?.defaultPrevented).toBe(true)
    expect(workers[0]?.terminated).toBe(true)
  })

  it('by an unreadable message is told as one', async () => {
    const deaf = deafTool()
    const { workers, run } = await workplace(() => [deaf])
    const call = run('deaf')
    await deaf.started
    workers[0]?.emit('messageerror')
    await expect(call).rejects.toMatchObject({ code: 'worker-crashed', message: /messageerror/ })
  })

  it('has a call that had not started run on the next worker', async () => {
    const started = deferred()
    const { tool: count, runs } = counted()
    const place = await workplace((worker) => [spin(started, worker), count])
    void place.run('spin')
    const queued = place.run('count')
    await started.promise
    place.workers[0]?.emit('error', { message: 'boom' })
    expect(await queued).toBe(1)
    expect({ runs: runs(), workers: place.workers.length }).toEqual({ runs: 1, workers: 2 })
  })

  it('between calls is healed by the next', async () => {
    const { tool: count } = counted()
    const { workers, run } = await workplace(() => [count])
    await run('count')
    workers[0]?.emit('error', { message: 'idle crash' })
    expect(await run('count')).toBe(2)
    expect(workers).toHaveLength(2)
  })
})

describe('dispose', () => {
  it('ends the worker and answers every call truthfully', async () => {
    const started = deferred()
    const { tool: count, runs } = counted()
    const place = await workplace((worker) => [spin(started, worker), count])
    const running = place.run('spin')
    const queued = place.run('count')
    await started.promise
    await place.source.dispose()
    await expect(running).rejects.toMatchObject({ code: 'worker-terminated', facts: { outcomeUnknown: true } })
    await expect(queued).rejects.toThrow('The call of count was not run.')
    expect({ runs: runs(), workers: place.workers.map((worker) => worker.terminated) }).toEqual({
      runs: 0,
      workers: [true],
    })
  })

  it('refuses later calls and starts no worker for them', async () => {
    const { source, workers, run } = await workplace(() => [counted().tool])
    await source.dispose()
    await source.dispose()
    await expect(run('count')).rejects.toThrow('make a new source with workerTools()')
    await expect(source.list(never)).rejects.toMatchObject({ code: 'worker-terminated' })
    expect(workers).toHaveLength(1)
  })

  it('during the start ends the worker and rejects who waits', async () => {
    const worker = channelWorker({ says: [] })
    const source = workerTools(() => worker)
    const listing = source.list(never)
    await source.dispose()
    await expect(listing).rejects.toMatchObject({ code: 'worker-terminated' })
    expect(worker.terminated).toBe(true)
  })
})
