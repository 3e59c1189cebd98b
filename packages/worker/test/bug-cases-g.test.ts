import { tool } from '@turnloop/core'
import { manualClock } from '@turnloop/testing'
import { workerTools } from '@turnloop/worker'
import { expect, it, onTestFinished } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { callContext, never } from './call-context.ts'
import { channelWorker } from './channel-worker.ts'
import { task, workplace } from './workplace.ts'

// What only a browser can show stands in browser/bug-cases-g.test.ts, and in packed-app-matrix.test.ts for G1 and G5.

const quick = tool({ name: 'quick', description: 'Quick', effect: 'read', execute: () => 'done' })

it("G1: the worker's side has a path of its own, and the page makes the worker", async () => {
  expect(packageJson.exports['./serve'].default).toBe('./dist/serve.js')
  let made = 0
  const source = workerTools(() => {
    made += 1
    return channelWorker([quick])
  })
  onTestFinished(() => source.dispose())
  expect(made).toBe(0)
  expect(await source.list(never)).toHaveLength(1)
  expect(made).toBe(1)
})

it('G2: a worker that never answers fails all who wait, and the next call has a new one', async () => {
  const clock = manualClock()
  const workers = [channelWorker({ says: [] }), channelWorker([quick])]
  const source = workerTools(() => workers.shift() ?? channelWorker([quick]), {
    name: 'tables',
    startTimeoutMs: 50,
    clock,
  })
  onTestFinished(() => source.dispose())
  const waiting = Promise.allSettled([source.list(never), source.list(never)])
  await clock.advance(50)
  const failed = { status: 'rejected', reason: { code: 'worker-failed-to-load', facts: { stage: 'handshake' } } }
  expect(await waiting).toMatchObject([failed, failed])
  expect(await source.list(never)).toHaveLength(1)
})

it('G2: an error event without a message fails the start and says where to look', async () => {
  const worker = channelWorker({ says: [] })
  const source = workerTools(() => worker)
  onTestFinished(() => source.dispose())
  const list = source.list(never)
  worker.emit('error')
  await expect(list).rejects.toMatchObject({ code: 'worker-failed-to-load', message: /worker-src/ })
})

it('G3: a queued call of a runaway is run on a new worker, once', async () => {
  const spinning = task()
  const second = task()
  const place = await workplace(
    (worker) => [
      tool({
        name: 'spin',
        description: 'Spins',
        timeoutMs: 200,
        execute: () => {
          worker()?.block()
          return spinning.execute()
        },
      }),
      tool({ name: 'second', description: 'Second', execute: () => second.execute() }),
    ],
    { graceMs: 100 },
  )
  const culprit = place.run('spin')
  await spinning.hasBegun(1)
  const queued = place.run('second')
  await place.pass(200)
  await place.clock.advance(100)
  await expect(culprit).rejects.toMatchObject({ code: 'tool-timed-out', facts: { outcomeUnknown: true } })
  await second.hasBegun(1)
  second.finish()
  expect(await queued).toBe('done')
  expect({ runs: second.begun, alive: place.alive }).toEqual({ runs: 1, alive: 1 })
})

it('G5: where no worker can be had, the page runs the tools only if it was asked to', async () => {
  const refuse = (): never => {
    throw new DOMException('refused by the policy', 'SecurityError')
  }
  await expect(workerTools(refuse).list(never)).rejects.toMatchObject({
    code: 'worker-failed-to-load',
    message: /worker-src/,
  })
  const source = workerTools(refuse, { fallback: () => [quick] })
  const [inPage] = await source.list(never)
  expect(await inPage?.execute({}, callContext())).toBe('done')
})

it('G7: five hot updates and two disposals leave no worker behind', async () => {
  const place = await workplace(() => [quick])
  for (let update = 0; update < 5; update += 1) {
    place.source.reload()
    await place.run('quick')
    expect(place.alive).toBe(1)
  }
  await Promise.all([place.source.dispose(), place.source.dispose()])
  expect(place.alive).toBe(0)
})
