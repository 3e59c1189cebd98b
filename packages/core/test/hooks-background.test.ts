import {
  background,
  createAgent,
  defineEval,
  defineGuardrail,
  defineHook,
  defineHooks,
  type HookContext,
  InputCheckError,
  structured,
  type TurnEvent,
} from '@turnloop/core'
import { deferred, manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { denier, hookEvents, masker, never, runHooked } from './hooks-setup.ts'
import { idle } from './turn-setup.ts'

type Pre = HookContext & { readonly input: { readonly text: string; readonly messages: readonly unknown[] } }

describe('scenario 49: beside guardrails', () => {
  test.each([[0], [1]])('at place %i, a check that rejects lets it not run', async (place) => {
    const ran: string[] = []
    const preHooks = [denier('bad')].toSpliced(place, 0, background(() => void ran.push('late')) as never)
    const { agent } = await runHooked(['A.'], { preHooks }, { input: 'bad' })
    await agent.settled()

    expect(ran).toEqual([])
  })

  test.each([[0], [1]])('at place %i, it sees what a check has masked', async (place) => {
    const seen: unknown[] = []
    const look = background(
      ({ input, messages, turnMessages }: Pre) => void seen.push(input.text, input.messages, messages, turnMessages),
    )
    const preHooks = [masker('zq71')].toSpliced(place, 0, look as never)
    const { agent } = await runHooked(['A.'], { preHooks }, { input: 'pin zq71' })
    await agent.settled()

    expect(seen[0]).toBe('pin ****')
    expect(JSON.stringify(seen)).not.toContain('zq71')
  })

  test('what it sees of a masked answer holds nothing of it, output included', async () => {
    const seen: unknown[] = []
    const { agent } = await runHooked(
      ['{"pin":"zq71"}'],
      {
        postHooks: [
          background(({ result }: { result: object }) => void seen.push(JSON.stringify(result))) as never,
          masker('zq71'),
        ],
      },
      { output: structured(z.object({ pin: z.string() }), { policy: 'always' }) },
    )
    await agent.settled()

    expect(seen).toHaveLength(1)
    expect(String(seen[0])).not.toContain('zq71')
  })
})

describe('scenario 50 (differs)', () => {
  test('a background hook before a rejecting check is not dispatched', async () => {
    const ran: string[] = []
    const { agent } = await runHooked(['bad'], {
      postHooks: [background(() => void ran.push('late')), denier('bad')],
    })
    await agent.settled()

    expect(ran).toEqual([])
  })

  test('what it changes never reaches the turn', async () => {
    const { agent, result, model } = await runHooked(
      ['A.'],
      {
        preHooks: [
          background((context: Pre) => {
            context.state.seen = true
            ;(context.input as { text: string }).text = 'changed'
          }) as never,
        ],
        beforeModelCall: () => idle(),
      },
      { state: { seen: false } },
    )
    await agent.settled()

    expect(result.state).toEqual({ seen: false })
    expect(JSON.stringify(model.requests)).not.toContain('changed')
  })
})

describe('a background hook', () => {
  test('does not delay the answer, and settled waits for it', async () => {
    const gate = deferred()
    const done: string[] = []
    const slow = background(async () => {
      await gate.promise
      done.push('late')
    })
    const { agent, result } = await runHooked(['A.'], { postHooks: [slow] })
    const before = [...done]
    const settling = agent.settled()
    gate.resolve()
    await settling

    expect(result.outcome).toEqual({ kind: 'completed' })
    expect([before, done]).toEqual([[], ['late']])
  })

  test('that fails is an event, redacted, and in no hook errors', async () => {
    const seen: TurnEvent[] = []
    const fail = background(
      defineHook({
        name: 'late',
        run: () => {
          throw new InputCheckError('pin zq71')
        },
      }),
    )
    const { agent, result } = await runHooked(
      ['A.'],
      { preHooks: [fail], redact: (text) => text.replaceAll('zq71', '[pin]') },
      { turn: { onEvent: (event) => void seen.push(event) } },
    )
    await agent.settled()

    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(result.hookErrors).toEqual([])
    const all = [...seen]
    expect(JSON.stringify(all)).not.toContain('zq71')
  })

  test('gives no pair of events', async () => {
    const { events } = await runHooked(['A.'], { preHooks: [background(() => {})] })

    expect(hookEvents(events)).toEqual([])
  })

  test('is given up at its time, and its signal aborts', async () => {
    const clock = manualClock()
    let signal: AbortSignal | undefined
    const failed: TurnEvent[] = []
    const agent = createAgent({
      model: scriptedModel(['A.']),
      clock,
      hooks: defineHooks({
        preHooks: [
          background((context) => {
            signal = context.signal
            return never()
          }),
        ],
        background: { timeoutMs: 100 },
      }),
    })
    const turn = agent.turn('Hi', { onEvent: (event) => void failed.push(event) })
    await turn.untilDone()
    await clock.advance(100)
    await agent.settled()

    expect(signal?.aborted).toBe(true)
    expect(failed.filter(({ type }) => type === 'background-hook-failed')).toHaveLength(1)
  })

  test('shares its time with few others at once', async () => {
    const gates = [deferred(), deferred(), deferred()]
    let started = 0
    const hooks = gates.map(({ promise }) =>
      background(() => {
        started += 1
        return promise
      }),
    )
    const { agent } = await runHooked(['A.'], { preHooks: hooks, background: { concurrency: 2 } })
    const atOnce = started
    for (const gate of gates) gate.resolve()
    await agent.settled()

    expect([atOnce, started]).toEqual([2, 3])
  })

  test('goes to the queue of the host', async () => {
    const tasks: (() => Promise<void>)[] = []
    const ran: string[] = []
    const { agent } = await runHooked(['A.'], {
      preHooks: [background(() => void ran.push('late'))],
      background: { schedule: (task) => void tasks.push(task) },
    })
    const before = ran.length
    await tasks[0]?.()
    await agent.settled()

    expect([before, ran.length]).toEqual([0, 1])
  })

  test('gets state and metadata as copies of its own', async () => {
    const states: unknown[] = []
    const change = background(({ state }: HookContext) => {
      states.push({ ...state })
      state.count = 9
    })
    const { agent } = await runHooked(['A.'], { preHooks: [change, change] }, { state: { count: 1 } })
    await agent.settled()

    expect(states).toEqual([{ count: 1 }, { count: 1 }])
  })

  test('is told of what cannot be copied by a warning, and runs without it', async () => {
    const outputs: unknown[] = []
    const shape = z.object({ a: z.number() }).transform(({ a }) => ({ a, print: () => a }))
    const { agent, events } = await runHooked(
      ['{"a":1}'],
      {
        postHooks: [
          background(({ result }: { result: { output?: unknown } }) => void outputs.push(result.output)) as never,
        ],
      },
      { output: structured(shape, { policy: 'always' }) },
    )
    await agent.settled()

    expect(outputs).toEqual([undefined])
    expect(events.find(({ type }) => type === 'warning')).toMatchObject({
      message: expect.stringContaining('result.output'),
    })
  })

  test('a guardrail in the background is refused', () => {
    const check = defineGuardrail({ name: 'g', check: () => undefined })

    expect(() => defineHooks({ preHooks: [background(check as never) as never] })).toThrow(/background/)
  })

  test('a bare function in the background is named by its place', async () => {
    const failed: TurnEvent[] = []
    function minified(): never {
      throw new Error('no')
    }
    const agent = createAgent({
      model: scriptedModel(['A.']),
      clock: manualClock(),
      hooks: defineHooks({ preHooks: [background(minified)] }),
    })
    await agent.turn('Hi', { onEvent: (event) => void failed.push(event) }).untilDone()
    await agent.settled()

    expect(failed.find(({ type }) => type === 'background-hook-failed')).toMatchObject({ hook: 'preHooks[0]' })
  })
})

describe("backgroundHooks: 'all'", () => {
  test('runs checks first and every plain hook behind them, evals too', async () => {
    const order: string[] = []
    const { agent, result } = await runHooked(['A.'], {
      backgroundHooks: 'all',
      preHooks: [
        () => void order.push('plain'),
        defineEval({ name: 'score', phase: 'input', evaluate: () => ({ score: order.push('eval') }) }),
        defineGuardrail({ name: 'g', check: () => void order.push('check') as undefined }),
      ],
    })
    await agent.settled()

    expect(order).toEqual(['check', 'plain', 'eval'])
    expect(result.outcome).toEqual({ kind: 'completed' })
  })

  test('a check error of a plain hook blocks nothing there', async () => {
    const failed: TurnEvent[] = []
    const agent = createAgent({
      model: scriptedModel(['A.']),
      clock: manualClock(),
      hooks: defineHooks({
        backgroundHooks: 'all',
        preHooks: [
          () => {
            throw new InputCheckError('no')
          },
        ],
      }),
    })
    const { outcome } = await agent.turn('Hi', { onEvent: (event) => void failed.push(event) }).untilDone()
    await agent.settled()

    expect(outcome).toEqual({ kind: 'completed' })
    expect(failed.some(({ type }) => type === 'background-hook-failed')).toBe(true)
  })
})
