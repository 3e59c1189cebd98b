import { createAgent, defineEval, defineHooks, type TurnEvent } from '@turnloop/core'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { runHooked } from './hooks-setup.ts'

describe('an eval', () => {
  const score = defineEval({
    name: 'length',
    phase: 'output',
    evaluate: ({ result }) => ({ score: result.text.length, passed: true, data: { unit: 'characters' } }),
  })

  test('gives an event and stands in the result', async () => {
    const { result, events } = await runHooked(['Hello.'], { postHooks: [score] })

    const found = { name: 'length', phase: 'output', score: 6, passed: true, data: { unit: 'characters' } }
    expect(result.evals).toEqual([found])
    expect(events.find(({ type }) => type === 'eval-result')).toMatchObject(found)
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', evals: [found] })
  })

  test('that fails is a hook error, and blocks nothing whatever it finds', async () => {
    const fail = defineEval({
      name: 'broken',
      phase: 'input',
      evaluate: () => {
        throw new Error('no')
      },
    })
    const low = defineEval({ name: 'low', phase: 'input', evaluate: () => ({ score: 0, passed: false }) })
    const { result } = await runHooked(['Hello.'], { preHooks: [fail, low] })

    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(result.hookErrors).toMatchObject([{ hook: 'broken' }])
    expect(result.evals).toMatchObject([{ name: 'low', passed: false }])
  })

  test('of another phase than its list is refused', () => {
    expect(() => defineHooks({ preHooks: [score] })).toThrow(/length/)
  })

  test('may run in the background', async () => {
    const seen: TurnEvent[] = []
    const late = defineEval({ name: 'late', phase: 'input', background: true, evaluate: () => ({ score: 2 }) })
    const agent = createAgent({
      model: scriptedModel(['A.']),
      clock: manualClock(),
      hooks: defineHooks({ preHooks: [late] }),
    })
    await agent.turn('Hi', { onEvent: (event) => void seen.push(event) }).untilDone()
    await agent.settled()

    expect(seen.find(({ type }) => type === 'eval-result')).toMatchObject({ name: 'late', score: 2 })
  })
})
