import { tool } from '@turnloop/core'
import { manualClock } from '@turnloop/testing'
import { describe, expect, it } from 'vitest'
import type { ToolWorker } from '../src/worker-link.ts'
import { workerTools } from '../src/worker-tools.ts'
import { callContext, never } from './call-context.ts'
import { type ChannelWorker, channelWorker } from './channel-worker.ts'

const hello = tool({ name: 'hello', description: 'Greets.', effect: 'read', execute: () => 'hello' })

/** A source over workers that are made one by one from `recipes`; the last recipe is used again. */
function sourceOver(...recipes: (() => ChannelWorker)[]) {
  const workers: ChannelWorker[] = []
  const clock = manualClock()
  const factory = (): ToolWorker => {
    const recipe = recipes[Math.min(workers.length, recipes.length - 1)]
    if (!recipe) throw new Error('no recipe')
    const worker = recipe()
    workers.push(worker)
    return worker
  }
  return { source: workerTools(factory, { name: 'tables', clock }), workers, clock }
}

const good = (): ChannelWorker => channelWorker([hello])
const silent = (): ChannelWorker => channelWorker({ says: [] })

describe('a worker', () => {
  it('is not started before it is needed, and then once', async () => {
    const { source, workers } = sourceOver(good)
    expect(workers).toHaveLength(0)
    await Promise.all([source.list(never), source.list(never)])
    expect(workers).toHaveLength(1)
    await source.dispose()
  })

  it('that announced itself before the page listened is asked again', async () => {
    const worker = good()
    // The announcement of this worker is over and heard by nobody.
    await new Promise((resolve) => worker.addEventListener('message', resolve))
    const source = workerTools(() => worker)
    expect(await source.list(never)).toHaveLength(1)
    await source.dispose()
  })

  it('may send messages of its own', async () => {
    const { source, workers } = sourceOver(() => channelWorker({ says: ['hi', null, { kind: 7 }, ready(2)] }))
    expect(await source.list(never)).toEqual([])
    expect(workers[0]?.terminated).toBe(false)
    await source.dispose()
  })
})

describe('a failed start', () => {
  it('of a factory that throws keeps the cause', async () => {
    const cause = new DOMException('refused', 'SecurityError')
    const source = workerTools(() => {
      throw cause
    })
    await expect(source.list(never)).rejects.toMatchObject({
      name: 'WorkerError',
      code: 'worker-failed-to-load',
      facts: { stage: 'create' },
      cause,
    })
  })

  it('of a factory that gives no worker says so', async () => {
    // What a caller without types can pass.
    const source = workerTools(() => undefined as never)
    await expect(source.list(never)).rejects.toThrow('the factory gave back no Worker')
  })

  it('without a message names what to look at and the URL of the factory', async () => {
    const worker = silent()
    const factory = (): ToolWorker => {
      const url = () => new URL('./table-tools.ts', import.meta.url)
      expect(url).toBeTypeOf('function')
      return worker
    }
    const listing = workerTools(factory, { name: 'tables' }).list(never)
    const event = worker.emit('error')
    await expect(listing).rejects.toMatchObject({
      code: 'worker-failed-to-load',
      facts: { stage: 'load', url: './table-tools.ts' },
      message: expect.stringMatching(
        /^Worker "tables" \(\.\/table-tools\.ts\) failed to load.*worker-src.*format: 'es'/,
      ),
    })
    expect(event.defaultPrevented).toBe(true)
    expect(worker.terminated).toBe(true)
  })

  it('with a message tells what the script threw and where', async () => {
    const { source, workers } = sourceOver(silent)
    const listing = source.list(never)
    workers[0]?.emit('error', { message: 'Error: no table', filename: 'https://app/w.js', lineno: 3 })
    await expect(listing).rejects.toMatchObject({
      facts: { stage: 'start', url: 'https://app/w.js' },
      message: 'Worker "tables" threw while it started: Error: no table (https://app/w.js:3)',
    })
  })

  it('by silence ends after the start timeout', async () => {
    const { source, workers, clock } = sourceOver(silent)
    const listing = source.list(never)
    listing.catch(() => {})
    await clock.advance(9_999)
    expect(workers[0]?.terminated).toBe(false)
    await clock.advance(1)
    expect(workers[0]?.terminated).toBe(true)
    await expect(listing).rejects.toMatchObject({ facts: { stage: 'handshake' }, message: /serveTools/ })
  })

  it('by another protocol version names both', async () => {
    const { source } = sourceOver(() => channelWorker({ says: [ready(99)] }))
    await expect(source.list(never)).rejects.toMatchObject({
      code: 'worker-failed-to-load',
      message: expect.stringContaining('speaks protocol version 99, this page 2'),
    })
  })

  it('does not poison the next attempt', async () => {
    const { source, workers, clock } = sourceOver(silent, good)
    const listing = source.list(never)
    listing.catch(() => {})
    await clock.advance(10_000)
    await expect(listing).rejects.toMatchObject({ code: 'worker-failed-to-load' })
    const [listed] = await source.list(never)
    expect(await listed?.execute({}, callContext())).toBe('hello')
    expect(workers).toHaveLength(2)
    await source.dispose()
  })

  it('under a waiting call rejects it as not run', async () => {
    const { source, workers } = sourceOver(good, silent)
    const [listed] = await source.list(never)
    workers[0]?.emit('error', { message: 'crash while idle' })
    const call = listed?.execute({}, callContext())
    workers[1]?.emit('error')
    await expect(call).rejects.toMatchObject({
      code: 'worker-failed-to-load',
      message: expect.stringContaining('The call of hello was not run.'),
      facts: { toolName: 'hello', outcomeUnknown: undefined },
    })
  })

  it('leaves no timer behind', async () => {
    const { source, clock } = sourceOver(good)
    await source.list(never)
    expect(clock.pending).toBe(0)
    await source.dispose()
  })
})

describe('listing', () => {
  it('ends with the reason when its signal aborts, and the start goes on', async () => {
    const { source, workers } = sourceOver(good)
    const controller = new AbortController()
    const listing = source.list({ signal: controller.signal })
    controller.abort('left the page')
    await expect(listing).rejects.toBe('left the page')
    expect(await source.list(never)).toHaveLength(1)
    expect(workers).toHaveLength(1)
    await source.dispose()
  })

  it('with an aborted signal starts nothing', async () => {
    const { source, workers } = sourceOver(good)
    await expect(source.list({ signal: AbortSignal.abort('no') })).rejects.toBe('no')
    expect(workers).toHaveLength(0)
  })
})

function ready(version: number): object {
  return { kind: 'turnloop:ready', version, tools: [] }
}
