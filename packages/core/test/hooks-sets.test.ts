import { defineHook, defineHooks, mergeHooks } from '@turnloop/core'
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
