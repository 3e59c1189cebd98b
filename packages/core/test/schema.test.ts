import { createAgent, type Schema, tool } from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkValue, toJsonSchema } from '../src/schema.ts'
import { lastResults, lastResultTexts, recorder } from './loop-setup.ts'

type Validate = Schema['~standard']['validate']

/** A schema by hand: what any library may make of the standard. */
function handMade(validate: Validate, json: Record<string, unknown> = { type: 'object' }): Schema {
  const convert = (): Record<string, unknown> => json
  return { '~standard': { version: 1, vendor: 'hand', validate, jsonSchema: { input: convert, output: convert } } }
}

/** What a tool with this schema ran with, and what the model read, for one call. */
async function callWith(input: Schema | z.ZodObject, value: unknown) {
  const target = recorder('target', input as z.ZodObject)
  const model = scriptedModel([{ calls: [{ name: 'target', input: value }] }, 'Done.'])
  const { outcome } = await createAgent({ model, tools: [target.tool] })
    .turn('Go')
    .untilDone()
  expect(outcome).toEqual({ kind: 'completed' })
  return {
    inputs: target.inputs,
    status: lastResults(model.requests[1])[0]?.status,
    text: lastResultTexts(model.requests[1])[0],
  }
}

describe('zod', () => {
  test('transforms reach the tool, the log keeps what the model sent', async () => {
    const schema = z.object({ day: z.string().transform((text) => text.length), tags: z.string().default('none') })
    const { inputs, status } = await callWith(schema, { day: 'Monday' })
    expect([inputs, status]).toEqual([[{ day: 6, tags: 'none' }], 'ok'])
  })

  test.each([
    ['even', 4, 'ok'],
    ['odd', 3, 'error'],
  ])('an async refinement decides: %s', async (_name, count, status) => {
    const schema = z.object({ count: z.number().refine(async (value) => value % 2 === 0, 'must be even') })
    const seen = await callWith(schema, { count })
    expect([seen.status, seen.inputs.length]).toEqual([status, status === 'ok' ? 1 : 0])
    if (status === 'error') expect(seen.text).toContain('- count: must be even')
  })

  test('a refinement that throws is a refusal', async () => {
    const refine = (): never => {
      throw new Error('refine broke')
    }
    const { status, text } = await callWith(z.object({ a: z.any().refine(refine) }), { a: 1 })
    expect([status, text]).toEqual(['error', expect.stringContaining('refine broke')])
  })

  test('the model is shown the input side, without a draft marker', () => {
    const schema = z.object({ at: z.string().transform(Number), size: z.number().default(1) })
    expect(toJsonSchema(schema, 'here')).toEqual({
      type: 'object',
      properties: { at: { type: 'string' }, size: { type: 'number', default: 1 } },
      required: ['at'],
    })
  })

  test('unions, intersections and recursion are objects at the top', () => {
    const one = z.object({ k: z.literal('a'), v: z.number() })
    const two = z.object({ k: z.literal('b') })
    const node = z.object({
      get kids() {
        return z.array(node)
      },
    })
    for (const schema of [
      z.union([one, two]),
      z.discriminatedUnion('k', [one, two]),
      one.and(z.object({ x: z.string() })),
      node,
    ]) {
      expect(toJsonSchema(schema, 'here')).toBeTypeOf('object')
    }
  })
})

describe('schemas by hand', () => {
  test.each<[string, Validate, string]>([
    ['gives issues', () => ({ issues: [{ message: 'no' }] }), '- no'],
    ['gives a path', () => ({ issues: [{ message: 'no', path: ['a', 0, { key: 'b' }] }] }), '- a.0.b: no'],
    ['gives a path of a symbol', () => ({ issues: [{ message: 'no', path: [Symbol('s')] }] }), '- Symbol(s): no'],
    ['gives an empty path', () => ({ issues: [{ message: 'no', path: [] }] }), '- no'],
    ['gives no issue at all', () => ({ issues: [] }), 'do not fit'],
    ['gives them later', async () => ({ issues: [{ message: 'later' }] }), '- later'],
    [
      'throws',
      () => {
        throw new Error('broke')
      },
      '- broke',
    ],
    [
      'throws text',
      () => {
        throw 'just text'
      },
      '- just text',
    ],
    ['rejects', () => Promise.reject(new Error('broke')), '- broke'],
    ['gives nothing', () => undefined as unknown as { issues: [] }, 'do not fit'],
  ])('a check that %s is a refusal', async (_how, validate, text) => {
    const seen = await callWith(handMade(validate), {})
    expect([seen.inputs, seen.status]).toEqual([[], 'error'])
    expect(seen.text).toContain(text)
  })

  test('the value that a check makes is what the tool gets', async () => {
    const made = new Map([['a', 1]])
    expect(
      (
        await callWith(
          handMade(() => ({ value: made })),
          {},
        )
      ).inputs,
    ).toEqual([made])
  })

  test('checking gives the value, or one line per problem', async () => {
    expect(
      await checkValue(
        handMade((value) => ({ value })),
        5,
      ),
    ).toEqual({ ok: true, value: 5 })
    const two = handMade(() => ({ issues: [{ message: 'one', path: ['a'] }, { message: 'two' }] }))
    expect(await checkValue(two, 5)).toEqual({ ok: false, problems: ['a: one', 'two'] })
  })
})

describe('schemas that cannot be used are refused when the tool is made', () => {
  const bare = { type: 'object', properties: { a: { type: 'string' } } }
  const mute = { '~standard': { version: 1, vendor: 'old', validate: (value: unknown) => ({ value }) } }

  test.each<[string, unknown, string]>([
    ['a bare JSON Schema', bare, 'jsonSchema(…) from @turnloop/core/json-schema'],
    ['a bare list of properties', { properties: {} }, 'jsonSchema(…) from @turnloop/core/json-schema'],
    ['a library that cannot describe itself', mute, '(old) cannot describe itself as JSON Schema. Use zod 4.2'],
    ['text', 'string', 'expected a schema, got string'],
    ['null', null, 'expected a schema, got null'],
    ['a function', () => true, 'expected a schema, got function'],
    ['an object of no kind', {}, 'expected a schema, got object'],
    ['a schema of text', z.string(), 'must be an object, not "string"'],
    ['a schema of a list', z.array(z.string()), 'must be an object, not "array"'],
    ['a schema of anything', z.any(), 'must be an object, not "anything"'],
    ['a part that has no JSON form', z.object({ at: z.date() }), 'a part that JSON Schema cannot express'],
  ])('%s', (_name, input, message) => {
    const make = (): unknown => tool({ name: 'x', description: 'x', input: input as z.ZodObject, execute: () => 1 })
    expect(make).toThrow(expect.objectContaining({ code: 'bad-option', message: expect.stringContaining(message) }))
    expect(make).toThrow(/tool\("x"\)\.input/)
  })
})

describe('JSON Schema', () => {
  test('checks what is nested and names the place', async () => {
    const schema = jsonSchema({ type: 'object', properties: { list: { type: 'array', items: { type: 'number' } } } })
    const { status, text } = await callWith(schema, { list: [1, 'x'] })
    expect([status, text]).toEqual(['error', expect.stringContaining('list.1')])
  })

  test('the tool gets the very arguments, frozen', async () => {
    const schema = jsonSchema({ type: 'object', properties: { a: { type: 'object' } } })
    const { inputs } = await callWith(schema, { a: { b: 1 } })
    expect(inputs).toEqual([{ a: { b: 1 } }])
    expect(Object.isFrozen(inputs[0])).toBe(true)
  })
})
