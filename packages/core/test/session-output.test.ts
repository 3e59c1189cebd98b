import { createAgent, MemoryStore, openSession, structured } from '@turnloop/core'
import { type Script, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { until } from './session-setup.ts'

const brno = JSON.stringify({ city: 'Brno' })

function page(script: Script, store = new MemoryStore()) {
  const model = scriptedModel(script, { capabilities: { structuredOutput: true } })
  const agent = createAgent({ model, output: structured(z.object({ city: z.string() }), { retries: 0 }) })
  return { store, session: openSession({ agent, id: 's', store }) }
}

test('the snapshot has the structured answer of the last turn', async () => {
  const { session } = page([brno])
  await session.send('Where?')
  expect(session.getSnapshot().output).toEqual({ city: 'Brno' })
})

test('another page finds the structured answer in the log', async () => {
  const first = page([brno])
  await first.session.send('Where?')
  await first.session.close()
  const { session } = page([], first.store)
  expect((await until(session, ({ status }) => status === 'idle')).output).toEqual({ city: 'Brno' })
})

test('the structured answer is gone as soon as another turn starts', async () => {
  const { session } = page([brno, { text: '', hang: 'until-abort' }])
  await session.send('Where?')
  const sent = session.send('And now?')
  expect((await until(session, ({ turn }) => turn !== undefined)).output).toBeUndefined()
  await session.cancel()
  await sent
  expect(session.getSnapshot().output).toBeUndefined()
})

test('a rewind leaves the structured answer behind', async () => {
  const { session } = page([brno])
  await session.send('Where?')
  const [start] = await session.checkpoints()
  if (start !== undefined) await session.rewind(start)
  expect([session.getSnapshot().messages, session.getSnapshot().output]).toEqual([[], undefined])
})
