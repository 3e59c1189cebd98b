import type { Tool } from '@turnloop/core'
import { workerTools } from '@turnloop/worker'
import { expect, it, onTestFinished } from 'vitest'
import { callContext, never } from '../call-context.ts'
import { freed, started, toolBench } from './tool-bench.ts'

it('a pool of four loses none of a thousand calls', async () => {
  const bench = toolBench({ size: 4 })
  const calls = Array.from({ length: 1000 }, (_, n) => bench.run('add', { a: 20, b: n }))
  expect(await Promise.all(calls)).toEqual(Array.from(calls, (_, n) => ({ sum: 20 + n, inWorker: true })))
})

it('a pool of four answers a thousand calls while some of them run away and some crash', async () => {
  const bench = toolBench({ size: 4, callsPerWorker: 1, graceMs: 20 })
  const name = (n: number): string => (n % 250 === 100 ? 'patient' : n % 250 === 200 ? 'crash' : 'add')
  const calls = Array.from({ length: 1000 }, (_, n) => bench.run(name(n), { a: 20, b: n }))
  const ends = (await Promise.allSettled(calls)).map((end) => (end.status === 'fulfilled' ? end.value : 'lost'))
  expect(ends).toEqual(ends.map((_, n) => (name(n) === 'add' ? { sum: 20 + n, inWorker: true } : 'lost')))
})

it('a second call does not wait for a runaway in a pool of two', async () => {
  const bench = toolBench({ size: 2 })
  await started(bench, 'spin')
  expect(await bench.run('add', { a: 1, b: 1 })).toMatchObject({ sum: 2 })
})

it('reload and dispose leave no worker (G7)', async () => {
  const source = workerTools(() => new Worker(new URL('./fixtures/small.ts', import.meta.url), { type: 'module' }))
  onTestFinished(() => source.dispose())
  const hold = async (name: string): Promise<void> => {
    const [tool]: readonly Tool[] = await source.list(never)
    await tool?.execute({}, callContext({ callId: name }))
  }
  await hold('reload-0')
  for (let n = 1; n < 5; n += 1) {
    source.reload()
    await freed(`reload-${n - 1}`)
    await hold(`reload-${n}`)
  }
  await source.dispose()
  await freed('reload-4')
})
