import { createAgent, ModelError } from '@turnloop/core'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { openPage } from './session-setup.ts'

const bad = () => ({ usage: { inputTokens: 3 }, error: new ModelError('model-overloaded', 'x') })
test('tries that all fail are counted', async () => {
  const clock = manualClock()
  const done = createAgent({ clock, model: scriptedModel([bad(), bad(), bad()]) })
    .turn('Go')
    .untilDone()
  await clock.advance(5000)
  expect((await done).usage).toEqual({ inputTokens: 9 })
})
test('in a session, and read again', async () => {
  const { session, clock } = openPage([bad(), bad(), bad()])
  const done = session.send('Go', { turnId: 't' })
  await clock.advance(5000)
  expect([(await done).usage, session.getSnapshot().usage, (await session.send('Go', { turnId: 't' })).usage]).toEqual([
    { inputTokens: 9 },
    { inputTokens: 9 },
    { inputTokens: 9 },
  ])
})
