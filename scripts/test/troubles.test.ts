import { expect, test } from 'vitest'
import { trouble, troublesText } from '../troubles.mjs'

test('an error is told without colours, empty lines and stack', () => {
  const message = '\u001b[31mError: two differ\u001b[39m\n\n- 1\n+ 2\n\n    at loop (core.ts:1:1)\n    at page'
  expect(trouble('FAILED', 'a test', { message }).error).toBe('Error: two differ\n- 1\n+ 2')
})

test('of a long error the beginning is told', () => {
  const lines = Array.from({ length: 40 }, (_, at) => `${at} ${'x'.repeat(1000)}`)
  const told = trouble('FAILED', 'a test', { message: lines.join('\n') }).error.split('\n')
  expect([told.length, Math.max(...told.map((line) => line.length))]).toEqual([12, 300])
})

test('what failed is told after what passed when it was tried again', () => {
  const troubles = [trouble('FAILED', 'it stops', { message: 'Error: a\nb' }), trouble('FLAKY', 'it fits', undefined)]
  expect(troublesText(troubles)).toBe(
    'FLAKY   it fits\n        without a message\nFAILED  it stops\n        Error: a\n        b',
  )
})

test('twenty failures are told, and how many more there are', () => {
  const troubles = Array.from({ length: 23 }, (_, at) => trouble('FAILED', `test ${at}`, { message: 'Error: no' }))
  const lines = troublesText(troubles).split('\n')
  expect([lines.length, lines.at(-1)]).toEqual([41, '        and 3 more'])
})
