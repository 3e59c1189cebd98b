import { expect, test } from 'vitest'
import { jsonLine, jsonText } from '../src/devtools/json-text.ts'

test('a map is shown as an object', () => {
  expect(JSON.parse(jsonText({ calls: new Map([['a', { n: 1 }]]) }))).toEqual({ calls: { a: { n: 1 } } })
})

test('what JSON cannot hold is named, and what goes in circles is told', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle

  expect(jsonText(undefined)).toBe('undefined')
  expect(jsonText({ big: 1n })).toContain('"1"')
  expect(jsonText(circle)).toMatch(/^This cannot be shown as JSON: /)
})

test('a long text is cut, and says by how much', () => {
  expect(jsonText('x'.repeat(30_000))).toMatch(/… 10000 more characters"$/)
})

test('a line shows the beginning of a value', () => {
  expect(jsonLine({ a: [1, 'two', null], b: {} })).toBe('{a: [1, "two", null], b: {}}')
  expect(jsonLine('x'.repeat(300), 20)).toHaveLength(20)
})

test('a line looks at no more than it shows', () => {
  const deep = {
    get late(): never {
      throw new Error('looked at')
    },
  }

  expect(jsonLine(['x'.repeat(50), deep], 20)).toHaveLength(20)
})
