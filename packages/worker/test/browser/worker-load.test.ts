import { expect, it, onTestFinished } from 'vitest'
import { never } from '../call-context.ts'
import { workerSource } from './tool-bench.ts'

const fixtures = '/packages/worker/test/browser/fixtures'

it('a URL that is not found is a failed load (G2)', async () => {
  const source = workerSource(() => new Worker('/packages/worker/test/browser/none.js', { type: 'module' }))
  await expect(source.list(never)).rejects.toMatchObject({
    name: 'WorkerError',
    code: 'worker-failed-to-load',
    facts: { stage: 'load' },
  })
})

it('a page of HTML is a failed load (G2)', async () => {
  const source = workerSource(() => new Worker(`${fixtures}/page.html`, { type: 'module' }))
  await expect(source.list(never)).rejects.toMatchObject({
    facts: { stage: 'load' },
    message: expect.stringContaining('not served as JavaScript'),
  })
})

it('the URL that the factory names is in the error', async () => {
  const source = workerSource(() => new Worker(new URL('/nowhere/tools.js', location.href), { type: 'module' }), {
    name: 'tables',
  })
  await expect(source.list(never)).rejects.toMatchObject({
    facts: { url: '/nowhere/tools.js' },
    message: expect.stringContaining('Worker "tables" (/nowhere/tools.js) failed to load'),
  })
})

it('a script that throws at its top is told with its message and place (G2)', async () => {
  const source = workerSource(() => new Worker(new URL('./fixtures/throws.ts', import.meta.url), { type: 'module' }))
  await expect(source.list(never)).rejects.toMatchObject({
    code: 'worker-failed-to-load',
    message: expect.stringMatching(/no database in this worker \(.*throws\.ts.*\)/),
    facts: { stage: 'start', url: expect.stringContaining('throws.ts') },
  })
})

it('a script that never serves fails when its time is over', async () => {
  const source = workerSource(() => new Worker(new URL('./fixtures/silent.ts', import.meta.url), { type: 'module' }), {
    startTimeoutMs: 50,
  })
  await expect(source.list(never)).rejects.toMatchObject({ facts: { stage: 'handshake' }, message: /within 50 ms/ })
})

it('a worker of another protocol version is refused', async () => {
  const source = workerSource(
    () => new Worker(new URL('./fixtures/other-version.ts', import.meta.url), { type: 'module' }),
  )
  await expect(source.list(never)).rejects.toMatchObject({ code: 'worker-failed-to-load', message: /version 99/ })
})

it('a worker that the CSP refuses is a failed load that names worker-src (G5)', async () => {
  const frame = document.createElement('iframe')
  onTestFinished(() => frame.remove())
  frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="worker-src 'none'">`
  await new Promise((resolve) => {
    frame.onload = resolve
    document.body.append(frame)
  })
  const source = workerSource(() => {
    // The frame's own constructor, so that the frame's policy applies.
    const inside = frame.contentWindow as (Window & typeof globalThis) | null
    if (!inside) throw new Error('the frame is gone')
    return new inside.Worker(`${location.origin}${fixtures}/tools.ts`, { type: 'module' })
  })
  await expect(source.list(never)).rejects.toMatchObject({
    code: 'worker-failed-to-load',
    message: expect.stringContaining("worker-src 'self'"),
  })
})

it('a failed load does not poison the next one (G2)', async () => {
  let attempts = 0
  const source = workerSource(() => {
    attempts += 1
    if (attempts === 1) return new Worker('/packages/worker/test/browser/none.js', { type: 'module' })
    return new Worker(new URL('./fixtures/tools.ts', import.meta.url), { type: 'module' })
  })
  await expect(source.list(never)).rejects.toMatchObject({ code: 'worker-failed-to-load' })
  expect((await source.list(never)).length).toBeGreaterThan(0)
})
