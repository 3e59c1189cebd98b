import { jsonSchema } from '@turnloop/core/json-schema'
import { expect, test } from 'vitest'

const person = jsonSchema({
  type: 'object',
  properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  required: ['name'],
})

test('a value that fits comes back as it is', async () => {
  const value = { name: 'Ada', tags: ['x'] }
  expect(await person['~standard'].validate(value)).toEqual({ value })
})

test('a misfit names the value at fault', async () => {
  const result = await person['~standard'].validate({ name: 'Ada', tags: ['x', 3] })
  expect(result.issues?.map((issue) => issue.path)).toEqual([['tags', '1']])
})

test('a pattern of the older dialect does not refuse every value', async () => {
  const schema = jsonSchema({ type: 'object', properties: { id: { type: 'string', pattern: '^[\\w-.]+$' } } })
  expect(await schema['~standard'].validate({ id: 'a-b' })).toEqual({ value: { id: 'a-b' } })
})

test('a pattern of the newer dialect is checked', async () => {
  const schema = jsonSchema({ type: 'object', properties: { id: { type: 'string', pattern: '^\\d+$' } } })
  expect((await schema['~standard'].validate({ id: 'a' })).issues).toHaveLength(1)
})
