import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { OutputSpec } from '../src/answer-tool.ts'
import { checkOutput, parseOutput } from '../src/output-text.ts'
import { failureOf, okSpec, read, specOf } from './output-setup.ts'

const fence = '```'

describe('the rungs', () => {
  test.each([
    ['K5: the text itself', '{"ok":true}', 'whole'],
    ['K5: white space around it', ' \n{"ok": true}\n', 'whole'],
    ['K5: a byte order mark', '\ufeff{"ok":true}', 'whole'],
    ['an object written as text once more', JSON.stringify('{"ok":true}'), 'whole'],
    ['K5: a fence', `${fence}json\n{"ok":true}\n${fence}`, 'fence'],
    ['a fence without a language', `${fence}\n{"ok":true}${fence}`, 'fence'],
    ['a fence of Windows lines', `\ufeff${fence}json\r\n{"ok":true}\r\n${fence}\r\n`, 'fence'],
    ['K5: a preamble and a tail', 'Sure! {"ok":true} Hope it helps', 'embedded'],
    ['a preamble and a fence', `Here:\n${fence}json\n{"ok":true}\n${fence}`, 'embedded'],
    ['a fence that is not closed', `${fence}json\n{"ok":true}`, 'embedded'],
    ['a fence on one line', `${fence}{"ok":true}${fence}`, 'embedded'],
    ['braces in the prose', 'I use {braces} and } and [1]. {"ok":true}', 'embedded'],
    ['a lone bracket before it', ':-[ but { still: {"ok":true}', 'embedded'],
    ['an object beside it that does not fit', 'Given {"a":1}: {"ok":true}', 'embedded'],
  ])('%s', async (_name, text, rung) => {
    expect(await read(text)).toEqual([rung, { ok: true }])
  })

  const noteSpec = specOf(z.object({ note: z.string() }))

  test.each([
    ['{"note":"a\nb\tc"}', 'whole'],
    [`${fence}json\n{"note":"a\nb\tc"}\n${fence}`, 'fence'],
    ['Sure! {"note":"a\nb\tc"}', 'embedded'],
  ])('K5: raw line breaks and tabs in the strings of %j', async (text, rung) => {
    expect(await read(text, noteSpec)).toEqual([rung, { note: 'a\nb\tc' }])
  })

  test.each(['a {brace} in a string', `a ${fence} fence`, 'an "escaped {" quote', '}{', 'back\\slash'])(
    'a string that holds %j is whole',
    async (note) => {
      const json = JSON.stringify({ note })
      expect(await read(`${fence}json\n${json}\n${fence}`, noteSpec)).toEqual(['fence', { note }])
      expect(await read(`So: ${json}.`, noteSpec)).toEqual(['embedded', { note }])
    },
  )
})

describe('what is no answer', () => {
  test.each([
    ['', 'The text holds no JSON object.'],
    ['I see [x] nothing.', 'The text holds no JSON object.'],
    ['Sure.', 'The text holds no JSON object.'],
    ['[{"ok":true}]', 'The answer must be a JSON object, not a list.'],
    ['null', 'The answer must be a JSON object, not null.'],
    ['42', 'The answer must be a JSON object, not a number.'],
    ['"yes"', 'The answer must be a JSON object, not a string.'],
    ['Here: [{"ok":true}]', 'The answer must be a JSON object, not a list.'],
    ['{ok: true}', 'The text is not JSON from "ok: true}" on.'],
    ['{"ok":true,}', 'The text is not JSON from "}" on.'],
    ['{"ok":', 'The JSON breaks off before its end.'],
    ['{"ok":tru', 'The JSON breaks off before its end.'],
    ['{"a":"b\\u00', 'The JSON breaks off before its end.'],
  ])('K5: %j says %j', async (text, problem) => {
    expect(await read(text)).toEqual([problem])
  })

  test('K5: two objects that fit are one too many', async () => {
    const problem = 'More than one JSON object in the text could be the answer. Send exactly one.'
    expect(await read('{"ok":true} or {"ok":false}')).toEqual([problem])
    expect(await read(`${fence}\n{"ok":true}\n${fence}\n${fence}\n{"ok":true}\n${fence}`)).toEqual([problem])
  })

  test('K5: the excerpt in a problem is short', async () => {
    const [problem] = await read(`{"ok": maybe ${'and so on '.repeat(1_000)}`)
    expect(problem).toBe(`The text is not JSON from "maybe and so on and so on and so on and " on.`)
  })

  const treeSpec = specOf(z.object({ name: z.string() }))

  test.each([
    ['breaks off', '{"name":1,"child":{"name":"B"}'],
    ['lacks a value', '{"children":[{"name":"A"},,{"name":"B"}]}'],
    ['lacks a value and breaks off', '{"children":[{"name":"A"},,{"name":"B"}'],
    ['begins with a comment', '{ // the root\n "name":1, "child":{"name":"B"}}'],
    ['has bare keys', '{name: 1, child: {"name":"B"}}'],
    ['is a list in a list', '[[{"name":"B"}]]'],
    ['is whole and does not fit', '{"name":1,"child":{"name":"B"}}'],
  ])('a part of something that %s is never the answer', async (_name, text) => {
    expect((await parseOutput(text, treeSpec)).ok).toBe(false)
    expect((await parseOutput(`So: ${text}`, treeSpec)).ok).toBe(false)
  })

  test('K3: a tool call written as text is not the answer', async () => {
    const call = '<tool_call>{"name":"geo","arguments":{}}</tool_call>'
    expect(await read(call, treeSpec)).toEqual(['A tool call written as text is no answer.'])
    expect(await read(`${call} {"name":"B"}`, treeSpec)).toEqual(['embedded', { name: 'B' }])
  })

  test('K3: arguments of a tool do not fit the answer', async () => {
    const [problem] = await read('{"mail":"x@example.org"}', treeSpec)
    expect(problem).toMatch(/^name: /)
  })
})

describe('the nearest JSON of a failure', () => {
  test.each([
    ['{"ok":"yes"}', { ok: 'yes' }],
    ['Sure! {"ok":"yes"} [1]', { ok: 'yes' }],
    ['[1] says {"ok":"yes"}', { ok: 'yes' }],
    ['[1]', [1]],
    ['I use {braces}: {"a":[1,2', { a: [1] }],
    ['{"a":"one","b" "two"}', { a: 'one' }],
    ['{braces}', undefined],
    ['no', undefined],
  ])('of %j is %j', async (text, partial) => {
    expect(failureOf(await parseOutput(text, okSpec)).partial).toEqual(partial)
  })
})

describe('what the schema makes of an answer', () => {
  const ageSpec = specOf(z.object({ name: z.string(), age: z.number().default(0) }))

  test('K7: null for a default and a key too many are an answer', async () => {
    const parsed = await parseOutput('{"name":"A","age":null,"extra":1}', ageSpec)
    expect(parsed).toEqual({ ok: true, value: { name: 'A', age: 0 }, json: { name: 'A', extra: 1 }, rung: 'whole' })
  })

  test('K7: an empty object names what is missing and keeps what there is', async () => {
    const { problems, partial } = failureOf(await parseOutput('{}', ageSpec))
    expect([problems, partial]).toEqual([[expect.stringMatching(/^name: /)], {}])
  })

  test('K7: a number as text is a problem that names the field', async () => {
    expect(await read('{"name":"A","age":"4"}', ageSpec)).toEqual([expect.stringMatching(/^age: /)])
  })

  test('B6: null for an optional field counts as absent, a declared null stays', async () => {
    const optional = specOf(z.object({ t: z.string(), max: z.number().optional() }))
    const nullable = specOf(z.object({ t: z.string(), max: z.number().nullable() }))
    expect(await checkOutput({ t: 'kettles', max: null }, optional)).toMatchObject({ value: { t: 'kettles' } })
    expect(await checkOutput({ t: 'kettles', max: null }, nullable)).toMatchObject({
      value: { t: 'kettles', max: null },
    })
    expect(failureOf(await checkOutput({ t: null }, optional)).problems).toEqual([expect.stringMatching(/^t: /)])
  })

  test('a list that was written as text is decoded, text stays text', async () => {
    const spec = specOf(z.object({ ids: z.array(z.number()), note: z.string() }))
    const parsed = await checkOutput({ ids: '[3,5]', note: '[3,5]' }, spec)
    expect(parsed).toMatchObject({ value: { ids: [3, 5], note: '[3,5]' }, json: { ids: [3, 5], note: '[3,5]' } })
  })

  test('the JSON is kept beside a value of another type, and is frozen', async () => {
    const spec = specOf(z.object({ at: z.string().transform((text) => new Date(text)) }))
    const parsed = await checkOutput({ at: '2026-01-01T00:00:00.000Z' }, spec)
    expect(parsed).toMatchObject({ value: { at: new Date('2026-01-01') }, json: { at: '2026-01-01T00:00:00.000Z' } })
    expect(parsed.ok && Object.isFrozen(parsed.json)).toBe(true)
  })

  test('a check that throws or rejects is a failure', async () => {
    const broken: OutputSpec = { ...okSpec, check: () => Promise.reject(new Error('no network')) }
    expect(await read('{"ok":true}', broken)).toEqual(['The answer could not be checked (no network).'])
    const throwing: OutputSpec = {
      ...okSpec,
      check: () => {
        throw new Error('no network')
      },
    }
    expect(await read('{"ok":true}', throwing)).toEqual(['The answer could not be checked (no network).'])
  })

  test('an answer nested beyond the stack is a failure', async () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect((await parseOutput(deep, specOf(z.looseObject({})))).ok).toBe(false)
  })
})

describe('any object', () => {
  // Takes everything as it is: zod's own objects lose a key named __proto__.
  const anySpec: OutputSpec = { ...specOf(z.looseObject({})), check: async (value) => ({ ok: true, value }) }
  const prose = fc.stringMatching(/^[A-Za-z ,.!?'"\n]{0,40}$/)
  const anyObject = fc
    .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }))
    .map((value) => ({
      value: JSON.parse(JSON.stringify(value)) as unknown,
      text: JSON.stringify(value),
    }))

  test('is found in a fence', async () => {
    await fc.assert(
      fc.asyncProperty(anyObject, fc.constantFrom('json', '', 'jsonc x'), async ({ value, text }, language) => {
        expect(await read(`${fence}${language}\n${text}\n${fence}`, anySpec)).toEqual(['fence', value])
      }),
    )
  })

  test('is found in prose', async () => {
    await fc.assert(
      fc.asyncProperty(anyObject, prose, prose, async ({ value, text }, before, after) => {
        expect(await read(`Well, ${before}${text}${after}`, anySpec)).toEqual(['embedded', value])
      }),
    )
  })

  test('is found in no cut of it', async () => {
    await fc.assert(
      fc.asyncProperty(anyObject, fc.nat(), async ({ text }, cut) => {
        expect((await parseOutput(text.slice(0, cut % text.length), anySpec)).ok).toBe(false)
      }),
    )
  })
})

describe('hostile texts', () => {
  const pieces = [
    '{',
    '[',
    '"',
    '{"',
    '{"a":',
    '{"a":{"b":1},',
    '[{',
    '{[',
    '{} ',
    '}',
    '\\',
    '{"\\',
    '{"a":"',
    ' ',
    '`',
    '{1 ',
  ]

  test.each(pieces)('many times %j cost no more per character when twice as many', async (piece) => {
    const [few, many] = [await countLooks(piece.repeat(1_000)), await countLooks(piece.repeat(2_000))]
    expect(many).toBeLessThanOrEqual(2.1 * few)
    expect(many).toBeLessThanOrEqual(16 * 2_000 * piece.length)
  })

  test.each(pieces)('200,000 characters of %j are read to the end', async (piece) => {
    expect((await parseOutput(piece.repeat(200_000 / piece.length), okSpec)).ok).toBe(false)
  })

  test('of many objects none is checked', async () => {
    const check = vi.fn(okSpec.check)
    await parseOutput('{"ok":1} '.repeat(101), { ...okSpec, check })
    expect(check).not.toHaveBeenCalled()
  })
})

/** How often a character of a text is looked at while it is read. */
async function countLooks(text: string): Promise<number> {
  const looks = vi.spyOn(String.prototype, 'charCodeAt')
  try {
    await parseOutput(text, okSpec)
    return looks.mock.calls.length
  } finally {
    looks.mockRestore()
  }
}
