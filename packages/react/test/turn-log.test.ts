import type { Entry } from '@turnloop/core'
import { expect, test } from 'vitest'
import { TurnLog, turnsSetAside } from '../src/devtools/turn-log.ts'

/** Turns of two entries each, in one list. */
function logOf(...turnIds: readonly string[]): Entry[] {
  return turnIds.flatMap((turnId, index): Entry[] => {
    const sequence = 2 * index + 1
    const started = { type: 'turn-started', agentName: 'a', modelId: 'm', history: true } as const
    const ended = { type: 'turn-ended', outcome: { kind: 'completed' }, usage: {}, iterations: 0 } as const
    return [
      { ...started, sequence, at: sequence, turnId },
      { ...ended, sequence: sequence + 1, at: sequence + 1, turnId },
    ]
  })
}

test('turns come in the order in which they began', () => {
  const turns = new TurnLog().read(logOf('one', 'two'))

  expect(turns.map(({ turnId, number, startedAt, endedAt }) => [turnId, number, startedAt, endedAt])).toEqual([
    ['one', 1, 1, 2],
    ['two', 2, 3, 4],
  ])
})

test('a turn without an end runs, and one that paused waits', () => {
  const [started, ended] = logOf('one')
  if (started === undefined || ended === undefined) throw new Error('no log')
  const entries: Entry[] = [started]
  const log = new TurnLog()

  expect(log.read(entries)[0]?.endedAt).toBeUndefined()
  entries.push({ type: 'turn-paused', pending: [], sequence: 2, at: 5, turnId: 'one' })
  expect(log.read(entries)[0]).toMatchObject({ endedAt: 5, outcome: { kind: 'awaiting' } })
  entries.push({ type: 'approval-decided', id: 'x', allow: true, by: 'user', sequence: 3, at: 9, turnId: 'one' })
  expect(log.read(entries)[0]?.outcome).toBeUndefined()
})

test('a list that grows keeps the turns that did not change', () => {
  const entries = logOf('one')
  const log = new TurnLog()
  const before = log.read(entries)

  expect(log.read(entries)).toBe(before)
  const second = logOf('one', 'two').slice(2)
  entries.push(...second)
  const after = log.read(entries)
  expect(after[0]).toBe(before[0])
  expect(after).toHaveLength(2)
  expect(before).toHaveLength(1)
})

test('another list is read from the start', () => {
  const log = new TurnLog()
  log.read(logOf('one', 'two'))

  expect(log.read(logOf('three')).map(({ turnId }) => turnId)).toEqual(['three'])
})

test('less of a list is read as it stood then', () => {
  const entries = logOf('one', 'two')
  const log = new TurnLog()
  log.read(entries)

  expect(log.read(entries, 3).map(({ endedAt }) => endedAt)).toEqual([2, undefined])
})

test('what an agent within a turn comes to is not the end of the turn', () => {
  const [started, ended] = logOf('one')
  if (started === undefined || ended === undefined) throw new Error('no log')

  expect(new TurnLog().read([started, { ...ended, path: ['call'] }])[0]?.endedAt).toBeUndefined()
})

test('a rewind leaves turns behind, until one goes back before it', () => {
  const turns = new TurnLog().read(logOf('one', 'two', 'three'))

  expect([...turnsSetAside(turns, [{ to: 2, at: 7 }])]).toEqual(['two', 'three'])
  expect([
    ...turnsSetAside(turns, [
      { to: 2, at: 7 },
      { to: 6, at: 8 },
    ]),
  ]).toEqual([])
})
