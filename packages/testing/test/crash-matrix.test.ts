import { createAgent, type ToolEffect, tool } from '@turnloop/core'
import { type CrashWorld, crashMatrix, manualClock, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'

/** Looks, books and pays at once, then pays the rest. */
function createWorld(): CrashWorld & { readonly effects: string[] } {
  const effects: string[] = []
  const make = (name: string, effect: ToolEffect) =>
    tool({
      ...{ name, description: name, effect },
      execute: (_input, { callId }) => {
        if (effect === 'unsafe') effects.push(callId)
        return `${name} done`
      },
    })
  const tools = [make('look', 'read'), make('book', 'idempotent'), make('pay', 'unsafe')]
  return {
    effects,
    unsafeEffects: () => effects,
    createAgent: () =>
      createAgent({
        tools,
        clock: manualClock(),
        model: scriptedModel(({ messages }) => {
          const last = messages.at(-1)
          if (last?.role === 'tool') return last.results.length === 3 ? { calls: [{ name: 'pay' }] } : 'Settled.'
          return JSON.stringify(last).includes('Thanks')
            ? 'You are welcome.'
            : { calls: [{ name: 'look' }, { name: 'book' }, { name: 'pay' }] }
        }),
      }),
  }
}

const cases = await crashMatrix({ createWorld, followUp: 'Thanks' })
for (const { name, run } of cases) test(name, run)

test('each save is cut before and after it is stored', () => {
  expect(cases.length).toBeGreaterThan(8)
  expect(cases.length % 2).toBe(0)
})

/** The refusals of a matrix, one per case. */
async function refusalsOf(change: (world: ReturnType<typeof createWorld>) => CrashWorld): Promise<string[]> {
  const all = await crashMatrix({ createWorld: () => change(createWorld()) })
  const refusals = await Promise.all(all.map(({ run }) => run().then(String, (error: Error) => error.message)))
  return refusals.filter((refusal) => refusal !== 'undefined')
}

test('an unsafe effect that came twice is found', async () => {
  const found = await refusalsOf((world) => ({ ...world, unsafeEffects: () => [...world.effects, ...world.effects] }))
  expect(found.length).toBeGreaterThan(4)
  expect(found[0]).toContain('took effect twice')
})

test('what the world finds wrong is found', async () => {
  const found = await refusalsOf((world) => ({
    ...world,
    check() {
      throw new Error('the books do not balance')
    },
  }))
  expect(new Set(found)).toEqual(new Set(['the books do not balance']))
})

test('an answer that differs from the one without a crash is found', async () => {
  let pages = 0
  const found = await refusalsOf((world) => ({
    ...world,
    createAgent() {
      pages += 1
      return createAgent({ model: scriptedModel(() => `Page ${pages}.`), clock: manualClock() })
    },
  }))
  expect(found.some((refusal) => refusal.includes('without a crash'))).toBe(true)
})
