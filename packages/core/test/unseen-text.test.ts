import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TurnEvent } from '../src/events.ts'
import { reduce } from '../src/reduce.ts'
import { SessionView } from '../src/session-view.ts'

const base = { turnId: 't', at: 1, after: 1 } as const

const started = (messageId: string): TurnEvent => ({ ...base, type: 'model-started', messageId, modelId: 'm' })

const delta = fc
  .record({
    type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const),
    messageId: fc.constantFrom('a', 'b'),
    partIndex: fc.nat(2),
    delta: fc.constantFrom('x', 'yz', ''),
  })
  .map((event): TurnEvent => ({ ...base, ...event }))

const event: fc.Arbitrary<TurnEvent> = fc.oneof(
  { weight: 8, arbitrary: delta },
  fc.constantFrom<TurnEvent>(
    started('a'),
    started('b'),
    { ...base, type: 'content-retracted', messageId: 'a' },
    { ...base, type: 'retry', reason: 'overloaded', delayMs: 1 },
    { ...base, path: ['c'], type: 'text-delta', messageId: 'a', partIndex: 0, delta: 'nested' },
    { ...base, type: 'tool-input-delta', messageId: 'a', partIndex: 1, callId: 'c', toolName: 'look', delta: '{' },
  ),
)

const viewOf = (): SessionView => new SessionView({ start: {}, now: () => 1, busyStatus: () => undefined })

test('who looks seldom sees what follows from every single event', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(event, fc.boolean()), { maxLength: 40 }), (played) => {
      const view = viewOf()
      view.apply(started('a'))
      let expected = view.snapshot
      for (const [next, isLookedAt] of played) {
        view.apply(next)
        expected = reduce(expected, next)
        if (isLookedAt) expect(view.snapshot).toEqual(expected)
      }
      expect(view.snapshot).toEqual(expected)
    }),
  )
})

test('every delta is told of, and a snapshot stays the same until the next', () => {
  const view = viewOf()
  view.apply(started('a'))
  let told = 0
  view.subscribe(() => {
    told += 1
  })
  for (const text of ['Once', ' upon'])
    view.apply({ ...base, type: 'text-delta', messageId: 'a', partIndex: 0, delta: text })
  const { snapshot } = view
  expect([told, snapshot.open?.content]).toEqual([2, [{ type: 'text', text: 'Once upon' }]])
  expect(view.snapshot).toBe(snapshot)
})

test('a view that is closed takes nothing in', () => {
  const view = viewOf()
  view.apply(started('a'))
  view.close()
  view.apply({ ...base, type: 'text-delta', messageId: 'a', partIndex: 0, delta: 'late' })
  expect(view.snapshot.open?.content).toEqual([])
})
