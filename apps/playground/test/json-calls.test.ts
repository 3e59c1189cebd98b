import type { ModelEvent, ModelRequest } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { plainPrompt } from '../src/model/json-calls/plain-prompt.ts'
import { plainSchema } from '../src/model/json-calls/plain-schema.ts'
import { jsonReplyReader, textReplyReader } from '../src/model/json-calls/reply-reader.ts'
import { replySchema } from '../src/model/json-calls/reply-schema.ts'

const weather = {
  name: 'weather',
  description: 'The weather of a town.',
  inputSchema: { type: 'object', properties: { town: { type: 'string', minLength: 1 } }, required: ['town'] },
}
const said = (text: string): ModelRequest['messages'] => [
  { id: 'u', role: 'user', createdAt: 0, content: [{ type: 'text', text }] },
]

/** A reply in pieces of a size, as what people see of it. */
function readReply(
  reply: string,
  size: number,
  reader = jsonReplyReader(),
): { text: string; calls: unknown[]; input: string; stop: string } {
  const events: ModelEvent[] = []
  for (let at = 0; at < reply.length; at += size) events.push(...reader.read(reply.slice(at, at + size)))
  events.push(...reader.end({ stopReason: 'endTurn' }))
  const join = (type: string): string =>
    events.map((event) => (event.type === type && 'delta' in event ? event.delta : '')).join('')
  const last = events.at(-1)
  return {
    text: join('text-delta'),
    input: join('tool-input-delta'),
    calls: events.flatMap((event) =>
      event.type === 'tool-call' ? [{ tool: event.toolName, input: JSON.parse(event.inputText) }] : [],
    ),
    stop: last?.type === 'finish' ? last.stopReason : 'none',
  }
}

describe('reading a reply', () => {
  test.each([1, 2, 3, 7, 1000])('an answer streams as its text, in pieces of %i', (size) => {
    const answer = 'Two lines,\na "quote", a \\ and 😀 \u00fc'
    expect(readReply(JSON.stringify({ answer }), size)).toEqual({ text: answer, input: '', calls: [], stop: 'endTurn' })
    expect(readReply('{"answer": "\\ud83d\\ude00!"}', size).text).toBe('😀!')
  })

  test.each([1, 2, 3, 7, 1000])('a call has its arguments as they were written, in pieces of %i', (size) => {
    const reply = ' {"tool": "weather", "input": {"town": "Oslo", "deep": {"er": {}}} }\n'
    expect(readReply(reply, size)).toEqual({
      text: '',
      input: '{"town": "Oslo", "deep": {"er": {}}}',
      calls: [{ tool: 'weather', input: { town: 'Oslo', deep: { er: {} } } }],
      stop: 'toolUse',
    })
  })

  test.each([1, 5, 1000])('an answer that is an object streams as JSON, in pieces of %i', (size) => {
    expect(readReply('{"answer": {"mood": {"is": "good"}}}', size).text).toBe('{"mood": {"is": "good"}}')
  })

  test('a call whose members come in another order is found at its end', () => {
    expect(readReply('{"input": {"town": "Oslo"}, "tool": "weather"}', 4)).toMatchObject({
      calls: [{ tool: 'weather', input: { town: 'Oslo' } }],
      stop: 'toolUse',
    })
  })

  test('text that keeps to no form is an answer', () => {
    expect(readReply('Hello {there}', 3).text).toBe('Hello {there}')
    expect(readReply('{"something": "else"}', 3).text).toBe('{"something": "else"}')
    expect(readReply('{"answer": "plain"}', 3, textReplyReader()).text).toBe('{"answer": "plain"}')
  })

  test('raw line breaks in a string stay', () => {
    expect(readReply('{"answer": "a\nb\\n"}', 1000).text).toBe('a\nb\n')
  })

  test('a call that is cut is told as cut', () => {
    const reader = jsonReplyReader()
    reader.read('{"tool": "weather", "input": {"tow')
    const events = reader.end({ stopReason: 'maxTokens' })

    expect(events.at(-1)).toEqual({ type: 'finish', stopReason: 'maxTokens' })
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-call', inputText: '{"tow' }))
  })
})

describe('the form of a reply', () => {
  test('is free without tools, and a call or an answer with them', () => {
    expect(replySchema({ messages: said('hi'), tools: [] })).toBeUndefined()
    expect(replySchema({ messages: said('hi'), tools: [weather], toolChoice: 'none' })).toBeUndefined()
    const input = { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] }
    const call = {
      type: 'object',
      properties: { tool: { const: 'weather' }, input },
      required: ['tool', 'input'],
      additionalProperties: false,
    }
    const answer = {
      type: 'object',
      properties: { answer: { type: 'string' } },
      required: ['answer'],
      additionalProperties: false,
    }
    expect(replySchema({ messages: said('hi'), tools: [weather] })).toEqual({ anyOf: [call, answer] })
    expect(replySchema({ messages: said('hi'), tools: [weather], toolChoice: 'required' })).toEqual({ anyOf: [call] })
  })

  test('is the form that was asked for, alone or as the answer', () => {
    const output = { schema: { type: 'object', properties: { mood: { enum: ['good', 'bad'] } }, required: ['mood'] } }
    expect(replySchema({ messages: said('hi'), tools: [], output })).toEqual(output.schema)
    expect(JSON.stringify(replySchema({ messages: said('hi'), tools: [weather], output }))).toContain(
      '"answer":{"type":"object","properties":{"mood"',
    )
  })

  test('keeps names of members that are also words of schemas', () => {
    const schema = {
      type: 'object',
      properties: { pattern: { type: 'string', pattern: '^a' }, $schema: { type: 'number' } },
    }
    expect(plainSchema(schema)).toEqual({
      type: 'object',
      properties: { pattern: { type: 'string' }, $schema: { type: 'number' } },
    })
  })

  test('is any object for a tool whose schema points into itself', () => {
    expect(plainSchema({ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } })).toEqual({
      type: 'object',
    })
  })
})

describe('a conversation as text', () => {
  test('has two speakers in turn, with calls and results in the form of the next reply', () => {
    const { system, turns } = plainPrompt({
      instructions: 'Be brief.',
      tools: [weather],
      messages: [
        ...said('Oslo?'),
        {
          id: 'a',
          role: 'assistant',
          createdAt: 0,
          stopReason: 'toolUse',
          content: [{ type: 'tool-call', callId: 'c', wireId: 'c', toolName: 'weather', inputText: '{"town":"Oslo"}' }],
        },
        {
          id: 't',
          role: 'tool',
          createdAt: 0,
          results: [
            {
              callId: 'c',
              toolName: 'weather',
              status: 'ok',
              result: { content: [], structuredContent: { degrees: 3 } },
            },
          ],
        },
        ...said('And?'),
      ],
    })

    expect(system).toMatch(/^Be brief\.\n\nReply with one JSON object[\s\S]*- weather: The weather of a town\./)
    expect(turns).toEqual([
      { role: 'user', content: 'Oslo?' },
      { role: 'assistant', content: '{"tool": "weather", "input": {"town":"Oslo"}}' },
      { role: 'user', content: 'Result of weather:\n{"degrees":3}\n\nAnd?' },
    ])
  })

  test('has neither form nor JSON where no tool can be called', () => {
    const { system, turns } = plainPrompt({ tools: [], messages: said('hi') })
    expect({ system, turns }).toEqual({ system: '', turns: [{ role: 'user', content: 'hi' }] })
  })
})
