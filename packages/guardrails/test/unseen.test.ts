import { pii, promptInjection } from '@turnloop/guardrails'
import { expect, test } from 'vitest'
import { tableOf } from './check-text.ts'
import { UNSEEN } from './unseen-texts.ts'

test('most hostile phrases that no rule was written by trip it', async () => {
  const { missed, falsely, line } = await tableOf(promptInjection(), {
    name: 'promptInjection, unseen',
    trips: UNSEEN.hostile,
    passes: UNSEEN.harmless,
  })

  console.log(line)
  expect(falsely).toEqual([])
  expect(missed.length).toBeLessThanOrEqual(5)
})

test('personal data that no rule was written by trips it', async () => {
  const { missed, falsely, line } = await tableOf(pii(), {
    name: 'pii, unseen',
    trips: UNSEEN.personal,
    passes: UNSEEN.impersonal,
  })

  console.log(line)
  expect({ missed, falsely }).toEqual({ missed: [], falsely: [] })
})
