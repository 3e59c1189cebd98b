import { EMPTY_SNAPSHOT, type Entry, MemoryStore, reconcileHistory, reduce, type Snapshot } from '@turnloop/core'
import { assertHistory, type ScriptStep } from '@turnloop/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reduceLog } from '../src/reduce.ts'
import { echo, say } from './loop-setup.ts'
import { effectTool, logFaults, openPage, untilIdle } from './session-setup.ts'

/** What the model does with one request, in every way that the loop tells apart. */
const STEPS: readonly ScriptStep[] = [
  'Done.',
  { reasoning: 'Hm.', text: 'Done.' },
  { text: 'Two.', calls: [say('a'), say('b')] },
  { calls: [{ name: 'pay' }] },
  { calls: [{ name: 'nobody' }, say('c')] },
  { calls: [{ name: 'echo', inputText: '{"text":' }] },
  { text: 'Cut', calls: [say('d')], stopReason: 'maxTokens' },
  { text: 'Paused.', stopReason: 'pause' },
  { text: 'I will call.', stopReason: 'toolUse' },
  { text: 'Half', cut: true },
  { text: 'Broken', error: new Error('overloaded') },
  { throws: new Error('down') },
  { text: '' },
  { text: 'No.', stopReason: 'safety' },
]

const turns = fc.array(
  fc.record({
    steps: fc.array(fc.nat(STEPS.length - 1), { minLength: 1, maxLength: 4 }),
    /** Stop before this event of the turn, if it comes that far. */
    stopAt: fc.option(fc.nat(30), { freq: 2 }),
    retry: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
)

/** What must agree, in a form that can be compared. */
function essence(snapshot: Snapshot): unknown {
  const { messages, usage, outcome, error, open, turn, pending, title, source } = snapshot
  const calls = [...snapshot.calls.values()].filter(({ result }) => result !== undefined)
  return JSON.parse(JSON.stringify({ messages, usage, outcome, error, open, turn, pending, title, source, calls }))
}

test('live events and entries give what the entries alone give on load', async () => {
  await fc.assert(
    fc.asyncProperty(turns, fc.boolean(), async (given, history) => {
      const store = new MemoryStore()
      let steps: ScriptStep[] = []
      let countdown = Number.POSITIVE_INFINITY
      const page = openPage(() => steps.shift() ?? 'The end.', {
        store,
        history,
        tools: [echo, effectTool('pay', 'unsafe').tool],
        beforeEvent: () => {
          countdown -= 1
          if (countdown < 0) page.session.cancel('enough').catch(() => {})
        },
      })
      const { session, model } = page
      for (const { steps: indexes, stopAt, retry } of given) {
        steps = indexes.flatMap((index) => STEPS[index] ?? [])
        countdown = stopAt ?? Number.POSITIVE_INFINITY
        if (retry && session.getEntries().length > 0) await session.retry().catch(() => {})
        else await session.send('Go')
      }
      await session.flush()

      const live = session.getSnapshot()
      const entries: readonly Entry[] = session.getEntries()
      expect(model.violations).toEqual([])
      expect(logFaults(entries)).toEqual([])
      assertHistory(reconcileHistory(live.messages).messages)
      expect(essence(entries.reduce(reduce, EMPTY_SNAPSHOT))).toEqual(essence(live))
      expect(essence(reduceLog(EMPTY_SNAPSHOT, entries))).toEqual(essence(live))
      const reloaded = await untilIdle(openPage([], { store }).session)
      expect(essence(reloaded)).toEqual(essence(live))
      expect([...reloaded.calls.values()].every(({ state }) => state === 'settled')).toBe(true)
      expect(live.turn).toBeUndefined()
    }),
    { numRuns: 150 },
  )
})
