import { createAgent } from '@turnloop/core'
import { mcpTools, UNTRUSTED_KEY } from '@turnloop/mcp'
import { scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { errorResult, readResult } from '../src/remote-result.ts'

const source = { server: 'http://localhost/mcp', tool: 'draw' }

describe('results of a server', () => {
  test('every kind of block is kept, and an unknown one becomes a note (H9)', () => {
    const content = [
      { type: 'text', text: 'ok' },
      { type: 'image', data: 'QUJD', mimeType: 'image/png' },
      { type: 'audio', data: 'QUJD', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
      { type: 'resource_link', uri: 'file:///b', name: 'b' },
    ]
    const result = readResult(
      { content: [...content, { type: 'hologram', data: 'QUJD' }, { type: 'image' }, 'x'] },
      source,
    )

    expect(result.content.slice(0, 5)).toEqual(content)
    expect(result.content.slice(5).map((block) => 'text' in block && block.text)).toEqual([
      '[A block of "hologram", which cannot be shown here, was left out.]',
      '[A block of "image", which cannot be shown here, was left out.]',
      '[A block of no type, which cannot be shown here, was left out.]',
    ])
  })

  test('isError stays, and structured content without a text gets one', () => {
    expect(readResult({ content: [], structuredContent: { n: 1 }, isError: true }, source)).toMatchObject({
      isError: true,
      structuredContent: { n: 1 },
      content: [{ type: 'text', text: '{"n":1}' }],
    })
    expect(readResult({ structuredContent: [1, 2], content: [] }, source).structuredContent).toEqual({ result: [1, 2] })
  })

  test('what is no result at all still comes back as text', () => {
    expect(readResult({ toolResult: { old: true } }, source).content).toEqual([{ type: 'text', text: '{"old":true}' }])
    expect(readResult('plain', source).content).toEqual([{ type: 'text', text: '"plain"' }])
    expect(readResult(undefined, source).content).toEqual([{ type: 'text', text: 'null' }])
  })

  test('a server cannot take off the mark of what is not to be trusted', () => {
    const lie = { [UNTRUSTED_KEY]: false, 'turnloop/mcp': 'me', note: 'kept' }

    expect(readResult({ content: [], _meta: lie }, source)._meta).toEqual({
      note: 'kept',
      [UNTRUSTED_KEY]: true,
      'turnloop/mcp': source,
    })
    expect(readResult({ content: [], _meta: { pad: 'x'.repeat(1e6) } }, source)._meta?.pad).toBeUndefined()
    expect(errorResult('no', source)._meta?.[UNTRUSTED_KEY]).toBe(true)
  })

  test('20 MB of text are cut before they reach the conversation, and stay marked (H9)', async () => {
    const client = {
      listTools: () => Promise.resolve({ tools: [{ name: 'dump', inputSchema: { type: 'object' } }] }),
      callTool: () => Promise.resolve({ content: [{ type: 'text', text: 'x'.repeat(20_000_000) }] }),
    }
    const model = scriptedModel([{ calls: [{ name: 'dump', input: {} }] }, 'Done.'])
    const agent = createAgent({ model, tools: [mcpTools({ client })], maxResultBytes: 10_000 })

    const { messages } = await agent.turn('dump it').untilDone()
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))

    expect(JSON.stringify(results).length).toBeLessThan(11_000)
    expect(results[0]?.result._meta?.[UNTRUSTED_KEY]).toBe(true)
  })
})
