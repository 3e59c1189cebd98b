import { expect, it } from 'vitest'
import { isCloneable, uncloneablePath } from '../src/uncloneable-path.ts'

it('names the deepest value that cannot be cloned', () => {
  const value = { rows: [{ id: 1 }, { id: 2, draw: () => {} }] }
  expect(uncloneablePath(value, 'result')).toBe('result.rows.1.draw')
})

it('names the root when the value itself is at fault', () => {
  expect(uncloneablePath(() => {}, 'result')).toBe('result')
})

it('ends on a value that holds itself', () => {
  const value: Record<string, unknown> = { run: () => {} }
  value.self = value
  value.list = [value]
  expect(uncloneablePath({ value }, 'result')).toBe('result.value.run')
})

it('names a Map for what is inside it', () => {
  expect(uncloneablePath({ index: new Map([['a', () => {}]]) }, 'result')).toBe('result.index')
})

it('tells what can be cloned from what cannot', () => {
  expect(isCloneable({ at: new Date(), bytes: new Uint8Array(2) })).toBe(true)
  expect(isCloneable([Symbol('x')])).toBe(false)
})
