import { EMPTY_SNAPSHOT, type Snapshot } from '@turnloop/core'
import { expect, test } from 'vitest'
import { SnapshotRing } from '../src/devtools/snapshot-ring.ts'
import { assistant } from './fake-session.ts'

function ringOf(limit: number, ...snapshots: readonly Snapshot[]): SnapshotRing {
  const ring = new SnapshotRing(limit)
  for (const [at, snapshot] of snapshots.entries()) ring.add(snapshot, at)
  return ring
}

function titled(title: string): Snapshot {
  return { ...EMPTY_SNAPSHOT, title }
}

test('only the last snapshots are kept, and their numbers go on', () => {
  const ring = ringOf(3, ...['a', 'b', 'c', 'd', 'e'].map(titled))

  expect(ring.moments.map(({ number, snapshot }) => [number, snapshot.title])).toEqual([
    [3, 'c'],
    [4, 'd'],
    [5, 'e'],
  ])
})

test('a moment names the parts that changed', () => {
  const ring = ringOf(9, EMPTY_SNAPSHOT, { ...titled('a'), status: 'running' })

  expect(ring.moments.map(({ changed }) => changed)).toEqual([[], ['status', 'title']])
})

test('the same snapshot is kept once', () => {
  expect(ringOf(9, EMPTY_SNAPSHOT, EMPTY_SNAPSHOT).moments).toHaveLength(1)
})

test('a reply that grows takes one place, with its newest state', () => {
  const running: Snapshot = { ...EMPTY_SNAPSHOT, status: 'running' }
  const grown = ['H', 'He', 'Hey'].map((text) => ({ ...running, open: assistant('1', text) }))
  const ring = ringOf(9, running, ...grown)

  expect(ring.moments).toHaveLength(2)
  expect(ring.moments.at(-1)).toMatchObject({ number: 2, at: 3, changed: ['open'] })
  expect(ring.moments.at(-1)?.snapshot).toBe(grown.at(-1))
})

test('what is not growth takes a place of its own', () => {
  const running: Snapshot = { ...EMPTY_SNAPSHOT, status: 'running' }
  const growing: Snapshot = { ...running, open: assistant('1', 'H') }
  const ring = ringOf(9, running, growing, { ...growing, title: 'a' }, { ...growing, title: 'b' })

  expect(ring.moments.map(({ changed }) => changed)).toEqual([[], ['open'], ['title'], ['title']])
})
