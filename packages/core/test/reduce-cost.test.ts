import { EMPTY_SNAPSHOT, type Entry, type EntryDraft, messageText, reduce, type Snapshot } from '@turnloop/core'
import { expect, test, vi } from 'vitest'
import { LayeredMap } from '../src/layered-map.ts'
import { reduceLog } from '../src/reduce.ts'
import {
  answers,
  type Draft,
  ended,
  events,
  modelStarted,
  play,
  reply,
  settled,
  started,
  text,
  toolStarted,
  user,
} from './reduce-setup.ts'

test.each<[string, Draft]>([
  ['an unknown kind', { type: 'mood-changed' } as never],
  ['an unknown kind that is critical', { type: 'mood-changed', critical: true } as never],
  ['a checkpoint', { type: 'checkpoint', position: 'reply' }],
  ['a warning', { type: 'warning', message: 'x' }],
  ['a custom event', { type: 'custom', name: 'x', data: 1 }],
  ['an iteration', { type: 'iteration-started', iteration: 1 }],
  ["a sub-agent's message", { ...user('inner'), path: ['c'] }],
])('%s gives the same snapshot back', (_name, draft) => {
  const before = play([started, user('u')])
  expect(play([draft], before, 3)).toBe(before)
})

test('what an event does not touch keeps its identity', () => {
  const before = play([started, user('u'), reply('a', 'c'), toolStarted('c'), modelStarted('b')])
  const after = play([text('b', 'Hi')], before, 5)
  const { open: _before, ...rest } = before
  const { open: _after, ...same } = after
  for (const key of Object.keys(rest)) expect(same[key as keyof typeof same]).toBe(rest[key as keyof typeof rest])
})

test('a closed message stays the same object whatever follows', () => {
  const before = play([started, user('u'), reply('a', 'c')])
  const after = play([settled('c'), answers('r', 'c'), reply('b'), ended, started, user('v'), ended], before, 4)
  expect(after.messages.slice(0, 2)).toEqual(before.messages)
  for (const [index, message] of before.messages.entries()) expect(after.messages[index]).toBe(message)
})

test('a snapshot that was handed out never changes', () => {
  const before = play([started, user('u'), reply('a', 'c')])
  const copy = JSON.stringify([before, [...before.calls]])
  reduceLog(before, events([settled('c'), answers('r', 'c'), ended], 4) as Entry[])
  play([settled('c'), answers('r', 'c'), ended], before, 4)
  expect(JSON.stringify([before, [...before.calls]])).toBe(copy)
})

/** A long conversation of which every look at an old message is counted. */
function longLog(turns: number): { entries: Entry[]; looks: () => number } {
  let looks = 0
  const drafts = Array.from({ length: turns }, (_, turn) => [
    ...[started, user(`u${turn}`), reply(`a${turn}`, `c${turn}`), toolStarted(`c${turn}`), settled(`c${turn}`)],
    ...[answers(`r${turn}`, `c${turn}`), ended],
  ]).flat()
  // Only entries are among the drafts.
  const entries = events(drafts) as Entry[]
  for (const entry of entries) {
    if (entry.type !== 'message' || entry.message.role === 'tool') continue
    const { content } = entry.message
    Object.defineProperty(entry.message, 'content', {
      enumerable: true,
      get: () => {
        looks += 1
        return content
      },
    })
  }
  return { entries, looks: () => looks }
}

test('a turn after ten thousand messages looks at none of them', () => {
  const { entries, looks } = longLog(3500)
  const before = reduceLog(EMPTY_SNAPSHOT, entries)
  expect(before.messages.length).toBeGreaterThan(10_000)
  const looked = looks()
  const walks = vi.spyOn(LayeredMap.prototype, 'entries')
  const turn = [started, user('u'), modelStarted('a'), text('a', 'Hi'), reply('a', 'c'), toolStarted('c'), settled('c')]
  const after = play([...turn, answers('r', 'c'), ended], before, entries.length + 1)
  expect([looks() - looked, walks.mock.calls.length]).toEqual([0, 0])
  expect(messageText(after.messages[0] as never)).toBe('u0')
  walks.mockRestore()
})

test('an overlay in a long log does not make later messages dear', () => {
  const { entries, looks } = longLog(500)
  const overlay: EntryDraft = { type: 'overlay', id: 'o', by: 'compaction', hides: [[1, 10]], shows: [] }
  const before = play([overlay], reduceLog(EMPTY_SNAPSHOT, entries), entries.length + 1)
  const looked = looks()
  const sequences = countReads(before, () => play([started, user('u'), reply('a'), ended], before, entries.length + 2))
  expect([looks() - looked, sequences]).toEqual([0, 0])
})

/** How often a function looks where in the log an old message stands. */
function countReads(snapshot: Snapshot, work: () => void): number {
  let reads = 0
  for (const logged of snapshot.source.messages) {
    const { sequence } = logged
    const get = (): number => {
      reads += 1
      return sequence
    }
    Object.defineProperty(logged, 'sequence', { get, enumerable: true })
  }
  work()
  return reads
}

/** How many items are copied out of lists and maps while a function runs. */
function countCopies(work: () => void): number {
  let copies = 0
  const restore = [Array.prototype, Map.prototype].map((prototype) => {
    const original = prototype[Symbol.iterator]
    // Stands in for the platform's own iterator, of which only `next` is ever used here.
    const counting = function* (this: unknown): Generator<unknown> {
      const inner = Reflect.apply(original as () => Iterator<unknown>, this, [])
      for (let next = inner.next(); !next.done; next = inner.next()) {
        copies += 1
        yield next.value
      }
    }
    Object.defineProperty(prototype, Symbol.iterator, { value: counting, configurable: true, writable: true })
    return () =>
      Object.defineProperty(prototype, Symbol.iterator, { value: original, configurable: true, writable: true })
  })
  try {
    work()
  } finally {
    for (const undo of restore) undo()
  }
  return copies
}

test('a log twice as long takes twice the work to take in, not four times', () => {
  const [short, long] = [longLog(200).entries, longLog(400).entries]
  const small = countCopies(() => void reduceLog(EMPTY_SNAPSHOT, short))
  const large = countCopies(() => void reduceLog(EMPTY_SNAPSHOT, long))
  expect(small).toBeGreaterThan(1000)
  expect(large).toBeLessThan(small * 2.2)
})

test('taking in a whole log is the same as taking its entries one by one', () => {
  const { entries } = longLog(80)
  const whole = reduceLog(EMPTY_SNAPSHOT, entries)
  const stepwise = entries.reduce(reduce, EMPTY_SNAPSHOT)
  expect({ ...whole, calls: [...whole.calls] }).toEqual({ ...stepwise, calls: [...stepwise.calls] })
})
