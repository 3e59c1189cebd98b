import { length } from '@turnloop/guardrails'
import { expect, test } from 'vitest'
import { checkText, tableOf } from './check-text.ts'

test('texts that are too short or too long trip it', async () => {
  const trips = [
    '',
    '   ',
    'too short',
    '\n\tnine char \n',
    '日本語です',
    '😀😀😀😀😀😀😀😀😀',
    'x'.repeat(21),
    '😀'.repeat(21),
  ]
  const passes = [
    'ten letter',
    'x'.repeat(20),
    `  ${'x'.repeat(20)}  `,
    '日本語のとてもよい文',
    '😀'.repeat(10),
    '😀'.repeat(20),
  ]

  const { missed, falsely, line } = await tableOf(length({ min: 10, max: 20 }), { name: 'length', trips, passes })

  console.log(line)
  expect({ missed, falsely }).toEqual({ missed: [], falsely: [] })
})

test('a verdict says how long and how long it may be', async () => {
  expect(await checkText(length({ min: 10 }), 'short', { phase: 'output' })).toEqual({
    block: 'The text has 5 characters; at least 10 are wanted.',
    trigger: 'output_not_allowed',
    data: { characters: 5, min: 10 },
  })
  expect(await checkText(length({ max: 3 }), 'short', { phase: 'tool-result' })).toMatchObject({
    block: 'The text has 5 characters; at most 3 are allowed.',
    trigger: 'input_not_allowed',
  })
})

test('a growing text is never too short, and too long at once', async () => {
  expect(await checkText(length({ min: 10 }), 'short', { isPartial: true })).toBeUndefined()
  expect(await checkText(length({ max: 3 }), 'short', { isPartial: true })).toBeDefined()
})

test.each([
  [{}, 'give "min", "max" or both'],
  [{ min: -1 }, '"min" must be a whole number, at least 0'],
  [{ max: 1.5 }, '"max" must be a whole number, at least 0'],
  [{ min: 3, max: 2 }, '"min" must not be greater than "max"'],
  [{ min: 1, least: 2 }, 'there is no option "least"'],
])('options that cannot work are refused: %j', (options, message) => {
  expect(() => length(options)).toThrow(expect.objectContaining({ code: 'bad-option', message: `length: ${message}.` }))
})
