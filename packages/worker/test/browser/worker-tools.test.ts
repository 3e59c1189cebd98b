import type { JsonValue } from '@turnloop/core'
import { workerTools } from '@turnloop/worker'
import { expect, it, onTestFinished } from 'vitest'
import { callContext, never } from '../call-context.ts'
import { freed, started, toolBench } from './tool-bench.ts'

it('a call runs in a module worker and comes back', async () => {
  expect(await toolBench().run('add', { a: 2, b: 3 })).toEqual({ sum: 5, inWorker: true })
})

it('bad arguments are refused in the page', async () => {
  const add = await toolBench().find('add')
  expect(await add.check({ a: 'two' })).toMatchObject({ ok: false })
})

it('arguments that only the worker can refuse are refused there', async () => {
  const bench = toolBench()
  const add = await bench.find('add')
  expect(await add.check({ a: 13 })).toEqual({ ok: true, value: { a: 13 } })
  await expect(bench.run('add', { a: 13 })).rejects.toMatchObject({ code: 'bad-input', message: /no thirteen/ })
})

it('the worker fills in the defaults of its schema', async () => {
  expect(await toolBench().run('add', { a: 2 })).toMatchObject({ sum: 3 })
})

it('progress of a loop that never yields arrives before its result', async () => {
  const updates: JsonValue[] = []
  const result = await toolBench().run('count', { to: 3 }, { onProgress: (update) => void updates.push(update) })
  expect({ updates, result }).toEqual({ updates: [{ n: 1 }, { n: 2 }, { n: 3 }], result: { counted: 3 } })
})

it('a flood of progress does not bury the page', async () => {
  const updates: JsonValue[] = []
  await toolBench().run('count', { to: 50_000 }, { onProgress: (update) => void updates.push(update) })
  expect(updates.length).toBeLessThan(2_000)
  expect(updates.at(-1)).toEqual({ n: 50_000 })
})

it('an async iterable is one in the page', async () => {
  const chunks: unknown[] = []
  for await (const chunk of iterable(await toolBench().run('stream'))) chunks.push(chunk)
  expect(chunks).toEqual(['three ', 'words ', 'long'])
})

it('a stream is given no faster than it is read, and is stopped when its reader leaves', async () => {
  const left = message('flood')
  let read = 0
  for await (const _chunk of iterable(await toolBench().run('flood'))) {
    read += 1
    if (read === 40) break
  }
  const given = await left
  expect(given).toBeGreaterThanOrEqual(40)
  expect(given).toBeLessThanOrEqual(40 + 16)
})

it('a transferred buffer is moved out of the worker', async () => {
  const left = message('pixels')
  expect(await toolBench().run('pixels')).toMatchObject({ bytes: { byteLength: 1e6, 0: 7 } })
  expect(await left).toBe(0)
})

it('what a tool throws keeps its name, message and cause', async () => {
  await expect(toolBench().run('fail')).rejects.toMatchObject({
    name: 'RangeError',
    message: 'row 7 is out of range',
    cause: { name: 'TypeError', message: 'no such row' },
  })
})

it('a result that cannot be cloned is an error that names the path', async () => {
  await expect(toolBench().run('draw')).rejects.toMatchObject({
    code: 'not-cloneable',
    facts: { path: 'result.chart.marks.0' },
  })
})

it('a tool that heeds its signal ends with the reason and keeps its worker', async () => {
  const bench = toolBench()
  await bench.run('hold_lock', {}, { callId: 'kept' })
  const controller = new AbortController()
  const { call } = await started(bench, 'stoppable', controller.signal)
  controller.abort(new DOMException('the user pressed Stop', 'AbortError'))
  await expect(call).rejects.toMatchObject({ name: 'AbortError', message: 'the user pressed Stop' })
  const { held = [] } = await navigator.locks.query()
  expect(held.map((lock) => lock.name)).toContain('kept')
})

it('a worker that serves late is still found', async () => {
  const source = workerTools(() => new Worker(new URL('./fixtures/late.ts', import.meta.url), { type: 'module' }))
  onTestFinished(() => source.dispose())
  const [late] = await source.list(never)
  expect(await late?.execute({}, callContext())).toBe('better late')
})

it('dispose leaves no worker', async () => {
  const bench = toolBench()
  await bench.run('hold_lock', {}, { callId: 'disposed' })
  await bench.source.dispose()
  await freed('disposed')
  await expect(bench.source.list(never)).rejects.toMatchObject({ code: 'worker-terminated' })
})

function iterable(value: unknown): AsyncIterable<unknown> {
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) throw new Error('not streamed')
  // Having the method is what makes one.
  return value as AsyncIterable<unknown>
}

/** The next message of a channel. */
function message(channel: string): Promise<unknown> {
  const port = new BroadcastChannel(channel)
  onTestFinished(() => port.close())
  return new Promise((resolve) => {
    port.onmessage = ({ data }) => resolve(data)
  })
}
