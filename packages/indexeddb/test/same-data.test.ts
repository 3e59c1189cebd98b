import { expect, test } from 'vitest'
import { isSameData } from '../src/same-data.ts'

test.each([
  [1, 1],
  ['a', 'a'],
  [null, null],
  [Number.NaN, Number.NaN],
  [
    [1, [2]],
    [1, [2]],
  ],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [{ a: 1, b: undefined }, { a: 1 }],
])('%j holds the same data as %j', (a, b) => {
  expect(isSameData(a, b)).toBe(true)
})

test.each([
  [1, 2],
  [1, '1'],
  [null, {}],
  [[], {}],
  [[1], [1, 2]],
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: { b: 1 } }, { a: { b: 2 } }],
  [{ a: null }, {}],
])('%j holds other data than %j', (a, b) => {
  expect(isSameData(a, b)).toBe(false)
})
