import type { Message } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { createPromptWriter, type PromptForm } from '../src/prompt.ts'
import { answer, answers, call, reply, user } from './support/conversation.ts'

const V4: PromptForm = { version: 'v4', takesFiles: true }

function write(messages: readonly Message[], form: PromptForm = V4): unknown[] {
  return createPromptWriter(form)(undefined, messages)
}

/** The parts of the one message that the given ones become. */
function partsOf(...messages: readonly Message[]): unknown {
  const prompt = write(messages)
  expect(prompt).toHaveLength(messages.length)
  return (prompt.at(-1) as { content: unknown }).content
}

describe('messages', () => {
  test('instructions stand first as a system message', () => {
    const prompt = createPromptWriter(V4)('Be brief.', [user('hi')])
    expect(prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ])
  })

  test('what the loop says in a person’s place is ordinary user text', () => {
    expect(write([{ ...user('go on'), synthetic: 'nudge' }])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'go on' }] },
    ])
  })

  test('a reply without anything to say is left out', () => {
    const silent = reply([{ type: 'custom', kind: 'anthropic.message_start' }, { type: 'reasoning', text: 'hm' }, ' '])
    expect(write([user('hi'), silent, user('hello?')])).toHaveLength(2)
  })

  test('a message is converted once', () => {
    const writer = createPromptWriter(V4)
    const history = [user('go'), reply([call('a')]), answers(answer('a', 'done'))]
    const first = writer(undefined, history)
    const second = writer(undefined, [...history, reply(['ok'])])
    expect(second.slice(0, 3).every((message, index) => message === first[index])).toBe(true)
  })

  test('a conversation that grows is the prompt before with what is new behind it', () => {
    const writer = createPromptWriter(V4)
    const history: Message[] = [user('go'), reply([call('a')]), answers(answer('a', 'done'))]
    const lengths = history.map((_, index) => writer('Be brief.', history.slice(0, index + 1)).length)
    expect(lengths).toEqual([2, 3, 4])
    expect(writer(undefined, history)).toEqual(write(history))
  })

  test('one that was taken back and went on otherwise holds nothing of the first try', () => {
    const writer = createPromptWriter(V4)
    const start = user('go')
    writer(undefined, [start, reply(['one']), user('no')])
    const other = [start, reply(['two']), user('yes')]
    expect(writer(undefined, other)).toEqual(write(other))
    expect(writer(undefined, [start])).toEqual(write([start]))
  })

  test('a list that its owner changes later is read anew', () => {
    const writer = createPromptWriter(V4)
    const messages: Message[] = [user('go'), reply(['one'])]
    writer(undefined, messages).length = 0
    messages[1] = reply(['two'])
    messages.push(user('on'))
    expect(writer(undefined, messages)).toEqual(write(messages))
  })

  test('a message that cannot be converted leaves the conversation as it was', () => {
    const writer = createPromptWriter(V4)
    const start = [user('go'), reply([call('a')])]
    writer(undefined, start)
    expect(() => writer(undefined, [...start, user('then'), answers(answer('a', 'done'))])).toThrow()
    const whole = [...start, answers(answer('a', 'done'))]
    expect(writer(undefined, whole)).toEqual(write(whole))
  })

  test('a tool message behind another reply is converted anew', () => {
    const writer = createPromptWriter(V4)
    const results = answers(answer('a', 'done'))
    writer(undefined, [reply([call('a')]), results])
    const [, second] = writer(undefined, [reply([call('a', '{}', { wireId: 'other' })]), results])
    expect(second).toMatchObject({ content: [{ toolCallId: 'other' }] })
  })
})

describe('files', () => {
  test('bytes go as data and an address as a URL', () => {
    const parts = partsOf(
      user([
        { type: 'file', mediaType: 'image/png', data: { base64: 'AAAA' }, filename: 'a.png' },
        { type: 'file', mediaType: 'image/png', data: { url: 'https://example.org/b.png' } },
      ]),
    )
    expect(parts).toEqual([
      { type: 'file', mediaType: 'image/png', filename: 'a.png', data: { type: 'data', data: 'AAAA' } },
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.org/b.png') } },
    ])
  })

  test('a data URL goes as data', () => {
    const data = { url: 'data:image/png;base64,AAAA' }
    expect(partsOf(user([{ type: 'file', mediaType: 'image/png', data }]))).toMatchObject([
      { data: { type: 'data', data: 'AAAA' } },
    ])
  })

  test('a stored blob is refused by its name', () => {
    const data = { blob: 'abc123', byteLength: 9 }
    expect(() => write([user([{ type: 'file', mediaType: 'image/png', data }])])).toThrow(
      expect.objectContaining({ code: 'internal', message: expect.stringContaining('abc123') }),
    )
  })

  test('an address that is not absolute is refused by its text', () => {
    const data = { url: '/a.png' }
    expect(() => write([user([{ type: 'file', mediaType: 'image/png', data }])])).toThrow(
      expect.objectContaining({ code: 'bad-input', message: expect.stringContaining('/a.png') }),
    )
  })
})

describe('calls', () => {
  test.each([
    ['an object', '{"a":[1]}', { a: [1] }],
    ['blank text', ' \n', {}],
    ['nothing', '', {}],
    ['cut text', '{"html":"<p>hel', {}],
    ['a list', '[1]', {}],
    ['text', '"x"', {}],
    ['null', 'null', {}],
  ])('arguments that are %s go as an object', (_, text, input) => {
    expect(partsOf(reply([call('a', text)]))).toEqual([
      { type: 'tool-call', toolCallId: 'wire-a', toolName: 'a', input },
    ])
  })

  test('metadata of every part goes back as options, foreign ones too', () => {
    const providerMetadata = { anthropic: { signature: 's' }, other: { x: 1 } }
    const parts = partsOf(
      reply([{ type: 'reasoning', text: 'r', providerMetadata }, call('a', '{}', { providerMetadata })]),
    )
    expect(parts).toMatchObject([{ providerOptions: providerMetadata }, { providerOptions: providerMetadata }])
  })

  test('empty parts that carry metadata are kept', () => {
    const providerMetadata = { google: { thoughtSignature: 's' } }
    expect(partsOf(reply(['x', { type: 'text', text: '', providerMetadata }]))).toHaveLength(2)
  })

  test('calls the provider ran keep their place beside their results', () => {
    const search = call('search', '{"q":"x"}', { providerExecuted: true })
    const result = {
      type: 'provider-result' as const,
      callId: 'call-search',
      wireId: 'wire-search',
      toolName: 'search',
      result: { hits: 1 },
    }
    expect(partsOf(reply(['a', search, result, 'b']))).toEqual([
      { type: 'text', text: 'a' },
      { type: 'tool-call', toolCallId: 'wire-search', toolName: 'search', input: { q: 'x' }, providerExecuted: true },
      {
        type: 'tool-result',
        toolCallId: 'wire-search',
        toolName: 'search',
        output: { type: 'json', value: { hits: 1 } },
      },
      { type: 'text', text: 'b' },
    ])
  })

  test('a call that the provider had not answered goes only from a whole reply', () => {
    const parts = ['Searching.', call('search', '{}', { providerExecuted: true })]
    expect(partsOf(reply(parts, { partial: true }))).toEqual([{ type: 'text', text: 'Searching.' }])
    expect(partsOf(reply(parts))).toHaveLength(2)
  })

  test('custom parts and files of the reply are kept, sources are not', () => {
    const parts = partsOf(
      reply([
        { type: 'custom', kind: 'openai.compaction', providerMetadata: { openai: { itemId: 'i' } } },
        { type: 'source', sourceType: 'url', id: '1', url: 'https://example.org' },
        { type: 'file', mediaType: 'image/png', data: { base64: 'AAAA' } },
        { type: 'file', mediaType: 'image/png', data: { base64: 'BBBB' }, reasoning: true },
        'x',
      ]),
    )
    expect(parts).toMatchObject([{ type: 'custom' }, { type: 'file' }, { type: 'reasoning-file' }, { type: 'text' }])
  })
})

describe('reasoning', () => {
  const signed = { type: 'reasoning' as const, text: 'a', providerMetadata: { openai: { itemId: 'rs_1' } } }
  const plain = { type: 'reasoning' as const, text: 'b' }

  test('reasoning that led to nothing is not sent', () => {
    expect(partsOf(reply(['said', signed], { partial: true }))).toEqual([{ type: 'text', text: 'said' }])
  })

  test('unsigned reasoning of a cut reply is not sent', () => {
    const own = { ...signed, providerMetadata: { anthropic: { signature: 's' } } }
    expect(partsOf(reply([plain, own, 'said'], { partial: true }))).toMatchObject([
      { type: 'reasoning', text: 'a' },
      { type: 'text' },
    ])
  })

  test('unsigned reasoning of a whole reply is sent', () => {
    expect(partsOf(reply([plain, call('a')]))).toMatchObject([{ type: 'reasoning', text: 'b' }, { type: 'tool-call' }])
  })

  test('a cut reply names nothing that the server may not have kept', () => {
    const sealed = { openai: { itemId: 'rs_2', reasoningEncryptedContent: 'x' } }
    const parts = [
      signed,
      { ...signed, text: 'c', providerMetadata: sealed },
      { type: 'text' as const, text: 'said', providerMetadata: { openai: { itemId: 'msg_1', phase: 'final' } } },
    ]
    expect(partsOf(reply(parts, { partial: true }))).toEqual([
      { type: 'reasoning', text: 'c', providerOptions: { openai: { reasoningEncryptedContent: 'x' } } },
      { type: 'text', text: 'said', providerOptions: { openai: { phase: 'final' } } },
    ])
    expect(JSON.stringify(partsOf(reply(parts)))).toMatch(/rs_1.*rs_2.*msg_1/)
  })

  test('a paused reply goes back as it was', () => {
    expect(partsOf(reply(['said', signed], { stopReason: 'pause' }))).toHaveLength(2)
  })
})

describe('results', () => {
  test('results carry the wire id and name of their calls', () => {
    const parts = partsOf(reply([call('a'), call('b')]), answers(answer('a', '1'), answer('b', '2')))
    expect(parts).toEqual([
      { type: 'tool-result', toolCallId: 'wire-a', toolName: 'a', output: { type: 'text', value: '1' } },
      { type: 'tool-result', toolCallId: 'wire-b', toolName: 'b', output: { type: 'text', value: '2' } },
    ])
  })

  test('a result carries the metadata of its call', () => {
    const providerMetadata = { anthropic: { caller: { type: 'direct' } } }
    const parts = partsOf(reply([call('a', '{}', { providerMetadata })]), answers(answer('a', '1')))
    expect(parts).toMatchObject([{ providerOptions: providerMetadata }])
  })

  test('a result without its call is refused by its name', () => {
    expect(() => write([user('hi'), answers(answer('a', '1'))])).toThrow(
      expect.objectContaining({ code: 'internal', message: expect.stringContaining('call-a') }),
    )
  })

  test('a decision on a call of the provider goes as an approval', () => {
    const asked = reply([
      call('pay', '{}', { providerExecuted: true }),
      { type: 'provider-approval', id: 'approval-1', callId: 'call-pay' },
    ])
    expect(partsOf(asked, answers(answer('pay', 'no', 'denied')))).toEqual([
      { type: 'tool-approval-response', approvalId: 'approval-1', approved: false },
    ])
  })
})
