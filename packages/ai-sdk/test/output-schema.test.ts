import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { JsonObject } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { closeSchema } from '../src/output-schema.ts'
import { request, user } from './support/conversation.ts'
import { sentRequest } from './support/sent-request.ts'

const text = { type: 'string' }

function objectOf(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), ...more }
}

describe('closing', () => {
  test('every object takes no more than it names, however deep', () => {
    const schema = objectOf({
      list: { type: 'array', items: objectOf({ a: text }) },
      either: { anyOf: [objectOf({ b: text }), { type: 'null' }] },
    })
    const open = JSON.stringify(schema).match(/"type":"object"/g)
    expect(JSON.stringify(closeSchema(schema)).match(/"additionalProperties":false/g)).toHaveLength(open?.length ?? 0)
  })

  test('what an object says about more fields stays', () => {
    const schema = objectOf({ a: text }, { additionalProperties: { type: 'number' } })
    expect(closeSchema(schema).schema).toEqual(schema)
  })

  test('the schema it was given is left as it is', () => {
    const schema = Object.freeze(objectOf({ a: text }))
    closeSchema(schema)
    expect(schema).toEqual(objectOf({ a: text }))
  })

  test.each<[string, JsonObject, boolean]>([
    ['all fields are required', objectOf({ a: text, b: objectOf({ c: text }) }), true],
    ['a field may be missing', objectOf({ a: text }, { required: [] }), false],
    ['nothing says what is required', { type: 'object', properties: { a: text } }, false],
    ['a field deep inside may be missing', objectOf({ a: objectOf({ b: text }, { required: [] }) }), false],
    ['other fields may come', objectOf({ a: text }, { additionalProperties: true }), false],
    [
      'an object that may be null has an optional field',
      objectOf({ a: { type: ['object', 'null'], properties: { b: text } } }),
      false,
    ],
    ['a field is named like a keyword', objectOf({ type: text, properties: text }), true],
  ])('where %s, strict is %s', (_, schema, isStrict) => {
    expect(closeSchema(schema).isStrict).toBe(isStrict)
  })
})

describe('on the wire', () => {
  const optional = request([user('hi')], { output: { schema: objectOf({ a: text, b: text }, { required: ['a'] }) } })
  const whole = request([user('hi')], { output: { schema: objectOf({ a: text, b: text }) } })
  const openai = (fetch: typeof globalThis.fetch) => createOpenAI({ apiKey: 'key', fetch })('gpt-5.2')
  const local = (fetch: typeof globalThis.fetch) =>
    createOpenAICompatible({ name: 'local', baseURL: 'https://example.org', supportsStructuredOutputs: true, fetch })(
      'm',
    )

  test.each([
    ['whole', whole, true],
    ['with an optional field', optional, false],
  ])('OpenAI is asked to keep to a schema strictly only if it would take it: %s', async (_, asked, strict) => {
    const { body } = await sentRequest(openai, asked)
    expect(body).toMatchObject({ text: { format: { strict, schema: { additionalProperties: false } } } })
  })

  test.each([
    ['whole', whole, true],
    ['with an optional field', optional, false],
  ])('so is an endpoint that speaks its protocol: %s', async (_, asked, strict) => {
    const { body } = await sentRequest(local, asked)
    expect(body).toMatchObject({
      response_format: { json_schema: { strict, schema: { additionalProperties: false } } },
    })
  })

  test('the caller’s own word on it goes before', async () => {
    const settings = { providerOptions: { openai: { strictJsonSchema: true } } }
    const { body } = await sentRequest(openai, { ...optional, settings })
    expect(body).toMatchObject({ text: { format: { strict: true } } })
  })

  test('no provider has anything to warn about', async () => {
    const claude = (fetch: typeof globalThis.fetch) => createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5')
    for (const create of [openai, local, claude]) {
      const { events } = await sentRequest(create, optional)
      expect(events.filter(({ type }) => type === 'warning')).toEqual([])
    }
  })
})
