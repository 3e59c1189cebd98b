import { resultText, ToolError } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { toCallToolResult, toErrorResult, toProgressUpdate } from '../src/tool-result.ts'

const LIMIT = 200_000

/** The JSON value that a returned value is recorded as. */
async function structured(value: unknown): Promise<unknown> {
  const { structuredContent, content } = await toCallToolResult({ value }, LIMIT)
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  return structuredContent?.value
}

async function errorOf(value: unknown): Promise<string> {
  const result = await toCallToolResult(value, LIMIT)
  expect(result.isError).toBe(true)
  return resultText(result)
}

class Point {
  readonly x: number
  readonly #secret = 1
  constructor(x: number) {
    this.x = x
  }
  get secret(): number {
    return this.#secret
  }
}

class Money {
  readonly #cents: number
  constructor(cents: number) {
    this.#cents = cents
  }
  toJSON(): string {
    return `${this.#cents / 100} EUR`
  }
}

class Opaque {
  readonly #inside = 1
  get inside(): number {
    return this.#inside
  }
}

describe('values', () => {
  test.each([undefined, null])('%s is empty text', async (value) => {
    expect(await toCallToolResult(value, LIMIT)).toEqual({ content: [{ type: 'text', text: '' }] })
  })

  test.each(['', 'Hello', '{"a":1}', 'zwölf 😀'])('the text %j is a text block', async (text) => {
    expect(await toCallToolResult(text, LIMIT)).toEqual({ content: [{ type: 'text', text }] })
  })

  test.each<[unknown, unknown]>([
    [5, { result: 5 }],
    [false, { result: false }],
    [12n, { result: '12' }],
    [[1, 2], { result: [1, 2] }],
    [{ a: 1 }, { a: 1 }],
    [{}, {}],
    [new Set([1, 2]), { result: [1, 2] }],
    [new Map([['a', 1]]), { a: 1 }],
    [new Map([[1, 'a']]), { result: [[1, 'a']] }],
    [new Date(0), { result: '1970-01-01T00:00:00.000Z' }],
    [new Error('gone'), { name: 'Error', message: 'gone' }],
  ])('%o is structured and its JSON is the text', async (value, structuredContent) => {
    const text = JSON.stringify(Array.isArray(value) ? value : undefined) ?? undefined
    const result = await toCallToolResult(value, LIMIT)
    expect(result.structuredContent).toEqual(structuredContent)
    if (text !== undefined) expect(resultText(result)).toBe(text)
  })

  test.each<[string, unknown, unknown]>([
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a date that is none', new Date(Number.NaN), null],
    ['numbers that JSON has not', [Number.NaN, Number.POSITIVE_INFINITY], [null, null]],
    ['undefined in a list', [1, undefined, 3], [1, null, 3]],
    // biome-ignore lint/suspicious/noSparseArray: the hole is what is under test
    ['a hole in a list', [1, , 3], [1, null, 3]],
    ['an undefined member', { a: 1, b: undefined }, { a: 1 }],
    ['an instance of a class', new Point(3), { x: 3 }],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['an object that says how it is written', new Money(250), '2.5 EUR'],
    ['an address', new URL('https://example.org/a'), 'https://example.org/a'],
    ['numbers in a typed array', new Float32Array([1, 2.5]), [1, 2.5]],
    ['big numbers in a typed array', new BigInt64Array([1n]), ['1']],
    ['an error', new RangeError('too far'), { name: 'RangeError', message: 'too far' }],
    ['the same object twice', [sharedPoint(), sharedPoint()], [{ x: 1 }, { x: 1 }]],
    ['a symbol as a key', { [Symbol('s')]: 1, a: 2 }, { a: 2 }],
  ])('%s inside an object becomes plain', async (_name, value, plain) => {
    expect(await structured(value)).toEqual(plain)
  })

  test('"__proto__" is a key like any other', async () => {
    const value: unknown = JSON.parse('{"__proto__":{"admin":true}}')
    const result = await toCallToolResult(value, LIMIT)
    expect(resultText(result)).toBe('{"__proto__":{"admin":true}}')
    expect(result.structuredContent?.admin).toBeUndefined()
  })

  test('the recorded value does not change with the returned one', async () => {
    const list = [1]
    const result = await toCallToolResult({ list }, LIMIT)
    list.push(2)
    expect(result.structuredContent).toEqual({ list: [1] })
  })
})

const shared = new Point(1)
function sharedPoint(): Point {
  return shared
}

describe('values that cannot be stored', () => {
  const cycle: { inner: { back?: unknown }[] } = { inner: [{}] }
  if (cycle.inner[0]) cycle.inner[0].back = cycle
  const listCycle: unknown[] = []
  listCycle.push(listCycle)

  test.each<[string, unknown, string]>([
    ['a function', { a: { b: () => 1 } }, 'result.a.b is a function'],
    ['a function by itself', () => 1, 'result is a function'],
    ['a method in a list', [1, { run() {} }], 'result[1].run is a function'],
    ['a symbol', { s: Symbol('s') }, 'result.s is a symbol'],
    ['a cycle', cycle, 'result.inner[0].back is a reference back'],
    ['a list that holds itself', listCycle, 'result[0] is a reference back'],
    ['a cycle in a map', mapCycle(), 'result.self is a reference back'],
    ['a promise that was not awaited', { later: Promise.resolve(1) }, 'result.later is a Promise'],
    ['a response that was not read', new Response('x'), 'result is a Response'],
    ['an instance with nothing to show', new Opaque(), 'result is an Opaque'],
    ['a pattern', { pattern: /x/ }, 'result.pattern is a RegExp'],
    ['a weak map', { map: new WeakMap() }, 'result.map is a WeakMap'],
    ['a buffer inside an object', { bytes: new ArrayBuffer(2) }, 'result.bytes is an ArrayBuffer'],
    ['a Blob inside an object', { file: new Blob(['x']) }, 'result.file is a Blob'],
    [
      'a generator',
      (function* () {
        yield 1
      })(),
      'result is a',
    ],
  ])('%s is an error that names its path', async (_name, value, message) => {
    expect(await errorOf(value)).toContain(message)
  })

  test('a getter that throws is an error, not an exception', async () => {
    const value = {
      get a(): never {
        throw new Error('lazy loading failed')
      },
    }
    expect(await errorOf(value)).toContain('lazy loading failed')
  })

  test('nesting without end in sight is an error, not an exception', async () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    expect(await errorOf(deep)).not.toBe('')
  })

  test('a progress update that cannot be shown is described', () => {
    expect(toProgressUpdate({ run: () => 1 })).toContain('progress.run is a function')
    expect(toProgressUpdate({ done: 3 })).toEqual({ done: 3 })
  })
})

function mapCycle(): Map<string, unknown> {
  const map = new Map<string, unknown>()
  map.set('self', map)
  return map
}

describe('results as in MCP', () => {
  test('stay as they are, errors too', async () => {
    const result = {
      content: [
        { type: 'text', text: 'no' },
        { type: 'resource_link', uri: 'file:///a', name: 'a' },
      ],
      structuredContent: { code: 5 },
      isError: true,
      _meta: { trace: 'x' },
    }
    expect(await toCallToolResult(result, LIMIT)).toEqual(result)
  })

  test('are copied', async () => {
    const block = { type: 'text', text: 'a' }
    const result = await toCallToolResult({ content: [block] }, LIMIT)
    block.text = 'b'
    expect(resultText(result)).toBe('a')
  })

  test.each<[string, unknown]>([
    ['text without text', { content: [{ type: 'text' }] }],
    ['text that is a number', { content: [{ type: 'text', text: 5 }] }],
    ['no blocks', { content: ['text'] }],
    ['no list', { content: 'text' }],
    ['nothing in it', { content: [], total: 0 }],
    ['blocks of a kind of its own', { content: [{ type: 'paragraph', text: 'x' }] }],
  ])('with %s are plain values, so that nothing is lost', async (_name, value) => {
    expect(await toCallToolResult(value, LIMIT)).toEqual({
      content: [{ type: 'text', text: JSON.stringify(value) }],
      structuredContent: value,
    })
  })

  test('keep their known blocks beside one of another kind', async () => {
    const blocks = [
      { type: 'text', text: 'see' },
      { type: 'hologram', data: 'AAAA' },
      { type: 'image', mimeType: 'image/png' },
    ]
    const result = await toCallToolResult({ content: blocks }, LIMIT)
    expect(result.content).toEqual([
      { type: 'text', text: 'see' },
      { type: 'text', text: expect.stringContaining('"hologram"') },
      { type: 'text', text: expect.stringContaining('"image"') },
    ])
  })

  test('may be empty', async () => {
    expect(await toCallToolResult({ content: [], isError: true }, LIMIT)).toEqual({ content: [], isError: true })
  })

  test('with something that cannot be stored name the path', async () => {
    const result = { content: [{ type: 'text', text: 'x' }], structuredContent: { run: () => 1 } }
    expect(await errorOf(result)).toContain('result.structuredContent.run is a function')
  })
})

describe('what a tool throws', () => {
  test.each<[unknown, string]>([
    [new Error('disk full'), 'disk full'],
    [new Error(''), 'Error'],
    [new ToolError('tool-failed', 'no such row'), 'no such row'],
    ['just text', 'just text'],
    ['', '""'],
    [{ code: 5 }, '{"code":5}'],
    [undefined, 'undefined'],
    [null, 'null'],
    [5n, '5'],
    [Symbol('s'), 'Symbol(s)'],
  ])('%o is an error result: %s', async (error, text) => {
    expect(await toErrorResult(error, LIMIT)).toEqual({ content: [{ type: 'text', text }], isError: true })
  })

  test('is described even if it fights back', async () => {
    const hostile: Record<string, unknown> = Object.create(null)
    hostile.self = hostile
    expect(resultText(await toErrorResult(hostile, LIMIT))).not.toBe('')
    const odd = Object.assign(new Error(), { message: { not: 'text' } })
    expect((await toErrorResult(odd, LIMIT)).content).toEqual([{ type: 'text', text: expect.any(String) }])
  })
})
