import { expect, it, onTestFinished } from 'vitest'
import { callContext, never } from '../call-context.ts'
import { freed, started, toolBench, workerSource } from './tool-bench.ts'

const fixtures = '/packages/worker/test/browser/fixtures'

it.each([
  ['is not found', () => new Worker('/nowhere.js', { type: 'module' })],
  ['is a page of HTML', () => new Worker(`${fixtures}/page.html`, { type: 'module' })],
  ['throws at its top', () => new Worker(new URL('./fixtures/throws.ts', import.meta.url), { type: 'module' })],
])('G2: a script that %s fails those who wait, and the next start is tried', async (_what, broken) => {
  let isBroken = true
  const source = workerSource(() =>
    isBroken ? broken() : new Worker(new URL('./fixtures/small.ts', import.meta.url), { type: 'module' }),
  )
  const failed = { status: 'rejected', reason: { code: 'worker-failed-to-load' } }
  expect(await Promise.allSettled([source.list(never), source.list(never)])).toMatchObject([failed, failed])
  isBroken = false
  expect((await source.list(never)).length).toBeGreaterThan(0)
})

it('G3: a runaway ends within its limit, and those beside and after it are answered', async () => {
  const bench = toolBench({ timeoutMs: 200, graceMs: 100 })
  await bench.run('hold_lock', {}, { callId: 'G3' })
  const { call: culprit } = await started(bench, 'spin')
  const queued = bench.run('add', { a: 1, b: 2 })
  await expect(culprit).rejects.toMatchObject({ code: 'tool-timed-out', facts: { timeoutMs: 200 } })
  expect(await queued).toMatchObject({ sum: 3 })
  expect(await bench.run('add', { a: 2, b: 2 })).toMatchObject({ sum: 4 })
  await freed('G3')
})

it('G5: a file of the same origin runs under a policy without worker-src', async () => {
  const frame = document.createElement('iframe')
  onTestFinished(() => frame.remove())
  // Spelled out as well: what a frame made of text calls its own origin is not the same everywhere.
  frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="script-src 'self' ${location.origin}">`
  await new Promise((resolve) => {
    frame.onload = resolve
    document.body.append(frame)
  })
  const source = workerSource(() => {
    // The frame's own constructor, so that the frame's policy applies.
    const inside = frame.contentWindow as (Window & typeof globalThis) | null
    if (!inside) throw new Error('the frame is gone')
    return new inside.Worker(`${location.origin}${fixtures}/small.ts`, { type: 'module' })
  })
  expect((await source.list(never)).length).toBeGreaterThan(0)
})

it('G7: mounted and unmounted twenty times, and updated five times, no worker is left', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `G7-${n}`)
  for (const [place, callId] of names.entries()) {
    const source = workerSource(() => new Worker(new URL('./fixtures/small.ts', import.meta.url), { type: 'module' }))
    const [hold] = await source.list(never)
    await hold?.execute({}, callContext({ callId }))
    if (place % 4 === 0) source.reload()
    await Promise.all([source.dispose(), source.dispose()])
  }
  await Promise.all(names.map(freed))
}, 120_000)
