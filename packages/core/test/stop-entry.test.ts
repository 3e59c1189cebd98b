import { createAgent, createMemoryLog, type Entry, MemoryStore, openSession, ToolRunner } from '@turnloop/core'
import { deafTool, type ManualClock, manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { collect, echo, obedientTool, outline, say } from './loop-setup.ts'

/** A turn stopped in the middle of a tool that takes no notice, and its log until then. */
async function stoppedInTool(reason?: unknown): Promise<{ entries: readonly Entry[]; clock: ManualClock }> {
  const clock = manualClock()
  const log = createMemoryLog(clock)
  const deaf = deafTool()
  const agent = createAgent({ model: scriptedModel([{ calls: [{ name: 'deaf' }] }]), clock, tools: [deaf] })
  const runner = new ToolRunner(agent.parts(log), 'Go')
  const done = runner.untilDone()
  await deaf.started
  runner.cancel(reason)
  await Promise.resolve()
  const entries = [...log.entries]
  await clock.advance(2000)
  await done
  return { entries, clock }
}

async function goOn(entries: readonly Entry[]) {
  const clock = manualClock()
  const log = createMemoryLog(clock)
  for (const entry of entries) log.append(entry)
  const model = scriptedModel([])
  const deaf = deafTool()
  const agent = createAgent({ model, clock, tools: [deaf] })
  const result = await ToolRunner.from(agent.parts(log), log.entries.slice()).untilDone()
  return { result, model, deaf }
}

test('Stop is in the log before anything is settled', async () => {
  const { entries } = await stoppedInTool('enough')
  expect(entries.at(-1)).toMatchObject({ type: 'stop-requested', reason: 'enough' })
})

test('a page that goes away in the middle of stopping does not go on with the turn', async () => {
  const { entries } = await stoppedInTool()
  const { result, model, deaf } = await goOn(entries)
  expect([result.outcome.kind, model.requests.length, deaf.calls.length]).toEqual(['cancelled', 0, 0])
  expect(outline(result.messages)).toEqual(['user: Go', 'assistant: ', 'tool: unknown'])
})

test.each([
  ['a text', 'enough'],
  ['an error', new TypeError('enough')],
  ['nothing', undefined],
])('its reason is the same after that: %s', async (_what, reason) => {
  const { entries } = await stoppedInTool(reason)
  const [told] = entries.filter((entry) => entry.type === 'stop-requested')
  const { result } = await goOn(entries)
  expect(result.outcome).toMatchObject({ kind: 'cancelled', reason: told?.type === 'stop-requested' && told.reason })
})

test('the time limit of a turn is told as that after a crash too', async () => {
  const clock = manualClock()
  const log = createMemoryLog(clock)
  const slow = obedientTool('slow')
  const agent = createAgent({
    model: scriptedModel([{ calls: [{ name: 'slow' }] }]),
    clock,
    tools: [slow.tool],
    timeouts: { turnMs: 5000 },
  })
  const done = new ToolRunner(agent.parts(log), 'Go').untilDone()
  await slow.started
  await clock.advance(5000)
  await done
  const at = log.entries.findIndex(({ type }) => type === 'stop-requested')
  const { result } = await goOn(log.entries.slice(0, at + 1))
  expect(result.outcome).toEqual({ kind: 'timed-out', limit: 'turnMs', ms: 5000 })
})

test('Stop from somebody who is being told of an entry keeps the order', async () => {
  const model = scriptedModel([{ calls: [say('a')] }])
  const runner = createAgent({ model, tools: [echo] }).turn('Go', {
    onEvent: (event) => {
      if (event.type === 'message' && event.message.role === 'assistant') runner.cancel()
    },
  })
  const events = await collect(runner.events())
  const sequences = events.flatMap((event) => ('sequence' in event ? [event.sequence] : []))
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
  expect(events.filter(({ type }) => type === 'stop-requested')).toHaveLength(1)
})

describe('a session', () => {
  test('that is opened again after a page died while stopping ends the turn and asks nothing', async () => {
    const { entries } = await stoppedInTool()
    const store = new MemoryStore()
    const { fence } = await store.claim('s')
    await store.append('s', entries, { fence })
    const model = scriptedModel([])
    const agent = createAgent({ model, clock: manualClock(), tools: [deafTool()] })
    const session = openSession({ agent, store, id: 's' })
    await new Promise<void>((resolve) => {
      session.subscribe(() => session.getSnapshot().outcome?.kind === 'cancelled' && resolve())
    })
    expect(model.requests).toHaveLength(0)
    await session.close()
  })
})
