import { isEntry, type TurnEvent } from '@turnloop/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventQueue } from '../src/event-queue.ts'

type Said =
  | { kind: 'text-delta' | 'reasoning-delta'; part: number; delta: string }
  | { kind: 'progress'; call: string; update: number }
  | { kind: 'fact' }
  | { kind: 'read'; count: number }

const said: fc.Arbitrary<Said> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const),
    part: fc.nat(2),
    delta: fc.string({ maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('progress' as const), call: fc.constantFrom('a', 'b'), update: fc.nat() }),
  fc.record({ kind: fc.constant('fact' as const) }),
  fc.record({ kind: fc.constant('read' as const), count: fc.nat(3) }),
)

/** The event that something said becomes after `after` facts. */
function eventOf(what: Exclude<Said, { kind: 'read' }>, after: number): TurnEvent {
  const base = { turnId: 't', at: 0, after }
  if (what.kind === 'fact') return { type: 'checkpoint', position: 'reply', sequence: after + 1, at: 0, turnId: 't' }
  if (what.kind === 'progress') return { ...base, type: 'tool-progress', callId: what.call, update: what.update }
  return { ...base, type: what.kind, messageId: 'm', partIndex: what.part, delta: what.delta }
}

/** Text by part, as a reader puts it together. */
function grown(events: readonly TurnEvent[]): Record<string, string> {
  const text: Record<string, string> = {}
  for (const event of events) {
    if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') continue
    const key = `${event.type} ${event.partIndex} after ${event.after}`
    text[key] = (text[key] ?? '') + event.delta
  }
  return text
}

test('whenever a reader looks, nothing is lost or out of order', () => {
  fc.assert(
    fc.property(fc.array(said, { maxLength: 80 }), (script) => {
      const queue = new EventQueue()
      const pushed: TurnEvent[] = []
      const read: TurnEvent[] = []
      let facts = 0
      const take = (count: number): void => {
        for (let at = 0; at < count; at += 1) read.push(...[queue.shift()].filter((event) => event !== undefined))
      }
      for (const what of script) {
        if (what.kind === 'read') take(what.count)
        else {
          pushed.push(eventOf(what, facts))
          if (what.kind === 'fact') facts += 1
          queue.push(pushed.at(-1) ?? eventOf(what, facts))
        }
      }
      take(pushed.length)
      expect(read.filter(isEntry)).toEqual(pushed.filter(isEntry))
      expect(grown(read)).toEqual(grown(pushed))
      const places = read.map((event) => (isEntry(event) ? event.sequence : event.after))
      expect(places).toEqual([...places].sort((a, b) => a - b))
      for (const callId of ['a', 'b']) {
        const newest = (events: readonly TurnEvent[]) =>
          events.findLast((event) => event.type === 'tool-progress' && event.callId === callId)
        expect(newest(read)).toEqual(newest(pushed))
      }
    }),
    { numRuns: 500 },
  )
})

test('what nobody reads is one event per part and call', () => {
  const queue = new EventQueue()
  for (let round = 0; round < 10_000; round += 1) {
    for (const part of [0, 1, 2]) queue.push(eventOf({ kind: 'text-delta', part, delta: 'x' }, 0))
    for (const call of ['a', 'b']) queue.push(eventOf({ kind: 'progress', call, update: round }, 0))
  }
  const left: TurnEvent[] = []
  for (let event = queue.shift(); event !== undefined; event = queue.shift()) left.push(event)
  expect(left).toHaveLength(5)
})
