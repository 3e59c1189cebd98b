import { createAgent, MemoryStore, openSession } from '@turnloop/core'
import { memoryTabs, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { guarded, wipeCall } from './approvals-setup.ts'
import { openGated, openPage, until, untilAsked, untilIdle } from './session-setup.ts'

/** A session whose turn waits for a person, and the id of its request. */
async function openWaiting() {
  const { wipe, deeds } = guarded()
  const agent = createAgent({ model: scriptedModel([{ calls: [wipeCall()] }, 'Done.']), tools: [wipe] })
  const store = new MemoryStore()
  const session = openSession({ agent, store, id: 's' })
  await session.send('Go')
  const id = session.getSnapshot().pending[0]?.id ?? ''
  return { agent, store, session, deeds, id }
}

describe('a decision that is said twice', () => {
  test('counts once while the turn waits', async () => {
    const { session, deeds, id } = await openWaiting()
    await Promise.all([session.approve(id), session.approve(id)])
    await untilIdle(session)
    expect(deeds).toHaveLength(1)
    expect(session.getEntries().filter(({ type }) => type === 'approval-decided')).toHaveLength(1)
  })

  test('counts once when the turn has ended', async () => {
    const { session, deeds, id } = await openWaiting()
    await session.approve(id)
    await untilIdle(session)
    await session.approve(id)
    expect(deeds).toHaveLength(1)
  })

  test('counts once where another tab has said it', async () => {
    const { wipe, deeds } = guarded()
    const browser = memoryTabs()
    const agent = createAgent({ model: scriptedModel([{ calls: [wipeCall()] }, 'Done.']), tools: [wipe] })
    const [here, there] = [browser.open(), browser.open()].map(({ store }) => openSession({ agent, id: 's', store }))
    await here?.send('Go')
    if (here === undefined || there === undefined) return
    await until(there, ({ pending }) => pending.length > 0)
    const id = there.getSnapshot().pending[0]?.id ?? ''
    await Promise.all([here.approve(id), there.approve(id)])
    await untilIdle(here)
    expect(deeds).toHaveLength(1)
  })

  test('is refused where it says something else', async () => {
    const { session, deeds, id } = await openWaiting()
    const [, late] = await Promise.allSettled([session.approve(id), session.deny(id, 'No')])
    await untilIdle(session)
    expect(late).toMatchObject({ status: 'rejected', reason: { code: 'bad-input' } })
    expect(deeds).toHaveLength(1)
  })
})

describe('a retry that is asked for twice', () => {
  test('asks the model once', async () => {
    const { session, model } = openPage([{ text: 'Half', cut: true }, 'Whole.', 'Too many.'])
    await session.send('one')
    const [first, second] = await Promise.all([session.retry(), session.retry()])
    expect([first.text, second.text, model.requests.length]).toEqual(['Whole.', 'Whole.', 2])
  })

  test('is asked for once more after a Stop', async () => {
    const { session, model } = openPage([{ text: 'Half', cut: true }, { text: 'Slow', hang: 'until-abort' }, 'Whole.'])
    await session.send('one')
    const stopped = session.retry()
    await until(session, ({ open }) => open !== undefined)
    const cancelled = session.cancel()
    const again = session.retry()
    expect([(await stopped).outcome.kind, (await again).text]).toEqual(['cancelled', 'Whole.'])
    await cancelled
    expect(model.requests).toHaveLength(3)
  })

  test('is a new one where a Stop has given up the one that waited', async () => {
    const { session, model } = openGated()
    const sent = session.send('one')
    await untilAsked(session)
    const waiting = session.retry()
    await Promise.all([session.cancel(), sent])
    const again = await session.retry()
    expect([(await waiting).outcome.kind, again.outcome.kind, model.requests.length]).toEqual([
      'cancelled',
      'completed',
      2,
    ])
  })
})
