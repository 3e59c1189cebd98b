import {
  createAgent,
  defineHook,
  defineHooks,
  type HooksOptions,
  ModelError,
  type Outcome,
  tool,
  toolHooks,
} from '@turnloop/core'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { decided, guarded, pendingOf, wipeCall } from './approvals-setup.ts'
import { denier, hooked, never, type RunOptions, runHooked, unclosed } from './hooks-setup.ts'
import { echo, say } from './loop-setup.ts'

describe('afterTurn runs exactly once', () => {
  const cases: readonly (readonly [string, HooksOptions, RunOptions & { script?: Parameters<typeof runHooked>[0] }])[] =
    [
      ['completed', {}, {}],
      ['blocked', { preHooks: [denier('Hi')] }, {}],
      ['blocked', { postHooks: [denier('A.')] }, {}],
      ['failed', { beforeModelCall: () => Promise.reject(new Error('x')) }, {}],
      ['failed', {}, { script: [{ throws: new ModelError('model-refused-request', 'no') }] }],
      ['max-iterations', {}, { script: [{ calls: [say('a')] }], maxIterations: 0, tools: [echo] }],
      ['no-progress', { postHooks: [() => ({ retry: 'x' })], maxHookRetries: 0 }, {}],
      [
        'cancelled',
        {},
        {
          script: [{ text: 'A.', hang: 'until-abort' }],
          during: async (turn, { clock }) => {
            await clock.advance(0)
            turn.cancel()
          },
        },
      ],
      [
        'timed-out',
        {},
        {
          script: [{ text: 'A.', hang: 'until-abort' }],
          timeouts: { turnMs: 100 },
          during: (_turn, { clock }) => clock.advance(200),
        },
      ],
    ]

  test.each(cases)('where the turn ends %s', async (kind, hooks, { script = ['A.'], ...options }) => {
    const seen: Outcome[] = []
    const { result, events } = await runHooked(
      script,
      { ...hooks, afterTurn: ({ result: { outcome } }) => void seen.push(outcome) },
      options,
    )

    expect(result.outcome.kind).toBe(kind)
    expect(seen).toEqual([result.outcome])
    expect(events.at(-1)?.type).toBe('turn-ended')
  })

  test('and not on a pause, which keeps post-hooks waiting too', async () => {
    const { wipe } = guarded()
    const seen: string[] = []
    const { agent } = hooked([{ calls: [wipeCall()] }, 'Done.'], {
      preHooks: [() => void seen.push('pre')],
      postHooks: [() => void seen.push('post')],
      afterTurn: ({ result: { outcome } }) => void seen.push(outcome.kind),
    })
    const paused = await agent
      .with({ tools: [wipe] })
      .turn('Hi')
      .untilDone()
    const before = [...seen]
    expect(pendingOf(paused)).toHaveLength(1)

    const done = await decided(paused, { allow: true })

    expect(before).toEqual(['pre'])
    expect(seen).toEqual(['pre', 'post', 'completed'])
    expect(done.turnId).toBe(paused.turnId)
  })

  test('with text, usage and what went wrong', async () => {
    const seen: object[] = []
    await runHooked(['A.'], {
      preHooks: [
        () => {
          throw new Error('x')
        },
      ],
      afterTurn: ({ result }) => void seen.push(result),
    })

    expect(seen[0]).toMatchObject({
      text: 'A.',
      usage: { totalTokens: 15 },
      iterations: 0,
      hookErrors: [{ hook: 'preHooks[0]' }],
    })
  })

  test('a word of an observer is a fault of it, and changes nothing', async () => {
    const { result } = await runHooked(['A.'], {
      afterTurn: () => {
        throw new DOMException('stop', 'AbortError')
      },
    })

    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(result.hookErrors).toMatchObject([{ slot: 'afterTurn' }])
  })
})

test('onCancel is told what Stop left, before afterTurn', async () => {
  const order: unknown[] = []
  await runHooked(
    [{ text: 'A.', hang: 'until-abort' }],
    {
      onCancel: ({ rollback }) => void order.push(rollback.status),
      onError: () => void order.push('error'),
      afterTurn: () => void order.push('after'),
    },
    {
      during: async (turn, { clock }) => {
        await clock.advance(0)
        turn.cancel()
      },
    },
  )

  expect(order).toEqual(['unchanged', 'after'])
})

test('onError is told the error, before afterTurn', async () => {
  const order: unknown[] = []
  await runHooked([{ throws: new ModelError('model-refused-request', 'no') }], {
    onCancel: () => void order.push('cancel'),
    onError: ({ error }) => void order.push(error.code),
    afterTurn: () => void order.push('after'),
  })

  expect(order).toEqual(['model-refused-request', 'after'])
})

describe('Stop during a hook that hangs ends within twice the grace time', () => {
  const slow = defineHook({ name: 'slow', run: () => never() })
  const look = tool({
    name: 'look',
    description: 'Looks',
    execute: () => 'seen',
    hooks: toolHooks({ before: () => never() }),
  })
  const seeing = tool({
    name: 'look',
    description: 'Looks',
    execute: () => 'seen',
    hooks: toolHooks({ after: () => never() }),
  })
  const script = [{ calls: [{ name: 'look' }] }, 'Done.']
  const places: readonly (readonly [string, HooksOptions, object])[] = [
    ['preHooks', { preHooks: [slow] }, {}],
    ['a guardrail', { preHooks: [denier('x', { check: () => never() })] }, {}],
    ['postHooks', { postHooks: [slow] }, {}],
    ['toolHooks', { toolHooks: [() => never()] }, {}],
    ['toolGuardrails', { toolGuardrails: [denier('x', { check: () => never() })] }, {}],
    ['result guardrails', { toolGuardrails: [denier('x', { phases: ['tool-result'], check: () => never() })] }, {}],
    ['before', {}, { tools: [look] }],
    ['after', {}, { tools: [seeing] }],
    ['beforeModelCall', { beforeModelCall: slow }, {}],
    ['afterModelCall', { afterModelCall: slow }, {}],
    ['beforeToolCall', { beforeToolCall: slow }, {}],
    ['afterToolCall', { afterToolCall: slow }, {}],
    ['afterTurn', { afterTurn: slow }, {}],
    ['onCancel and afterTurn', { preHooks: [slow], onCancel: slow, afterTurn: slow }, {}],
  ]

  test.each(places)('%s', async (_name, hooks, options) => {
    const clock = manualClock()
    const plain = tool({ name: 'look', description: 'Looks', execute: () => 'seen' })
    const agent = createAgent({
      model: scriptedModel(script),
      clock,
      hooks: defineHooks(hooks),
      tools: [plain],
      graceMs: 100,
      ...options,
    })
    const events: Parameters<typeof unclosed>[0][number][] = []
    const turn = agent.turn('Hi', { onEvent: (event) => void events.push(event) })
    const done = turn.untilDone()
    await clock.advance(0)
    const stoppedAt = clock.now()
    turn.cancel('enough')
    let endedAt = Number.POSITIVE_INFINITY
    const ended = done.then(() => {
      endedAt = clock.now()
    })
    await clock.advance(200)
    await ended

    expect(endedAt - stoppedAt).toBeLessThanOrEqual(200)
    expect(unclosed(events)).toEqual([])
    expect(events.at(-1)?.type).toBe('turn-ended')
    expect(events.filter(({ type }) => type === 'turn-ended')).toHaveLength(1)
  })
})

test('Stop in preHooks hands the input back, and the log holds none of it', async () => {
  const { result, entries } = await runHooked(
    ['A.'],
    { preHooks: [() => never()] },
    {
      input: 'my secret',
      graceMs: 10,
      during: async (turn, { clock }) => {
        await clock.advance(0)
        turn.cancel()
        await clock.advance(20)
      },
    },
  )

  expect(result.outcome).toMatchObject({ kind: 'cancelled', input: [{ type: 'text', text: 'my secret' }] })
  expect(JSON.stringify(entries)).not.toContain('my secret')
})
