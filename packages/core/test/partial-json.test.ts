import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { PartialOutput, parsePartialJson } from '../src/partial-json.ts'
import { readJson } from '../src/read-json.ts'

/** Text that is nearly JSON: what the grammar is made of, in any order. */
const nearlyJson = fc
  .array(
    fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '"a"', '"b\\n"', '\\', '\\u00e4', '\\ud83d', '0', '-', '1.5', '1e3', '.'],
      ...['true', 'null', 'tru', ' ', '\n', '\ufeff', '```json\n', '__proto__', 'é', '\u{1F600}', '"a":', '{"a":'],
    ),
    { maxLength: 24 },
  )
  .map((pieces) => pieces.join(''))

describe('what a cut text amounts to', () => {
  test.each([
    ['', undefined],
    ['  \n', undefined],
    ['Sure', undefined],
    ['{', {}],
    ['{"na', {}],
    ['{"name"', {}],
    ['{"name":', {}],
    ['{"name": "An', { name: 'An' }],
    ['{"name": "Ann"', { name: 'Ann' }],
    ['{"name": "Ann", ', { name: 'Ann' }],
    ['{"a": 1', {}],
    ['{"a": 1,', { a: 1 }],
    ['{"a": 1.', {}],
    ['{"a": -', {}],
    ['{"a": tru', {}],
    ['{"a": true', { a: true }],
    ['{"a": nul', {}],
    ['[1, [2, 3', [1, [2]]],
    ['[{"a": [{"b": "c', [{ a: [{ b: 'c' }] }]],
    ['"open', 'open'],
    ['12', 12],
    ['1.', undefined],
    ['-', undefined],
  ])('%j is %j', (text, expected) => {
    expect(parsePartialJson(text)).toEqual(expected)
  })

  test.each([
    ['"a\\', 'a'],
    ['"a\\n', 'a\n'],
    ['"a\\u00', 'a'],
    ['"a\\u00e4', 'aä'],
    ['"a\\ud83d', 'a'],
    ['"a\\ud83d\\ude', 'a'],
    ['"a\\ud83d\\ude00', 'a\u{1F600}'],
    ['"a\ud83d', 'a'],
    ['"a\\x41', 'a'],
  ])('the open string %j is never shown in the middle of a character', (text, expected) => {
    expect(parsePartialJson(text)).toBe(expected)
  })
})

describe('what is around a value', () => {
  test.each([
    '\ufeff{"a": "b"}',
    ' \n {"a": "b"}\n',
    '```json\n{"a": "b"}\n```',
    '```\n{"a": "b"}',
    '\ufeff\n```JSON \r\n{"a": "b"',
    '{"a": "b"} and so on {',
  ])('%j is the value alone', (text) => {
    expect(parsePartialJson(text)).toEqual({ a: 'b' })
  })

  test('the first line of a fence is no value while it is being written', () => {
    const texts = ['`', '```', '```js', '```json', '```json\n']
    expect(texts.map((text) => parsePartialJson(text))).toEqual([undefined, undefined, undefined, undefined, undefined])
  })
})

describe('reading', () => {
  test('line breaks and tabs inside strings stand for themselves', () => {
    expect(parsePartialJson('{"a\tb": "one\ntwo\r\n\u0000"}')).toEqual({ 'a\tb': 'one\ntwo\r\n\u0000' })
  })

  test('a key named __proto__ is a key like any other', () => {
    const value = parsePartialJson('{"__proto__": {"isAdmin": true}}')
    expect(Object.keys(value ?? {})).toEqual(['__proto__'])
    expect(value).not.toHaveProperty('isAdmin')
  })

  test.each(['[', '{"a":', '[{"a":'])('200,000 times %j neither throws nor nests without end', (piece) => {
    const value = parsePartialJson(piece.repeat(200_000))
    expect(JSON.stringify(value).length).toBeLessThan(4_000)
  })

  test('the end is where the text stops being JSON', () => {
    const readings = ['{"a": 1} b', '{"a": 1 "b"', '{"a": [1', '{,', 'x'].map((text) => readJson(text))
    expect(readings.map(({ end, isWhole, closers }) => [end, isWhole, closers])).toEqual([
      [8, true, ''],
      [8, false, '}'],
      [7, false, '}]'],
      [1, false, '}'],
      [0, false, ''],
    ])
  })

  test('a text is whole exactly where JSON.parse takes it', () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        const { value, end, isWhole } = readJson(text)
        let parsed: { value: unknown } | undefined
        try {
          parsed = { value: JSON.parse(text) }
        } catch {
          // No JSON: nothing to compare with.
        }
        const isAll = isWhole && text.slice(end).trim() === '' && !text.includes('\ufeff')
        // Only a line break inside a string is taken here and not there.
        if (parsed === undefined) expect(isAll && !text.includes('\n')).toBe(false)
        else expect({ value, isWhole }).toEqual({ ...parsed, isWhole: true })
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('any JSON', () => {
  const anyJson = fc.tuple(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(undefined, 2, '\t'))

  test('the whole text gives the value itself', () => {
    fc.assert(
      fc.property(anyJson, ([value, indent]) => {
        const text = JSON.stringify(value, null, indent)
        expect(parsePartialJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test('every prefix gives a part of what a longer one gives', () => {
    fc.assert(
      fc.property(anyJson, ([value, indent]) => {
        const text = JSON.stringify(value, null, indent)
        let before = parsePartialJson('')
        for (let length = 1; length <= text.length; length += 1) {
          const now = parsePartialJson(text.slice(0, length))
          if (typeof value === 'object') expect(isPartOf(before, now)).toBe(true)
          before = now
        }
      }),
    )
  })

  test('no prefix of anything throws, and a fence changes nothing', () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        for (let length = 0; length <= text.length; length += 1) parsePartialJson(text.slice(0, length))
        if (!/^[\s`]/.test(text)) expect(parsePartialJson(`\`\`\`json\n${text}`)).toEqual(parsePartialJson(text))
      }),
    )
  })
})

/** Whether more text can have made `more` out of `less`. */
function isPartOf(less: unknown, more: unknown): boolean {
  if (less === undefined) return true
  if (typeof less === 'string' && typeof more === 'string') return more.startsWith(less)
  if (typeof less !== 'object' || less === null || typeof more !== 'object' || more === null) return less === more
  return Object.entries(less).every(([key, inner]) =>
    isPartOf(inner, Object.getOwnPropertyDescriptor(more, key)?.value),
  )
}

describe('a growing answer', () => {
  test('is shown again once it has grown by sixteen characters and differs', () => {
    const output = new PartialOutput()
    const shown = ['{"text": ', '"one two"', ' '.repeat(40), ', "more": "th', 'ree four five"}'].map((delta) =>
      output.add(delta),
    )
    expect(shown).toEqual([
      undefined,
      { text: 'one two' },
      undefined,
      undefined,
      { text: 'one two', more: 'three four five' },
    ])
  })

  test('is not shown while there is no value', () => {
    const output = new PartialOutput()
    expect([output.add('Let me think about that.'), output.add('It is {"a": "a word or two"}')]).toEqual([
      undefined,
      undefined,
    ])
  })

  test('costs no more per character when it is twice as long', () => {
    const [short, long] = [4_000, 8_000].map((length) => readCharacters(`{"text": "${'word '.repeat(length / 5)}"}`))
    expect(short).toBeGreaterThan(4_000)
    expect(long).toBeLessThan(Number(short) * 2.3)
    expect(long).toBeLessThan(8_000 * 40)
  })
})

/** How often a character is looked at while a text comes one character at a time. */
function readCharacters(text: string): number {
  const looks = vi.spyOn(String.prototype, 'charCodeAt')
  try {
    const output = new PartialOutput()
    for (const character of text) output.add(character)
    return looks.mock.calls.length
  } finally {
    looks.mockRestore()
  }
}
