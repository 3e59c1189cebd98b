import { Validator } from '@cfworker/json-schema'
import { jsonSchema } from '@turnloop/core/json-schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainlyFits } from '../src/plainly-fits.ts'

const NAMES = ['a', 'b', 'constructor', '__proto__']

/** Values with few names and numbers, so that they often meet a schema that knows them. */
const { json: jsonValue } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.constantFrom(null, true, false, 0, 1, 1.5, -3, '', 'a', 'b'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('json'), { maxKeys: 3 }),
  ),
}))

const words = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array']
const type = fc.oneof(fc.constantFrom(...words), fc.uniqueArray(fc.constantFrom(...words), { minLength: 1 }))

const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.boolean(),
    fc.record(
      {
        type,
        enum: fc.array(jsonValue, { minLength: 1, maxLength: 3 }),
        minimum: fc.constantFrom(-2, 0, 1),
        maximum: fc.constantFrom(0, 1, 2),
        minLength: fc.constantFrom(0, 1),
        description: fc.constant('words'),
        items: tie('schema'),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }),
        required: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
        additionalProperties: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ),
}))

test('what plainly fits a schema is valid for the validator', () => {
  let found = 0
  const property = fc.property(schema, jsonValue, (given, value) => {
    // Made above, of nothing but JSON.
    if (!plainlyFits(given as boolean, value)) return true
    found += 1
    return new Validator(given as boolean).validate(value).valid
  })
  fc.assert(property, { numRuns: 3000 })
  expect(found).toBeGreaterThan(200)
})

test.each([
  ['a keyword it does not know', { type: 'string', format: 'email' }, 'a@b.c'],
  ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }, 1],
  ['a tuple', { items: [{}, {}] }, [1, 2]],
  ['a word that is an object', { enum: [{ a: 1 }] }, { a: 1 }],
  ['a value that is no JSON', {}, undefined],
  ['a number that is none', { type: 'number' }, Number.NaN],
])('%s is left to the validator', (_what, given, value) => {
  expect(plainlyFits(given, value)).toBe(false)
})

test('the arguments of a usual tool plainly fit', () => {
  const given = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      city: { type: 'string', description: 'Where' },
      unit: { enum: ['C', 'F'] },
      days: { type: 'integer', minimum: 1, maximum: 14 },
      tags: { type: 'array', items: { type: ['string', 'null'] } },
    },
    required: ['city'],
    additionalProperties: false,
  }
  expect(plainlyFits(given, { city: 'Bern', unit: 'C', days: 3, tags: ['x', null] })).toBe(true)
})

test('a value that plainly fits is given back as the same object', async () => {
  const value = { a: 1 }
  const result = await jsonSchema({ type: 'object' })['~standard'].validate(value)
  expect('value' in result && result.value).toBe(value)
})
