import {
  defineToolHook,
  type FinishedToolCall,
  InputCheckError,
  openSession,
  resultText,
  StopTurn,
  type ToolHooksOptions,
  tool,
  toolHooks,
} from '@turnloop/core'
import { manualClock } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hooked, never, runHooked, unclosed } from './hooks-setup.ts'
import { lastResults, lastResultTexts } from './loop-setup.ts'

/** A tool `look` with hooks of its own, and the arguments it ran with. */
function looker(
  options: ToolHooksOptions,
  execute: (runs: number) => unknown = () => 'seen',
): { look: ReturnType<typeof tool>; inputs: unknown[] } {
  const inputs: unknown[] = []
  const look = tool({
    name: 'look',
    description: 'Looks',
    input: z.object({ at: z.string().optional() }),
    execute: (input) => {
      inputs.push(input)
      return execute(inputs.length)
    },
    hooks: toolHooks(options),
  })
  return { look, inputs }
}

const call = (at = 'a') => ({ name: 'look', input: { at } })
const lookOnce = [{ calls: [call()] }, 'Done.']

describe('scenario 41: a cached result', () => {
  test('stands in for the tool, and hooks run all the same', async () => {
    const finished: boolean[] = []
    const { look, inputs } = looker(
      { cache: { ttlMs: 1000 }, after: ({ fromCache }) => void finished.push(fromCache) },
      (runs) => `run ${runs}`,
    )
    const shout = async (_call: unknown, next: () => Promise<{ content: readonly unknown[] }>) =>
      `${resultText((await next()) as never)}!`
    const { model } = await runHooked(
      [{ calls: [call()] }, { calls: [call()] }, 'Done.'],
      { toolHooks: [shout as never] },
      { tools: [look] },
    )

    expect(inputs).toHaveLength(1)
    expect(finished).toEqual([false, true])
    expect(lastResultTexts(model.requests[1])).toEqual(['run 1!'])
    expect(lastResultTexts(model.requests[2])).toEqual(['run 1!'])
  })

  test('can be refused by a hook, and goes out of date', async () => {
    const clock = manualClock()
    const { look } = looker({ cache: { ttlMs: 1000, scope: 'all' } }, (runs) => `run ${runs}`)
    const { agent, model } = hooked(() => 'unused', {}, { tools: [look], clock })
    const run = (hooks = {}) => runHooked(lookOnce, hooks, { tools: [look], clock })

    await run()
    const refused = await run({
      toolHooks: [
        () => {
          throw new Error('no')
        },
      ],
    })
    await clock.advance(1000)
    const later = await run()

    expect(lastResults(refused.model.requests[1])[0]?.status).toBe('error')
    expect(lastResultTexts(later.model.requests[1])).toEqual(['run 2'])
    expect([agent.name, model.requests.length]).toEqual(['agent', 0])
  })
})

describe('scenario 42: never cached is', () => {
  const twice = async (
    execute: (runs: number) => unknown,
    hook?: ReturnType<typeof defineToolHook>,
  ): Promise<number> => {
    const { look, inputs } = looker({ cache: { ttlMs: 1000 } }, execute)
    const hooks = hook === undefined ? {} : { toolHooks: [hook] }
    await runHooked([{ calls: [call()] }, { calls: [call()] }, 'Done.'], hooks, { tools: [look] })
    return inputs.length
  }
  const hook = (run: Parameters<typeof defineToolHook>[0]['run']) => defineToolHook({ name: 'hook', run })

  test('an error', async () => {
    const runs = await twice(() => {
      throw new Error('down')
    })
    expect(runs).toBe(2)
  })

  test('what one hook runs twice, and both runs are real', async () => {
    const runs = await twice(
      (count) => count,
      hook(async (_call, next) => {
        await next()
        return next()
      }),
    )
    expect(runs).toBe(4)
  })

  test('what a hook answers itself', async () => {
    let answered = false
    const runs = await twice(
      (count) => count,
      hook((_call, next) => {
        if (answered) return next()
        answered = true
        return 'mine'
      }),
    )
    expect(runs).toBe(1)
  })

  test('a call with rewritten arguments', async () => {
    expect(
      await twice(
        (count) => count,
        hook((_call, next) => next({ at: 'b' })),
      ),
    ).toBe(2)
  })

  test('an image', async () => {
    const image = { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }], isError: false }
    expect(await twice(() => image)).toBe(2)
  })

  test('a stream', async () => {
    async function* stream() {
      yield 'a'
    }
    expect(await twice(stream)).toBe(2)
  })

  test('shared by users or sessions, unless the scope says so', async () => {
    const { look, inputs } = looker({ cache: { ttlMs: 1000 } }, (runs) => runs)
    const { agent } = hooked(
      ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [call()] }),
      {},
      {
        tools: [look],
      },
    )
    const sessions = ['s', 't'].map((id) => openSession({ agent, id }))

    for (const session of sessions) await session.send('Hi', { userId: 'ann' })
    await sessions[0]?.send('Hi', { userId: 'ben' })
    const before = inputs.length
    await sessions[0]?.send('Hi', { userId: 'ann' })

    expect([before, inputs.length]).toEqual([3, 3])
  })
})

describe('scenario 47: before and after', () => {
  test('before changes arguments, and after sees the result', async () => {
    const finished: FinishedToolCall[] = []
    const { look, inputs } = looker({
      before: ({ input }) => ({ input: { ...input, at: 'b' } }),
      after: (done) => void finished.push(done),
    })
    await runHooked(lookOnce, {}, { tools: [look] })

    expect(inputs).toEqual([{ at: 'b' }])
    expect(finished).toMatchObject([
      { name: 'look', input: { at: 'b' }, modelInput: { at: 'a' }, durationMs: 0, fromCache: false },
    ])
    expect(finished[0]?.result && resultText(finished[0].result)).toBe('seen')
  })

  test('after has had its say before the middleware has the result', async () => {
    const steps: string[] = []
    const { look } = looker({ after: () => void steps.push('after') })
    const around = async (_call: unknown, next: () => Promise<unknown>) => {
      const result = await next()
      steps.push('middleware')
      return result
    }

    await runHooked(lookOnce, { toolHooks: [around] }, { tools: [look] })

    expect(steps).toEqual(['after', 'middleware'])
  })

  test('after sees the error of a tool that failed', async () => {
    const finished: FinishedToolCall[] = []
    const { look } = looker({ after: (done) => void finished.push(done) }, () => {
      throw new RangeError('too far')
    })
    const { model } = await runHooked(lookOnce, {}, { tools: [look] })

    expect(finished[0]?.error).toBeInstanceOf(RangeError)
    expect(finished[0]?.result).toBeUndefined()
    expect(lastResults(model.requests[1])[0]?.status).toBe('error')
  })
})

describe('scenario 48', () => {
  test('what after gives is what the model reads (differs)', async () => {
    const { look } = looker({ after: () => ({ result: 'edited' }) })
    const { model } = await runHooked(lookOnce, {}, { tools: [look] })

    expect(lastResultTexts(model.requests[1])).toEqual(['edited'])
  })

  test('before can deny, and the tool does not run (differs)', async () => {
    const { look, inputs } = looker({ before: () => ({ deny: 'Not on Sundays.' }) })
    const { model } = await runHooked(lookOnce, {}, { tools: [look] })

    expect(inputs).toEqual([])
    expect(lastResults(model.requests[1])[0]?.status).toBe('denied')
    expect(lastResultTexts(model.requests[1])).toEqual(['Not on Sundays.'])
  })

  test('before can answer in the place of the tool', async () => {
    const { look, inputs } = looker({ before: () => ({ result: { from: 'before' } }) })
    const { model } = await runHooked(lookOnce, {}, { tools: [look] })

    expect(inputs).toEqual([])
    expect(lastResults(model.requests[1])[0]).toMatchObject({
      status: 'ok',
      result: { structuredContent: { from: 'before' } },
    })
  })

  test('an error in before denies the call (differs)', async () => {
    const { look, inputs } = looker({
      before: () => {
        throw new Error('policy server is down')
      },
    })
    const { model, result } = await runHooked(lookOnce, {}, { tools: [look] })

    expect(inputs).toEqual([])
    expect(lastResults(model.requests[1])[0]?.status).toBe('denied')
    expect(result.hookErrors).toMatchObject([{ slot: 'before' }])
  })

  test.each(['before', 'after'] as const)('a check error in %s ends the turn blocked (differs)', async (point) => {
    const { look } = looker({
      [point]: () => {
        throw new InputCheckError('no')
      },
    })
    const { result, model } = await runHooked(lookOnce, {}, { tools: [look] })

    expect(result.outcome).toMatchObject({ kind: 'blocked', hook: `look.${point}`, slot: point })
    expect(model.requests).toHaveLength(1)
  })

  test('StopTurn in after keeps what the tool did and ends the turn', async () => {
    const { look, inputs } = looker({
      after: () => {
        throw new StopTurn('enough')
      },
    })
    const { result } = await runHooked(lookOnce, {}, { tools: [look] })

    expect(inputs).toHaveLength(1)
    expect(result.outcome).toEqual({ kind: 'completed', stoppedBy: 'look.after' })
  })

  test.each(['before', 'after'] as const)('%s that never settles is given up at its time', async (point) => {
    const { look } = looker({ [point]: () => never(), timeoutMs: 50 })
    const { result, model, events } = await runHooked(
      lookOnce,
      {},
      { tools: [look], during: (_turn, { clock }) => clock.advance(50) },
    )

    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(lastResults(model.requests[1])[0]?.status).toBe(point === 'before' ? 'denied' : 'error')
    expect(unclosed(events)).toEqual([])
  })
})
