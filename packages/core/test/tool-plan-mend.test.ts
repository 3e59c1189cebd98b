import { type JsonObject, type JsonValue, type Tool, type ToolCallPart, tool } from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { planCall } from '../src/tool-plan.ts'

function toolOf(input?: z.ZodType, name = 'target'): Tool {
  return tool({ name, description: name, ...(input && { input: input as z.ZodObject }), execute: () => 'ran' })
}

function callOf(toolName: string, inputText: string): ToolCallPart {
  return { type: 'tool-call', callId: 'c', wireId: 'c', toolName, inputText }
}

/** What planning makes of these arguments: the value the tool gets, or the explanation. */
async function plan(input: z.ZodType | Tool, value: unknown, isText = false): Promise<unknown> {
  const target = 'execute' in input ? input : toolOf(input)
  const planned = await planCall(callOf(target.name, isText ? String(value) : JSON.stringify(value)), [target])
  return planned.kind === 'ready' ? planned.value : planned.problem
}

describe('null', () => {
  const schema = z.object({
    need: z.string(),
    may: z.number().optional(),
    fallback: z.number().default(10),
    nullable: z.string().nullable(),
    both: z.string().nullish(),
    inner: z.object({ may: z.string().optional() }).optional(),
    list: z.array(z.object({ may: z.string().optional() })).optional(),
    maybe: z.object({ may: z.string().optional() }).nullable().optional(),
  })
  const given = { need: 'x', nullable: null }

  test.each<[string, JsonObject, JsonObject]>([
    ['for an optional field is absent', { may: null }, {}],
    ['where there is a default brings it', { fallback: null }, { fallback: 10 }],
    ['for a nullable and optional field stays', { both: null }, { both: null }],
    ['for an optional object is absent', { inner: null }, {}],
    ['inside an object is absent', { inner: { may: null } }, { inner: {} }],
    ['inside a list of objects is absent', { list: [{ may: null }, { may: 'y' }] }, { list: [{}, { may: 'y' }] }],
    ['inside a nullable object is absent', { maybe: { may: null } }, { maybe: {} }],
  ])('%s', async (_name, extra, value) => {
    expect(await plan(schema, { ...given, ...extra })).toEqual({ fallback: 10, ...given, ...value })
  })

  test('for a required field is refused', async () => {
    expect(await plan(schema, { need: null, nullable: null })).toContain('need')
  })

  test('in a list stays and is refused', async () => {
    expect(await plan(z.object({ list: z.array(z.string()) }), { list: [null] })).toContain('list.0')
  })

  test.each([z.coerce.number(), z.coerce.string(), z.coerce.boolean()])(
    'is no value for an optional field that coerces',
    async (field) => {
      expect(await plan(z.object({ max: field.optional() }), { max: null })).toEqual({})
    },
  )

  test.each<[string, JsonObject]>([
    ['enum', { enum: ['a', null] }],
    ['const', { const: null }],
    ['type list', { type: ['string', 'null'] }],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['oneOf', { oneOf: [{ type: 'string' }, { type: 'null' }] }],
    ['reference', { $ref: '#/$defs/maybe' }],
    ['nothing', {}],
  ])('stays where the schema allows it by %s', async (_how, field) => {
    const root = { type: 'object', properties: { a: field }, $defs: { maybe: { type: ['string', 'null'] } } } as const
    const target = tool({ name: 'target', description: '', input: jsonSchema(root), execute: () => '' })
    expect(await plan(target, { a: null })).toEqual({ a: null })
  })
})

describe('lists and objects sent as text', () => {
  const tree = z.object({
    ids: z.array(z.number()),
    get kids() {
      return z.array(tree).optional()
    },
  })
  const cases: [string, z.ZodType, JsonValue, JsonValue][] = [
    ['a list', z.object({ ids: z.array(z.number()) }), { ids: '[3,5]' }, { ids: [3, 5] }],
    ['an object', z.object({ at: z.object({ x: z.number() }) }), { at: '{"x":1}' }, { at: { x: 1 } }],
    ['inside an object', z.object({ a: z.object({ b: z.array(z.number()) }) }), { a: { b: '[1]' } }, { a: { b: [1] } }],
    ['inside a list', z.object({ a: z.array(z.array(z.number())) }), { a: ['[1]', [2]] }, { a: [[1], [2]] }],
    ['both levels', z.object({ a: z.object({ b: z.array(z.number()) }) }), { a: '{"b":"[1]"}' }, { a: { b: [1] } }],
    ['a list or null', z.object({ a: z.array(z.number()).nullable() }), { a: '[1]' }, { a: [1] }],
    [
      'inside an object or null',
      z.object({ a: z.object({ b: z.array(z.number()) }).nullable() }),
      { a: { b: '[1]' } },
      { a: { b: [1] } },
    ],
    ['in a record', z.object({ r: z.record(z.string(), z.array(z.number())) }), { r: { k: '[1]' } }, { r: { k: [1] } }],
    [
      'in a tuple',
      z.object({ t: z.tuple([z.string(), z.array(z.number())]) }),
      { t: ['[1]', '[1]'] },
      { t: ['[1]', [1]] },
    ],
    ['in a recursive schema', tree, { ids: [], kids: [{ ids: '[1]' }] }, { ids: [], kids: [{ ids: [1] }] }],
    ['behind a reference', z.object({ root: tree }), { root: { ids: '[1]' } }, { root: { ids: [1] } }],
  ]

  test.each(cases)('are decoded: %s', async (_name, schema, sent, value) => {
    expect(await plan(schema, sent)).toEqual(value)
  })

  const controls: [string, z.ZodType, JsonValue][] = [
    ['a text field', z.object({ note: z.string() }), { note: '[3,5]' }],
    ['text or list', z.object({ v: z.union([z.string(), z.array(z.number())]) }), { v: '[3,5]' }],
    ['anything', z.object({ v: z.unknown() }), { v: '[3,5]' }],
    ['an undeclared field', z.looseObject({}), { v: '[3,5]' }],
    ['an enum', z.object({ v: z.enum(['[]', '{}']) }), { v: '[]' }],
    ['a list of texts', z.object({ v: z.array(z.string()) }), { v: ['[1]'] }],
  ]

  test.each(controls)('stay text where text may stand: %s', async (_name, schema, sent) => {
    expect(await plan(schema, sent)).toEqual(sent)
  })

  test.each<[string, string]>([
    ['too deep', '"\\"[1]\\""'],
    ['not a fit', '[true]'],
    ['no JSON', '[1'],
    ['a scalar', '5'],
  ])('are refused as sent: %s', async (_name, text) => {
    const ids = text.startsWith('"') ? (JSON.parse(text) as string) : text
    expect(await plan(z.object({ ids: z.array(z.number()) }), { ids })).toContain('- ids: ')
  })
})

describe('schemas that are hard to follow', () => {
  const hostile: [string, JsonObject][] = [
    ['a union of itself', { $ref: '#/$defs/a' }],
    ['a reference to nowhere', { $ref: '#/$defs/missing' }],
    ['a reference to itself', { $ref: '#/properties/v' }],
    ['a reference abroad', { $ref: 'https://example.org/schema' }],
    ['a reference by name', { $ref: '#list' }],
    ['an empty union', { anyOf: [] }],
    ['types that are none', { type: [null, 5] as unknown as string[] }],
    ['properties that are none', { type: 'object', properties: 5, required: 'x' }],
  ]

  test.each(hostile)('%s hurts nobody', async (_name, field) => {
    const inputSchema: JsonObject = {
      type: 'object',
      properties: { v: field },
      $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'array' }] } },
    }
    const check: Tool['check'] = async () => ({ ok: false, problems: ['v: no'] })
    const target = { ...toolOf(), inputSchema, check }
    for (const v of [null, '[1]', { a: null }, ['[]']]) expect(await plan(target, { v })).toContain('v: no')
  })

  test.each(['#/properties/a/anyOf/0', '#/%24defs/list', '#/$defs/with~1slash'])(
    'the reference %s is followed',
    async ($ref) => {
      const list = { type: 'array', items: { type: 'number' } }
      const inputSchema = {
        type: 'object',
        properties: { a: { anyOf: [list, { type: 'string' }] }, b: { $ref } },
        $defs: { list, 'with/slash': list },
      } as const
      const check: Tool['check'] = async (value) => {
        return Array.isArray(value.b) ? { ok: true, value } : { ok: false, problems: ['b: no list'] }
      }
      expect(await plan({ ...toolOf(), inputSchema, check }, { b: '[1]' })).toEqual({ b: [1] })
    },
  )

  test('arguments nested ten thousand deep are answered', async () => {
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    const planned = await planCall(callOf('target', deep), [toolOf(z.object({ a: z.string() }))])
    expect(planned.kind).toBe('refused')
  })
})
