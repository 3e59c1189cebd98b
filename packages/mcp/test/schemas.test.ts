import type { JsonObject } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { toRemoteTools } from '../src/remote-tool.ts'

const run = (): Promise<unknown> => Promise.resolve('ran')

function make(inputSchema: unknown): ReturnType<typeof toRemoteTools> {
  return toRemoteTools([{ name: 'tool', inputSchema }], { run })
}

function shown(inputSchema: JsonObject): JsonObject | undefined {
  return make(inputSchema).tools[0]?.inputSchema
}

async function accepts(inputSchema: JsonObject, input: JsonObject): Promise<boolean | undefined> {
  return (await make(inputSchema).tools[0]?.check(input))?.ok
}

describe('schemas of tools', () => {
  test('references are written out, and their neighbours kept (H6)', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { mode: { $ref: '#/$defs/M', description: 'how' } },
      $defs: { M: { enum: ['fast', 'slow'] } },
    }

    expect(shown(schema)).toEqual({
      type: 'object',
      properties: { mode: { enum: ['fast', 'slow'], description: 'how' } },
    })
  })

  test('a schema that holds itself ends, and is checked whole (H6)', async () => {
    const node = {
      type: 'object',
      properties: { next: { $ref: '#/$defs/N' }, n: { type: 'integer' } },
      required: ['n'],
    }
    const schema = { type: 'object', properties: { top: { $ref: '#/$defs/N' } }, $defs: { N: node } }

    expect(JSON.stringify(shown(schema))).not.toContain('$ref')
    expect(await accepts(schema, { top: { n: 1, next: { n: 2, next: { n: 3 } } } })).toBe(true)
    expect(await accepts(schema, { top: { n: 1, next: { n: 2, next: {} } } })).toBe(false)
  })

  test('alternatives at the top become one object, and are checked as they were (H6)', async () => {
    const schema = {
      oneOf: [
        { type: 'object', properties: { id: { type: 'string' }, deep: { type: 'boolean' } }, required: ['id', 'deep'] },
        { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      ],
    }

    expect(shown(schema)).toEqual({
      type: 'object',
      properties: { id: { anyOf: [{ type: 'string' }, { type: 'integer' }] }, deep: { type: 'boolean' } },
      required: ['id'],
    })
    expect(await accepts(schema, { id: 'a' })).toBe(false)
    expect(await accepts(schema, { id: 1 })).toBe(true)
  })

  test('older and odd spellings mean what they meant', async () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-04/schema#',
      type: 'object',
      required: true,
      properties: {
        count: { type: 'int', minimum: 0, exclusiveMinimum: true },
        name: { type: 'str', nullable: true },
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
        list: { type: 'array' },
        any: { type: 'any' },
        gone: false,
      },
    }

    expect(shown(schema)?.properties).toEqual({
      count: { type: 'integer', minimum: 0, exclusiveMinimum: 0 },
      name: { type: ['string', 'null'] },
      pair: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
      list: { type: 'array', items: {} },
      any: {},
    })
    expect(await accepts(schema, { count: 1, pair: ['a', 1], any: [] })).toBe(true)
    expect(await accepts(schema, { count: 0 })).toBe(false)
    expect(await accepts(schema, { pair: [1, 'a'] })).toBe(false)
  })

  test('a reference that leads nowhere stands for anything', async () => {
    const schema = { type: 'object', properties: { a: { $ref: 'https://example.org/x' }, b: { $ref: '#/nowhere' } } }

    expect(shown(schema)?.properties).toEqual({ a: {}, b: {} })
    expect(await accepts(schema, { a: 1, b: 'two' })).toBe(true)
  })

  test('what the checker cannot read is left to the server', async () => {
    expect(await accepts({ type: 'object', properties: { a: { pattern: '[\\w-.]+(' } } }, { a: 'x' })).toBe(true)
  })

  test('a tool that cannot be expressed costs no other (H6)', () => {
    const wide = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`p${i}`, { $ref: '#/$defs/B' }]))
    const defs = { A: { properties: wide }, B: { properties: { a: { $ref: '#/$defs/C' } } } }
    const bomb = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [
        `L${i}`,
        { properties: { x: { $ref: `#/$defs/L${i + 1}` }, y: { $ref: `#/$defs/L${i + 1}` } } },
      ]),
    )
    const { tools, leftOut } = toRemoteTools(
      [
        { name: 'good', inputSchema: { type: 'object' }, outputSchema: { properties: {} } },
        { name: 'text', inputSchema: { type: 'string' } },
        { name: 'none', inputSchema: 'x' },
        { name: 'huge', inputSchema: { $ref: '#/$defs/L0', $defs: { ...defs, ...bomb, L12: { type: 'string' } } } },
        { name: 'good', inputSchema: { type: 'object' } },
        { inputSchema: {} },
        null,
        { name: 'last' },
      ],
      { run },
    )

    expect(tools.map(({ name }) => name)).toEqual(['good', 'last'])
    expect(leftOut.map(({ name }) => name)).toEqual(['text', 'none', 'huge', 'good', '', ''])
    expect(leftOut[0]?.reason).toContain('not an object')
  })

  test('hints decide what may happen twice, and the page overrules them', () => {
    const listed = [
      { name: 'a', annotations: { readOnlyHint: true } },
      { name: 'b', annotations: { idempotentHint: true } },
      { name: 'c', annotations: { readOnlyHint: 'yes' } },
      { name: 'd', annotations: { readOnlyHint: true } },
      { name: 'e' },
    ]
    const { tools } = toRemoteTools(listed, {
      run,
      configure: ({ name }) =>
        name === 'e' ? false : name === 'd' ? { effect: 'unsafe', needsApproval: true } : undefined,
    })

    expect(tools.map(({ effect }) => effect)).toEqual(['read', 'idempotent', 'unsafe', 'unsafe'])
    expect(tools[3]?.needsApproval).toBe(true)
  })
})
