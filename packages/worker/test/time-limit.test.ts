import { tool } from '@turnloop/core'
import { deafTool, deferred } from '@turnloop/testing'
import { describe, expect, it } from 'vitest'
import { task, workplace } from './workplace.ts'

/** A tool with a limit of a second, whose body the test gives. */
function limited(execute: (context: { signal: AbortSignal }) => unknown) {
  return tool({
    name: 'limited',
    description: 'Has a second.',
    timeoutMs: 1000,
    execute: (_input, context) => execute(context),
  })
}

describe('a time limit', () => {
  it('counts from the start and not from the call', async () => {
    const first = task()
    const work = task()
    const block = tool({ name: 'block', description: 'Goes first.', execute: () => first.execute() })
    const place = await workplace(() => [block, limited(() => work.execute())], { callsPerWorker: 1 })
    void place.run('block')
    const call = place.run('limited')
    await first.hasBegun(1)
    await place.clock.advance(5000)
    first.finish()
    await work.hasBegun(1)
    await place.clock.advance(999)
    work.finish()
    expect(await call).toBe('done')
    expect(place.clock.pending).toBe(0)
  })

  it('counts from when the arguments were checked', async () => {
    const checked = deferred()
    const work = task()
    const slow = {
      ...limited(() => work.execute()),
      check: async () => {
        await checked.promise
        return { ok: true as const, value: {} }
      },
    }
    const place = await workplace(() => [slow])
    const call = place.run('limited')
    await place.clock.advance(5000)
    checked.resolve()
    await work.hasBegun(1)
    await place.clock.advance(900)
    work.finish()
    expect(await call).toBe('done')
  })

  it('holds for arguments that are never checked too', async () => {
    const stuck = { ...limited(() => 'done'), check: () => new Promise<never>(() => {}) }
    const place = await workplace(() => [stuck], { startTimeoutMs: 2000 })
    const call = place.run('limited')
    await place.clock.advance(3099)
    expect(place.alive).toBe(1)
    await place.clock.advance(1)
    await expect(call).rejects.toMatchObject({ code: 'tool-timed-out' })
    expect(place.alive).toBe(0)
  })

  it('aborts the tool, which is told why', async () => {
    const reason = deferred<unknown>()
    const begun = deferred()
    const heeding = limited(({ signal }) => {
      begun.resolve()
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reason.resolve(signal.reason)
          reject(signal.reason)
        })
      })
    })
    const place = await workplace(() => [heeding])
    const call = place.run('limited')
    await begun.promise
    await place.clock.advance(1000)
    await expect(call).rejects.toMatchObject({
      name: 'ToolError',
      code: 'tool-timed-out',
      message: 'limited did not finish within 1000 ms.',
      facts: { toolName: 'limited', timeoutMs: 1000 },
    })
    expect(await reason.promise).toMatchObject({ message: 'limited did not finish within 1000 ms.' })
    expect(place.alive).toBe(1)
  })

  it('ends the worker of a deaf tool after the grace time, and the outcome is unknown', async () => {
    const deaf = deafTool()
    const place = await workplace(() => [{ ...deaf, name: 'limited', timeoutMs: 1000 }])
    const call = place.run('limited')
    await deaf.started
    await place.clock.advance(1099)
    expect(place.alive).toBe(1)
    await place.clock.advance(1)
    expect(place.alive).toBe(0)
    await expect(call).rejects.toMatchObject({
      code: 'tool-timed-out',
      message: expect.stringContaining('its worker was ended: it may or may not have taken effect'),
      facts: { outcomeUnknown: true },
      cause: { code: 'worker-terminated' },
    })
  })

  it('of a tool that only reads leaves nothing in doubt', async () => {
    const deaf = deafTool({ effect: 'read' })
    const place = await workplace(() => [{ ...deaf, timeoutMs: 1000 }])
    const call = place.run('deaf')
    await deaf.started
    await place.clock.advance(1100)
    await expect(call).rejects.toMatchObject({ code: 'tool-timed-out', message: /it did not finish/ })
    await expect(call).rejects.not.toHaveProperty('facts.outcomeUnknown', true)
  })

  it('that comes late lets a result that is there count', async () => {
    const begun = deferred()
    const stubborn = limited(({ signal }) => {
      begun.resolve()
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve('done all the same'))
      })
    })
    const place = await workplace(() => [stubborn])
    const call = place.run('limited')
    await begun.promise
    await place.clock.advance(1000)
    expect(await call).toBe('done all the same')
  })

  it('and a Stop after it ask the tool once, and spare a worker whose tool heeds', async () => {
    const begun = deferred()
    const stop = deferred()
    const slow = limited(async () => {
      begun.resolve()
      await stop.promise
      throw new Error('stopped')
    })
    const place = await workplace(() => [slow])
    const controller = new AbortController()
    const call = place.run('limited', { signal: controller.signal })
    await begun.promise
    await place.clock.advance(1050)
    controller.abort()
    stop.resolve()
    await expect(call).rejects.toMatchObject({ code: 'tool-timed-out' })
    expect({ timers: place.clock.pending, alive: place.alive }).toEqual({ timers: 0, alive: 1 })
  })

  it('that passes while a stopped tool ends is not its failure', async () => {
    const begun = deferred()
    const stop = deferred()
    const slow = limited(async ({ signal }) => {
      begun.resolve()
      await stop.promise
      throw signal.reason
    })
    const place = await workplace(() => [slow])
    const controller = new AbortController()
    const call = place.run('limited', { signal: controller.signal })
    await begun.promise
    await place.clock.advance(990)
    controller.abort('user')
    await place.clock.advance(20)
    stop.resolve()
    await expect(call).rejects.toBe('user')
  })

  it('starts anew where a call runs again', async () => {
    const deaf = deafTool()
    const work = task()
    const look = {
      ...limited(async () => {
        await work.execute()
        if (work.begun === 2) throw new RangeError('row 7')
      }),
      effect: 'read' as const,
    }
    const place = await workplace(() => [look, deaf])
    const controller = new AbortController()
    const call = place.run('limited')
    void place.run('deaf', { signal: controller.signal })
    await Promise.all([work.hasBegun(1), deaf.started])
    await place.clock.advance(500)
    controller.abort()
    await place.clock.advance(100)
    await work.hasBegun(2)
    // Past the limit of the first run, within that of the second.
    await place.clock.advance(900)
    work.finish()
    await expect(call).rejects.toThrow('row 7')
  })

  it('of the source holds for tools that bring none', async () => {
    const deaf = deafTool()
    const own = { ...deafTool(), name: 'patient', timeoutMs: 5000 }
    const place = await workplace(() => [deaf, own], { timeoutMs: 50, graceMs: 10 })
    const call = place.run('deaf')
    await deaf.started
    await place.clock.advance(60)
    await expect(call).rejects.toMatchObject({ facts: { timeoutMs: 50 } })
    const patient = place.run('patient')
    await own.started
    await place.clock.advance(60)
    expect(place.alive).toBe(1)
    await place.clock.advance(4950)
    await expect(patient).rejects.toMatchObject({ facts: { timeoutMs: 5000 } })
  })
})
