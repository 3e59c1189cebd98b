import { pii, promptInjection } from '@turnloop/guardrails'
import { expect, test } from 'vitest'
import { replaced, tableOf } from '../check-text.ts'
import { HARMLESS, HOSTILE } from '../injection-texts.ts'
import { IMPERSONAL, PERSONAL } from '../pii-texts.ts'

test('a browser finds the same personal data', async () => {
  const trips = Object.values(PERSONAL).flat()

  const { missed, falsely } = await tableOf(pii(), { name: 'pii', trips, passes: IMPERSONAL })

  expect({ missed, falsely }).toEqual({ missed: [], falsely: [] })
})

test('a browser finds the same hostile phrases', async () => {
  const trips = Object.values(HOSTILE).flat()

  const { missed, falsely } = await tableOf(promptInjection(), { name: 'promptInjection', trips, passes: HARMLESS })

  expect({ missed, falsely }).toEqual({ missed: [], falsely: [] })
})

test('a browser makes the same words of a salt as Node', async () => {
  const guardrail = pii({ mode: 'hash', salt: 'a salt of the tests' })

  expect(await replaced(guardrail, 'ada@example.com')).toBe('[email:dnpcifeeoe]')
})
