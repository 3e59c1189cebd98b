import { expect, test } from 'vitest'
import { diffValues } from '../src/devtools/diff-values.ts'

test('the same object is not looked into', () => {
  const shared = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('looked into')
      },
    },
  )

  expect(diffValues({ shared, n: 1 }, { shared, n: 2 }).changes).toEqual([
    { path: 'n', kind: 'changed', before: 1, after: 2 },
  ])
})

test('a key is added, removed and changed by its path', () => {
  const { changes } = diffValues({ gone: 1, kept: { 'a b': 1 } }, { kept: { 'a b': 2 }, added: undefined })

  expect(changes).toEqual([
    { path: 'gone', kind: 'removed', before: 1 },
    { path: 'kept["a b"]', kind: 'changed', before: 1, after: 2 },
    { path: 'added', kind: 'added', after: undefined },
  ])
})

test('one more item at the end is one change', () => {
  const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]

  expect(diffValues([a, b], [a, b, c]).changes).toEqual([{ path: '[2]', kind: 'added', after: c }])
})

test('one more item at the beginning is one change', () => {
  const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]

  expect(diffValues([b, c], [a, b, c]).changes).toEqual([{ path: '[0]', kind: 'added', after: a }])
})

test('an item that changed in the middle is told by what changed in it', () => {
  const [a, c] = [{ id: 'a' }, { id: 'c' }]

  expect(diffValues([a, { n: 1 }, c], [a, { n: 2 }, c]).changes).toEqual([
    { path: '[1].n', kind: 'changed', before: 1, after: 2 },
  ])
})

test('maps are compared by their keys', () => {
  const before = new Map([
    ['a', { n: 1 }],
    ['b', { n: 1 }],
  ])
  const after = new Map([
    ['b', { n: 2 }],
    ['c', { n: 3 }],
  ])

  expect(diffValues({ calls: before }, { calls: after }).changes).toEqual([
    { path: 'calls["a"]', kind: 'removed', before: { n: 1 } },
    { path: 'calls["b"].n', kind: 'changed', before: 1, after: 2 },
    { path: 'calls["c"]', kind: 'added', after: { n: 3 } },
  ])
})

test('a list in the place of an object is told as a whole', () => {
  expect(diffValues({ a: [] }, { a: {} }).changes).toEqual([{ path: 'a', kind: 'changed', before: [], after: {} }])
})

test('more changes than asked for are cut, and that is said', () => {
  const { changes, isCut } = diffValues([1, 2, 3, 4], [5, 6, 7, 8], 2)

  expect(changes.map(({ path }) => path)).toEqual(['[0]', '[1]'])
  expect(isCut).toBe(true)
})

test('as many changes as asked for are not cut', () => {
  expect(diffValues([1, 2], [3, 4], 2).isCut).toBe(false)
})

test('values that go in circles end', () => {
  const circle = (): Record<string, unknown> => {
    const value: Record<string, unknown> = {}
    value.self = value
    return value
  }

  expect(diffValues(circle(), circle()).changes).toHaveLength(1)
})
