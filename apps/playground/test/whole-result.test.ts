import type { ToolResult } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { apartIn, wholeResult } from '../src/chat/whole-result.ts'
import { readableJson, valuesApart } from '../src/inspector/values-apart.ts'

const ref = (blob: string, byteLength: number) => ({ _meta: { 'turnloop/blob': { blob, byteLength } } })

const TOLD: ToolResult = {
  callId: 'c1',
  toolName: 'query_table',
  status: 'ok',
  result: {
    content: [
      { type: 'text', text: 'The begin', ...ref('aa', 12) },
      { type: 'image', data: '', mimeType: 'image/png', ...ref('bb', 3) },
      { type: 'text', text: 'short' },
    ],
    ...ref('cc', 20),
  },
}
const FOUND = new Map([
  ['aa', new TextEncoder().encode('The beginning and the end')],
  ['bb', Uint8Array.from([1, 2, 3])],
  ['cc', new TextEncoder().encode('{"rows":[[1],[2]]}')],
])

describe('a large result', () => {
  test('names what is stored apart of it', () => {
    expect(apartIn(TOLD).map(({ blob }) => blob)).toEqual(['cc', 'aa', 'bb'])
    expect(apartIn({ ...TOLD, result: { content: [{ type: 'text', text: 'short' }] } })).toEqual([])
  })

  test('is whole again with what was read', () => {
    const { result } = wholeResult(TOLD, FOUND)

    expect(result.structuredContent).toEqual({ rows: [[1], [2]] })
    expect(result.content).toMatchObject([{ text: 'The beginning and the end' }, { data: 'AQID' }, { text: 'short' }])
  })

  test('keeps its beginning where the rest is gone', () => {
    const { result } = wholeResult(TOLD, new Map())

    expect(result.structuredContent).toBeUndefined()
    expect(result.content[0]).toMatchObject({ text: 'The begin' })
  })
})

describe('the log of the inspector', () => {
  test('says what of an entry is stored apart, and what it is', () => {
    expect(valuesApart({ type: 'tool-settled', result: TOLD.result })).toEqual([
      { hash: 'aa', byteLength: 12, label: 'text', mediaType: 'text/plain' },
      { hash: 'bb', byteLength: 3, label: 'image/png', mediaType: 'image/png' },
      { hash: 'cc', byteLength: 20, label: 'structured result', mediaType: 'application/json' },
    ])
    const file = { type: 'file', mediaType: 'image/jpeg', filename: 'a.jpg', data: { blob: 'dd', byteLength: 9 } }
    expect(valuesApart({ message: { role: 'user', content: [file] } })).toEqual([
      { hash: 'dd', byteLength: 9, label: 'a.jpg', mediaType: 'image/jpeg' },
    ])
    expect(valuesApart({ type: 'checkpoint', position: 'end' })).toEqual([])
  })

  test('shows of a long text only the beginning', () => {
    const json = readableJson({ base64: 'A'.repeat(5_000), short: 'x' })

    expect(json).toContain('… (5,000 characters)')
    expect(json.length).toBeLessThan(400)
  })
})
