import { createAgent, MemoryStore, openSession } from '@turnloop/core'
import { deafTool, deferred, manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { echo, lastResults, obedientTool, outline, say } from './loop-setup.ts'

/** A store in which nothing is ever saved, and nothing is ever refused either. */
class HangingStore extends MemoryStore {
  override append(): Promise<void> {
    return new Promise(() => {})
  }
}

/** A model that hangs after its text, and a promise of that moment. */
function hangingModel(...later: ScriptStep[]) {
  const hangs = deferred()
  const model = scriptedModel([{ text: 'Half', hang: 'until-abort' }, ...later], {
    beforeEvent: (event, { request }) => (request === 0 && event.type === 'text-end' ? hangs.resolve() : undefined),
  })
  return { model, hangs: hangs.promise }
}

test('the status is cancelling at once and idle afterwards', async () => {
  const { model, hangs } = hangingModel()
  const session = openSession({ agent: createAgent({ model }) })
  const turn = session.send('Hello')
  await hangs
  const stopping = session.cancel()
  expect(session.getSnapshot().status).toBe('cancelling')
  await Promise.all([stopping, turn])
  expect(session.getSnapshot().status).toBe('idle')
})

test('Stop ends within twice the grace time although saving hangs', async () => {
  const clock = manualClock()
  const { model, hangs } = hangingModel()
  const session = openSession({ agent: createAgent({ model, clock, graceMs: 800 }), store: new HangingStore() })
  const turn = session.send('Hello')
  await hangs
  let outcome: string | undefined
  const stopping = session.cancel()
  turn.then((result) => {
    outcome = result.outcome.kind
  })
  await clock.advance(1600)
  expect(outcome).toBe('cancelled')
  await stopping
})

test('a deaf tool and a hanging save together take twice the grace', async () => {
  const clock = manualClock()
  const deaf = deafTool({ effect: 'read' })
  const agent = createAgent({
    model: scriptedModel([{ calls: [{ name: 'deaf' }] }]),
    tools: [deaf],
    clock,
    graceMs: 800,
  })
  const session = openSession({ agent, store: new HangingStore(), saveTimeoutMs: 10 })
  const turn = session.send('Wait')
  await clock.advance(50)
  await deaf.started
  let outcome: string | undefined
  turn.then((result) => {
    outcome = result.outcome.kind
  })
  const stopping = session.cancel()
  await clock.advance(1600)
  expect(outcome).toBe('cancelled')
  await stopping
})

test('an input stopped before it began is handed back, not logged', async () => {
  const store = new MemoryStore()
  const session = openSession({ agent: createAgent({ model: scriptedModel([]) }), store, id: 's' })
  const { outcome } = await session.send('Secret', { signal: AbortSignal.abort() })
  expect(outcome).toMatchObject({ kind: 'cancelled', input: [{ type: 'text', text: 'Secret' }] })
  await session.flush()
  expect(JSON.stringify([await store.read('s'), (await store.head('s'))?.queue ?? []])).not.toContain('text":"Secret')
  expect(session.getSnapshot().messages).toEqual([])
})

test('stopping one queued input leaves the others', async () => {
  const { model, hangs } = hangingModel('Three.', 'Four.')
  const session = openSession({ agent: createAgent({ model }) })
  const controller = new AbortController()
  const first = session.send('one')
  await hangs
  const second = session.send('two', { signal: controller.signal })
  const third = session.send('three')
  controller.abort()
  expect((await second).outcome.kind).toBe('cancelled')
  await session.cancel()
  await first
  expect(session.getSnapshot().queue.map(({ content }) => content)).toEqual([[{ type: 'text', text: 'three' }]])
  const fourth = session.send('four')
  expect([(await third).text, (await fourth).text]).toEqual(['Three.', 'Four.'])
})

test('a session that is closed with "cancel" ends its turn truthfully', async () => {
  const wait = obedientTool('wait')
  const model = scriptedModel([{ calls: [say('a'), { name: 'wait' }] }])
  const store = new MemoryStore()
  const agent = createAgent({ model, tools: [echo, wait.tool], toolExecution: 'sequential' })
  const session = openSession({ agent, store, id: 's' })
  const turn = session.send('Both')
  await wait.started
  await session.close({ running: 'cancel' })
  expect((await turn).outcome.kind).toBe('cancelled')
  expect(lastResults(await turn).map(({ status }) => status)).toEqual(['ok', 'cancelled'])
  const reopened = openSession({ agent, store, id: 's' })
  await reopened.flush()
  expect(outline(reopened.getSnapshot().messages)).toEqual(['user: Both', 'assistant: ', 'tool: ok, cancelled'])
})
