import { type Tool, tool } from '@turnloop/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { workerTools } from '../src/worker-tools.ts'
import { callContext, never } from './call-context.ts'
import { channelWorker } from './channel-worker.ts'
import { task, workplace } from './workplace.ts'

const quick = tool({ name: 'quick', description: 'Is done at once.', execute: () => 'done' })

describe('reload', () => {
  it('has the next call run in a new worker', async () => {
    const place = await workplace(() => [quick])
    place.source.reload()
    expect(place.alive).toBe(0)
    expect(await place.run('quick')).toBe('done')
    expect(place.workers).toHaveLength(2)
  })

  it('lets a call that has started end where it is, and ends that worker then', async () => {
    const work = task()
    const place = await workplace(() => [tool({ name: 'work', description: 'Works.', execute: () => work.execute() })])
    const call = place.run('work')
    await work.hasBegun(1)
    place.source.reload()
    expect(place.alive).toBe(1)
    work.finish()
    expect(await call).toBe('done')
    expect({ alive: place.alive, made: place.workers.length }).toEqual({ alive: 0, made: 1 })
  })

  it('moves a call that waits to a new worker', async () => {
    const work = task()
    const place = await workplace((worker) => [
      quick,
      tool({
        name: 'block',
        description: 'Ends its event loop.',
        execute: () => {
          worker()?.block()
          return work.execute()
        },
      }),
    ])
    void place.run('block')
    const waiting = place.run('quick')
    await work.hasBegun(1)
    place.source.reload()
    expect(await waiting).toBe('done')
    expect(place.workers).toHaveLength(2)
  })

  it('tells whoever subscribed, and lists what the new script serves (G7)', async () => {
    let tools: readonly Tool[] = [quick]
    const source = workerTools(() => channelWorker(tools))
    onTestFinished(() => source.dispose())
    const before = await source.list(never)
    let changes = 0
    const stop = source.subscribe(() => {
      changes += 1
    })
    tools = [{ ...quick, name: 'quicker' }]
    source.reload()
    expect((await source.list(never)).map(({ name }) => name)).toEqual(['quicker'])
    await expect(before[0]?.execute({}, callContext())).rejects.toThrow('no tool named quick')
    stop()
    source.reload()
    // Once for the reload, once for the list that came out different.
    expect(changes).toBe(2)
  })

  it('keeps the tools of a script that serves the same', async () => {
    const place = await workplace(() => [quick])
    const before = await place.source.list(never)
    place.source.reload()
    expect(await place.source.list(never)).toBe(before)
  })

  it('while the first worker starts waits for the next', async () => {
    let made = 0
    const source = workerTools(() => {
      made += 1
      return channelWorker(made === 1 ? { says: [] } : [quick])
    })
    onTestFinished(() => source.dispose())
    const listing = source.list(never)
    source.reload()
    expect(await listing).toHaveLength(1)
  })

  it('twenty times leaves no worker but the last (G7)', async () => {
    const place = await workplace(() => [quick])
    for (let n = 0; n < 20; n += 1) {
      place.source.reload()
      await place.run('quick')
    }
    expect({ alive: place.alive, made: place.workers.length }).toEqual({ alive: 1, made: 21 })
  })

  it('after dispose does nothing', async () => {
    const place = await workplace(() => [quick])
    await place.source.dispose()
    place.source.reload()
    await expect(place.source.list(never)).rejects.toMatchObject({ code: 'worker-terminated' })
    expect(place.workers).toHaveLength(1)
  })
})

it('a worker that comes back with other tools is told to whoever subscribed', async () => {
  let tools: readonly Tool[] = [quick]
  const place = await workplace(() => tools)
  const changed = new Promise<void>((resolve) => void place.source.subscribe(resolve))
  tools = [quick, { ...quick, name: 'quicker' }]
  place.workers[0]?.emit('error', { message: 'boom' })
  await place.run('quick')
  await changed
  expect(await place.source.list(never)).toHaveLength(2)
})

describe('a fallback', () => {
  const failing = (): never => {
    throw new DOMException('refused', 'SecurityError')
  }

  it('is asked once when no worker can be had (G5)', async () => {
    let asked = 0
    const source = workerTools(failing, {
      fallback: () => {
        asked += 1
        return [quick]
      },
    })
    expect(await source.list(never)).toEqual([quick])
    expect(await source.list(never)).toEqual([quick])
    expect(asked).toBe(1)
  })

  it('that fails is asked again', async () => {
    let asked = 0
    const source = workerTools(failing, {
      fallback: async () => {
        asked += 1
        if (asked === 1) throw new Error('offline')
        return [quick]
      },
    })
    await expect(source.list(never)).rejects.toThrow('offline')
    expect(await source.list(never)).toEqual([quick])
  })

  it('is not asked for a worker that was ended', async () => {
    const source = workerTools(() => channelWorker([quick]), { fallback: () => [quick] })
    await source.dispose()
    await expect(source.list(never)).rejects.toMatchObject({ code: 'worker-terminated' })
  })

  it('gives way to workers after a reload', async () => {
    let isRefused = true
    const source = workerTools(() => (isRefused ? failing() : channelWorker([quick])), { fallback: () => [] })
    onTestFinished(() => source.dispose())
    expect(await source.list(never)).toEqual([])
    isRefused = false
    source.reload()
    expect(await source.list(never)).toHaveLength(1)
  })
})
