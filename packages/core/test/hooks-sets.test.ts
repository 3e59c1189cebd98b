import { defineGuardrail, defineHook, defineHooks, mergeHooks } from '@turnloop/core'
import { expect, test } from 'vitest'
import { hooked, hookSteps, runTurn } from './hooks-setup.ts'

test('sets of hooks merge in order, single values by the last', async () => {
  const { agent } = hooked(() => 'Rude.', {})
  const named = (name: string) => defineHook({ name, run: () => {} })
  const one = defineHooks({ preHooks: [named('a')], postHooks: [() => ({ block: 'no' })], safeMessage: 'One.' })
  const two = mergeHooks(defineHooks({ preHooks: [named('b')] }), defineHooks({ safeMessage: 'Two.' }))

  const { result, events } = await runTurn(agent.with({ hooks: [one, two] }))

  expect(hookSteps(events).slice(0, 4)).toEqual(['started a', 'finished a', 'started b', 'finished b'])
  expect(result.text).toBe('Two.')
})

test('hooks of a derived agent replace its own, and a list of sets adds to them', async () => {
  const deny = defineGuardrail({ name: 'deny', check: () => ({ block: 'No.' }) })
  const [guards, more] = [defineHooks({ preHooks: [deny] }), defineHooks({ preHooks: [() => {}] })]
  const { agent } = hooked(() => 'Hello.', {})
  const guarded = agent.with({ hooks: guards })

  const added = await guarded
    .with({ hooks: [guards, more] })
    .turn('Hi')
    .untilDone()
  const replaced = await guarded.with({ hooks: more }).turn('Hi').untilDone()

  expect([added.outcome.kind, replaced.outcome.kind]).toEqual(['blocked', 'completed'])
})
