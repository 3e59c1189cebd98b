import { describe, expect, it, onTestFinished } from 'vitest'
import { callContext } from '../call-context.ts'
import { freed, started, type ToolBench, toolBench } from './tool-bench.ts'

/** How often `record_run` ran, over all workers. */
function runCounter(channel: string): { readonly runs: number; next(): Promise<void> } {
  let runs = 0
  let wake = (): void => {}
  const port = new BroadcastChannel(channel)
  port.onmessage = () => {
    runs += 1
    wake()
  }
  onTestFinished(() => port.close())
  return {
    get runs() {
      return runs
    },
    next: () =>
      new Promise((resolve) => {
        wake = resolve
      }),
  }
}

/** The turn of a frame: passes only while the page is responsive. */
function frame(): Promise<unknown> {
  return new Promise(requestAnimationFrame)
}

/** Start a spinning tool, queue `record_run` behind it, and stop the spinning one. */
async function stopRunaway(bench: ToolBench, name: 'spin' | 'spin_later', channel: string) {
  const controller = new AbortController()
  const { call: culprit } = await started(bench, name, controller.signal)
  const queued = bench.run('record_run', { channel })
  await frame()
  controller.abort()
  return { culprit, queued }
}

describe('a runaway tool', () => {
  it('loses its worker after the grace time, and the next call is healthy', async () => {
    const bench = toolBench({ graceMs: 50 })
    await bench.run('hold_lock', {}, { callId: 'runaway' })
    const controller = new AbortController()
    const { call } = await started(bench, 'spin', controller.signal)
    controller.abort()
    await expect(call).rejects.toMatchObject({
      name: 'WorkerError',
      code: 'worker-terminated',
      facts: { toolName: 'spin', outcomeUnknown: true },
    })
    await freed('runaway')
    expect(await bench.run('add', { a: 1, b: 1 })).toMatchObject({ sum: 2 })
  })

  it('leaves the page responsive while it spins (G3)', async () => {
    const bench = toolBench({ graceMs: 50 })
    await started(bench, 'spin')
    for (let frames = 0; frames < 5; frames += 1) await frame()
    await bench.source.dispose()
  })

  it.each(['spin', 'spin_later'] as const)(
    '(%s) has the call behind it run once, on a new worker (G3)',
    async (name) => {
      const bench = toolBench({ graceMs: 50 })
      const counter = runCounter(`behind-${name}`)
      const ran = counter.next()
      const { culprit, queued } = await stopRunaway(bench, name, `behind-${name}`)
      await expect(culprit).rejects.toMatchObject({ code: 'worker-terminated' })
      expect(await queued).toBe('recorded')
      await ran
      expect(counter.runs).toBe(1)
    },
  )

  it('started beside another has it run once, on a new worker', async () => {
    const bench = toolBench({ graceMs: 50 })
    const [spin, record] = await Promise.all([bench.find('spin'), bench.find('record_run')])
    const counter = runCounter('beside')
    const ran = counter.next()
    const controller = new AbortController()
    const culprit = spin.execute({}, callContext({ signal: controller.signal, progress: () => controller.abort() }))
    const other = record.execute({ channel: 'beside' }, callContext())
    await expect(culprit).rejects.toMatchObject({ facts: { toolName: 'spin' } })
    expect(await other).toBe('recorded')
    await ran
    expect(counter.runs).toBe(1)
  })

  it('takes a started neighbour with it, whose outcome is unknown', async () => {
    const bench = toolBench({ graceMs: 50 })
    const { call: neighbour } = await started(bench, 'stoppable')
    const controller = new AbortController()
    await started(bench, 'spin', controller.signal)
    controller.abort()
    await expect(neighbour).rejects.toMatchObject({
      code: 'worker-terminated',
      facts: { toolName: 'stoppable', outcomeUnknown: true },
    })
  })

  it('does not delay the abort of a call that waits behind it', async () => {
    const bench = toolBench({ graceMs: 2 ** 31 - 1 })
    await started(bench, 'spin')
    const controller = new AbortController()
    const waiting = bench.run('add', { a: 1 }, { signal: controller.signal })
    await frame()
    controller.abort('changed my mind')
    await expect(waiting).rejects.toBe('changed my mind')
  })
})

describe('a runaway tool with a time limit', () => {
  it('is ended within limit and grace, and the next call is healthy (G3)', async () => {
    const bench = toolBench({ graceMs: 50 })
    await bench.find('patient')
    const began = performance.now()
    await expect(bench.run('patient')).rejects.toMatchObject({
      name: 'ToolError',
      code: 'tool-timed-out',
      facts: { timeoutMs: 200, outcomeUnknown: true },
    })
    // 250 ms, and what a busy machine adds.
    expect(performance.now() - began).toBeLessThan(5000)
    expect(await bench.run('add', { a: 1, b: 1 })).toMatchObject({ sum: 2 })
  })

  it('has a reading call beside it run again on the next worker (G3)', async () => {
    const bench = toolBench({ graceMs: 50 })
    const looks: (() => void)[] = []
    const first = new Promise<void>((resolve) => looks.push(resolve))
    const second = new Promise<void>((resolve) => looks.push(resolve))
    const looking = bench.run('look', { channel: 'look-again' }, { onProgress: () => looks.shift()?.() })
    await first
    await expect(bench.run('patient')).rejects.toMatchObject({ code: 'tool-timed-out' })
    await second
    const port = new BroadcastChannel('look-again')
    onTestFinished(() => port.close())
    let isOver = false
    const over = looking.finally(() => {
      isOver = true
    })
    // A channel that a worker has just opened may not hear the first of them.
    while (!isOver) {
      port.postMessage('seen')
      await frame()
    }
    expect(await over).toBe('seen')
  })
})

describe('a crash', () => {
  it('rejects the call with what was thrown, and the next call is healthy', async () => {
    const bench = toolBench()
    await expect(bench.run('crash')).rejects.toMatchObject({
      name: 'WorkerError',
      code: 'worker-crashed',
      message: expect.stringMatching(/boom.*tools\.ts/),
      facts: { stage: 'run', toolName: 'crash', outcomeUnknown: true },
    })
    expect(await bench.run('add', { a: 1, b: 1 })).toMatchObject({ sum: 2 })
  })
})
