import { type CallToolResult, resultText } from '@turnloop/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toCallToolResult, toErrorResult } from '../src/tool-result.ts'

/** In bytes of JSON, as it is stored. */
function sizeOf(result: CallToolResult): number {
  return new TextEncoder().encode(JSON.stringify(result)).length
}

describe('size', () => {
  test('what fits is not touched', async () => {
    const text = 'x'.repeat(900)
    expect(await toCallToolResult(text, 1000)).toEqual({ content: [{ type: 'text', text }] })
  })

  test('longer text is cut, and says how long it was', async () => {
    const result = await toCallToolResult('x'.repeat(5000), 1000)
    expect(result.content).toHaveLength(2)
    expect(resultText(result)).toMatch(/^x+\n\[Cut: the whole result is 5039 bytes, the limit 1000\.\]$/)
    expect(sizeOf(result)).toBeGreaterThan(700)
  })

  test.each(['ä', '€', '😀', '👨‍👩‍👧', 'a😀'])('%j is never cut in half', async (character) => {
    for (let lead = 0; lead < 8; lead += 1) {
      const result = await toCallToolResult('-'.repeat(lead) + character.repeat(1000), 1000)
      const [cut] = result.content
      const text = cut?.type === 'text' ? cut.text : ''
      expect(text).toBe(new TextDecoder().decode(new TextEncoder().encode(text)))
      expect(text.length).toBeGreaterThan(100)
    }
  })

  test.each<[string, unknown]>([
    ['quotes', '"'.repeat(5000)],
    ['control characters', '\u0000'.repeat(5000)],
    ['line ends', '\n'.repeat(5000)],
    ['half characters', '\ud83d'.repeat(5000)],
    ['an object', { rows: Array.from({ length: 1000 }, (_row, index) => ({ index })) }],
    ['many small blocks', { content: Array.from({ length: 5000 }, () => ({ type: 'text', text: 'x' })) }],
    ['many empty blocks', { content: Array.from({ length: 5000 }, () => ({ type: 'text', text: '' })) }],
    [
      'many images',
      { content: Array.from({ length: 500 }, () => ({ type: 'image', data: 'AAAA', mimeType: 'image/png' })) },
    ],
    ['a large picture', new Blob([new Uint8Array(5000)], { type: 'image/png' })],
    ['large metadata', { content: [{ type: 'text', text: 'x' }], _meta: { all: 'x'.repeat(5000) } }],
    ['a block with large metadata', { content: [{ type: 'text', text: 'x', _meta: { all: 'x'.repeat(5000) } }] }],
  ])('%s stay within the limit, all told', async (_name, value) => {
    const result = await toCallToolResult(value, 1000)
    expect(sizeOf(result)).toBeLessThanOrEqual(1000)
    expect(resultText(result)).toContain('[Cut: ')
  })

  test('any text stays within any limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 3000 }),
        fc.integer({ min: 1000, max: 3000 }),
        async (text, limit) => {
          expect(sizeOf(await toCallToolResult(text, limit))).toBeLessThanOrEqual(limit)
        },
      ),
    )
  })

  test('a value whose text alone fits keeps all of its text', async () => {
    const value = { text: 'x'.repeat(600) }
    const result = await toCallToolResult(value, 1000)
    expect(result.content[0]).toEqual({ type: 'text', text: JSON.stringify(value) })
    expect(result.structuredContent).toBeUndefined()
    expect(resultText(result)).toMatch(/structuredContent/)
  })

  test('of several blocks the first ones stay, a picture becomes a note', async () => {
    const image = { type: 'image', data: 'A'.repeat(4000), mimeType: 'image/png' }
    const blocks = [{ type: 'text', text: 'first' }, image, { type: 'text', text: 'last' }]
    const result = await toCallToolResult({ content: blocks, isError: true }, 1000)
    expect(resultText(result).split('\n')).toEqual([
      'first',
      expect.stringMatching(/^\[image of \d+ bytes left out\]$/),
      'last',
      expect.stringMatching(/^\[Cut: /),
    ])
    expect(result.isError).toBe(true)
  })

  test('what a tool throws is no larger than any other result', async () => {
    const result = await toErrorResult(new Error('x'.repeat(100_000)), 1000)
    expect(sizeOf(result)).toBeLessThanOrEqual(1000)
    expect(result.isError).toBe(true)
  })
})
