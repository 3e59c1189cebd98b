import { createAgent, defineHooks, type HooksOptions } from '@turnloop/core'
import { type ManualClock, manualClock, type Script, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { hookEvents, never, runHooked } from './hooks-setup.ts'
import { outline } from './loop-setup.ts'

function inner(script: Script = ['Inner.'], hooks: HooksOptions = {}, clock: ManualClock = manualClock()) {
  const model = scriptedModel(script)
  return { model, agent: createAgent({ name: 'inner', model, clock, hooks: defineHooks(hooks) }) }
}

describe('an agent that a hook runs', () => {
  test('has a transcript of its own, and its usage counts for the turn', async () => {
    const { agent, model } = inner()
    const { result } = await runHooked(['A.'], {
      postHooks: [async ({ run }) => ({ replace: (await run(agent, 'Judge this.')).text })],
    })

    expect(outline(model.requests[0]?.messages ?? [])).toEqual(['user: Judge this.'])
    expect(result.text).toBe('Inner.')
    expect(result.usage.totalTokens).toBe(30)
    expect(outline(result.messages)).toEqual(['user: Hi', 'assistant: Inner.'])
  })

  test('tells its live events under a path, and writes no entry', async () => {
    const { agent } = inner(['Inner.'], { preHooks: [() => {}] })
    const { events, entries } = await runHooked(['A.'], { preHooks: [async ({ run }) => void (await run(agent, 'Q'))] })

    const nested = events.filter((event) => 'path' in event && event.path !== undefined)
    expect(nested.length).toBeGreaterThan(0)
    expect(nested.every((event) => 'path' in event && event.path?.[0] === 'hook:inner')).toBe(true)
    expect(entries.filter(({ type }) => type === 'turn-started')).toHaveLength(1)
    expect(JSON.stringify(entries)).not.toContain('Inner.')
  })

  test('is under the signal of the hook, its time limit included', async () => {
    const clock = manualClock()
    const { agent, model } = inner([{ text: 'x', hang: 'until-abort' }], {}, clock)
    const { result } = await runHooked(
      ['A.'],
      {
        preHooks: [
          { kind: 'hook', name: 'judge', timeoutMs: 50, run: async ({ run }) => void (await run(agent, 'Q')) },
        ],
      },
      { clock, during: () => clock.advance(50) },
    )

    expect(model.abortedRequests).toEqual([0])
    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(result.hookErrors).toMatchObject([{ hook: 'judge' }])
  })

  test('that does not complete rejects, with what ended it', async () => {
    const { agent } = inner(['x'], { preHooks: [() => ({ block: 'no' })] })
    const { result } = await runHooked(['A.'], { preHooks: [async ({ run }) => void (await run(agent, 'Q'))] })

    expect(result.hookErrors).toMatchObject([
      { error: { code: 'not-completed', message: expect.stringContaining('blocked') } },
    ])
  })

  test('may run others, four deep', async () => {
    const depths: number[] = []
    let depth = 0
    const looped: HooksOptions = {
      preHooks: [
        async ({ run }) => {
          depths.push(depth++)
          await run(agent, 'deeper')
        },
      ],
    }
    const model = scriptedModel(() => 'A.')
    const agent = createAgent({ model, clock: manualClock(), hooks: defineHooks(looped) })
    const { outcome } = await agent.turn('Hi').untilDone()

    expect(depths).toEqual([0, 1, 2, 3, 4])
    expect(outcome).toEqual({ kind: 'completed' })
  })

  test('cannot change what its host is told', async () => {
    const debugs: boolean[] = []
    const { agent } = inner(['Inner.'], { preHooks: [({ debug }) => void debugs.push(debug)] })
    await runHooked(
      ['A.'],
      {
        preHooks: [
          async ({ run, debug }) => {
            await run(agent, 'Q')
            debugs.push(debug)
          },
          ({ debug }) => void debugs.push(debug),
        ],
      },
      { debug: true },
    )

    expect(debugs).toEqual([false, true, true])
  })

  test('is stopped with the turn', async () => {
    const clock = manualClock()
    const { agent, model } = inner([{ text: 'x', hang: 'until-abort' }], {}, clock)
    const { result } = await runHooked(
      ['A.'],
      { preHooks: [async ({ run }) => void (await run(agent, 'Q'))] },
      {
        clock,
        during: async (turn) => {
          await clock.advance(0)
          turn.cancel('enough')
          await clock.advance(2000)
        },
      },
    )

    expect(model.abortedRequests).toEqual([0])
    expect(result.outcome.kind).toBe('cancelled')
  })
})

describe('the context of a hook', () => {
  test('names agent, turn, iteration and phase', async () => {
    const seen: object[] = []
    const { result } = await runHooked(
      ['A.'],
      {
        postHooks: [
          ({ agent, turnId, iteration, phase, session }) =>
            void seen.push({ agent, turnId, iteration, phase, session }),
        ],
      },
      { name: 'helper' },
    )

    expect(seen).toEqual([
      {
        agent: { name: 'helper', modelId: 'scripted' },
        turnId: result.turnId,
        iteration: 0,
        phase: 'run',
        session: undefined,
      },
    ])
  })

  test('assigning a text equals replacing it', async () => {
    const assigned = await runHooked(['A.'], {
      preHooks: [({ input }) => void Object.assign(input, { text: 'B' })],
      postHooks: [({ result }) => void Object.assign(result, { text: 'C' })],
    })
    const replaced = await runHooked(['A.'], {
      preHooks: [() => ({ replace: 'B' })],
      postHooks: [() => ({ replace: 'C' })],
    })

    expect(outline(assigned.result.messages)).toEqual(outline(replaced.result.messages))
    expect(hookEvents(assigned.events).map(({ changed }) => changed)).toEqual(
      hookEvents(replaced.events).map(({ changed }) => changed),
    )
  })

  test('its messages and results cannot be changed in place', async () => {
    const { result } = await runHooked(['A.'], {
      preHooks: [({ input }) => void Object.assign(input.messages[0] ?? {}, { role: 'other' })],
      postHooks: [
        ({ result: { message } }) => void Object.assign(message ?? {}, { stopReason: 'other' }),
        ({ turnMessages }) => void (turnMessages as unknown[]).pop(),
      ],
    })

    expect(result.hookErrors).toHaveLength(3)
    expect(outline(result.messages)).toEqual(['user: Hi', 'assistant: A.'])
  })

  test('its signal aborts at its time limit', async () => {
    let signal: AbortSignal | undefined
    await runHooked(
      ['A.'],
      {
        preHooks: [
          {
            kind: 'hook',
            name: 'slow',
            timeoutMs: 20,
            run: (context) => {
              signal = context.signal
              return never()
            },
          },
        ],
      },
      { during: (_turn, { clock }) => clock.advance(20) },
    )

    expect(signal?.aborted).toBe(true)
  })
})
