import type { AssistantPart, Message } from '@turnloop/core'
import { assertHistory, checkHistory, type HistoryRule } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { call, healthy, reply, results, text, user } from './history.ts'

const signed = { type: 'reasoning', text: 'hm', providerMetadata: { anthropic: { signature: 's' } } } as const
const unsigned = { type: 'reasoning', text: 'hm' } as const
const search = call('s1', { toolName: 'web_search', providerExecuted: true })
const found: AssistantPart = {
  type: 'provider-result',
  callId: 's1',
  wireId: 'wire-s1',
  toolName: 'web_search',
  result: [],
}
const signature: AssistantPart = { type: 'text', text: '', providerMetadata: { google: { thoughtSignature: 's' } } }

/** For each rule, histories that break it and nothing else, and neighbours that keep it. All end as requests may. */
const cases: Record<HistoryRule, { breaks: Record<string, Message[]>; keeps: Record<string, Message[]> }> = {
  'unanswered-call': {
    breaks: {
      'no result': [user('u1'), reply('a1', [call('c1')]), user('u2')],
      'one of two results': [user('u1'), reply('a1', [call('c1'), call('c2')]), results('t1', ['c1'])],
    },
    keeps: {
      'both results': [user('u1'), reply('a1', [call('c1'), call('c2')]), results('t1', ['c1', 'c2'])],
      'a call of the provider without its result': [user('u1'), reply('a1', [search, text('soon')]), user('u2')],
    },
  },
  'partial-call': {
    breaks: { 'a cut reply with a call': [user('u1'), reply('a1', [call('c1')], { partial: true }), user('u2')] },
    keeps: {
      'its call was answered': [user('u1'), reply('a1', [call('c1')], { partial: true }), results('t1', ['c1'])],
      'its call was dropped': [user('u1'), reply('a1', [text('Let me')], { partial: true }), user('u2')],
    },
  },
  'orphan-result': {
    breaks: {
      'no such call': [user('u1'), reply('a1', [text('hi')]), results('t1', ['c9'])],
      'a call that comes later': [
        user('u1'),
        reply('a1', [call('c1')]),
        results('t1', ['c1', 'c2']),
        reply('a2', [call('c2')]),
        results('t2', ['c2']),
      ],
      'a call of the provider': [user('u1'), reply('a1', [search]), results('t1', ['s1'], 'web_search')],
    },
    keeps: { 'a call before it': [user('u1'), reply('a1', [call('c1')]), results('t1', ['c1'])] },
  },
  'duplicate-result': {
    breaks: {
      'twice in one message': [user('u1'), reply('a1', [call('c1')]), results('t1', ['c1', 'c1'])],
      'again later': [user('u1'), reply('a1', [call('c1')]), results('t1', ['c1']), results('t2', ['c1'])],
      'twice by the provider': [user('u1'), reply('a1', [search, found, found, text('!')]), user('u2')],
    },
    keeps: { once: [user('u1'), reply('a1', [call('c1')]), results('t1', ['c1'])] },
  },
  'interrupted-pair': {
    breaks: {
      'a user text between': [user('u1'), reply('a1', [call('c1')]), user('u2', 'hurry'), results('t1', ['c1'])],
      'results in two messages': [
        user('u1'),
        reply('a1', [call('c1'), call('c2')]),
        results('t1', ['c1']),
        results('t2', ['c2']),
      ],
    },
    keeps: {
      'the user text after': [user('u1'), reply('a1', [call('c1')]), results('t1', ['c1']), user('u2', 'hurry')],
    },
  },
  'result-order': {
    breaks: { swapped: [user('u1'), reply('a1', [call('c1'), call('c2')]), results('t1', ['c2', 'c1'])] },
    keeps: { 'call order': [user('u1'), reply('a1', [call('c1'), call('c2')]), results('t1', ['c1', 'c2'])] },
  },
  'result-tool-name': {
    breaks: { 'another tool': [user('u1'), reply('a1', [call('c1')]), results('t1', ['c1'], 'mean')] },
    keeps: { 'the same tool': [user('u1'), reply('a1', [call('c1')]), results('t1', ['c1'], 'sum')] },
  },
  'duplicate-wire-id': {
    breaks: {
      'in one reply': [
        user('u1'),
        reply('a1', [call('c1', { wireId: 'K' }), call('c2', { wireId: 'K' })]),
        results('t1', ['c1', 'c2']),
      ],
      'in a later reply': [
        user('u1'),
        reply('a1', [call('c1', { wireId: 'K' })]),
        results('t1', ['c1']),
        reply('a2', [call('c2', { wireId: 'K' })]),
        results('t2', ['c2']),
      ],
    },
    keeps: {
      'its own for each': [
        user('u1'),
        reply('a1', [call('c1', { wireId: 'K' }), call('c2', { wireId: 'c2' })]),
        results('t1', ['c1', 'c2']),
      ],
    },
  },
  'empty-wire-id': {
    breaks: {
      nothing: [user('u1'), reply('a1', [call('c1', { wireId: '' })]), results('t1', ['c1'])],
      'white space': [user('u1'), reply('a1', [call('c1', { wireId: ' ' })]), results('t1', ['c1'])],
    },
    keeps: { 'any text': [user('u1'), reply('a1', [call('c1', { wireId: '0' })]), results('t1', ['c1'])] },
  },
  'duplicate-call-id': {
    breaks: {
      'calls of the provider': [
        user('u1'),
        reply('a1', [search, { ...search, wireId: 'wire-s2' }, text('soon')]),
        user('u2'),
      ],
    },
    keeps: {
      'its own for each': [
        user('u1'),
        reply('a1', [search, { ...search, callId: 's2', wireId: 'wire-s2' }, text('soon')]),
        user('u2'),
      ],
    },
  },
  'duplicate-message-id': {
    breaks: { 'the same id twice': [user('u1'), reply('a1', [text('hi')]), user('u1')] },
    keeps: { 'its own for each': [user('u1'), reply('a1', [text('hi')]), user('u2')] },
  },
  'orphan-provider-result': {
    breaks: {
      'no such call': [user('u1'), reply('a1', [found, text('!')]), user('u2')],
      'before its call': [user('u1'), reply('a1', [found, search, text('!')]), user('u2')],
      'in a message before its call': [
        user('u1'),
        reply('a1', [found, text('!')]),
        user('u2'),
        reply('a2', [search, text('!')]),
        user('u3'),
      ],
      'a call that is ours': [
        user('u1'),
        reply('a1', [call('s1', { toolName: 'web_search' }), found]),
        results('t1', ['s1'], 'web_search'),
      ],
    },
    keeps: {
      'in the same reply': [user('u1'), reply('a1', [search, found, text('!')]), user('u2')],
      'in a later reply': [
        user('u1'),
        reply('a1', [search, text('soon')]),
        user('u2'),
        reply('a2', [found]),
        user('u3'),
      ],
    },
  },
  'first-message': {
    breaks: { 'a reply first': [reply('a1', [text('hi')]), user('u1')] },
    keeps: { 'a user first': [user('u1'), reply('a1', [text('hi')]), user('u2')] },
  },
  'last-message': {
    breaks: { 'a reply last': [user('u1'), reply('a1', [text('hi')])], 'nothing at all': [] },
    keeps: {
      'a user last': [user('u1'), reply('a1', [text('hi')]), user('u2')],
      'results last': [user('u1'), reply('a1', [call('c1')]), results('t1', ['c1'])],
      'a paused reply last': [user('u1'), reply('a1', [search], { stopReason: 'pause' })],
    },
  },
  'empty-message': {
    breaks: {
      'a reply without parts': [user('u1'), reply('a1', []), user('u2')],
      'a user without parts': [{ ...user('u1'), content: [] }],
      'a reply of unsigned reasoning': [user('u1'), reply('a1', [unsigned]), user('u2')],
      'a reply of sources': [
        user('u1'),
        reply('a1', [{ type: 'source', sourceType: 'url', id: 'x', url: 'https://example.org' }]),
        user('u2'),
      ],
      'a tool message without results': [user('u1'), results('t1', []), user('u2')],
    },
    keeps: {
      'a reply that is a file': [
        user('u1'),
        reply('a1', [{ type: 'file', mediaType: 'image/png', data: { base64: '' } }]),
        user('u2'),
      ],
      'a reply that is a signature': [user('u1'), reply('a1', [signature]), user('u2')],
    },
  },
  'blank-text': {
    breaks: {
      'nothing before a call': [user('u1'), reply('a1', [text(''), call('c1')]), results('t1', ['c1'])],
      'white space alone': [user('u1'), reply('a1', [text('\n\n')]), user('u2')],
      'a user who says nothing': [user('u1', ' ')],
    },
    keeps: {
      'white space before a call': [user('u1'), reply('a1', [text('\n\n'), call('c1')]), results('t1', ['c1'])],
      'white space around text': [user('u1'), reply('a1', [text('\n\nhi ')]), user('u2')],
      'blank text that carries a signature': [user('u1'), reply('a1', [text('hi'), signature]), user('u2')],
    },
  },
  'trailing-reasoning': {
    breaks: {
      'a cut reply that only reasoned': [user('u1'), reply('a1', [signed], { partial: true }), user('u2')],
      'a reply that reasons last': [user('u1'), reply('a1', [text('hi'), signed]), user('u2')],
    },
    keeps: {
      'text after it': [user('u1'), reply('a1', [signed, text('hi')]), user('u2')],
      'a call after it': [user('u1'), reply('a1', [signed, call('c1')]), results('t1', ['c1'])],
      'a paused reply that goes on': [user('u1'), reply('a1', [search, signed], { stopReason: 'pause' })],
      'unsigned reasoning, which is not sent': [user('u1'), reply('a1', [text('hi'), unsigned]), user('u2')],
    },
  },
  'note-sent': {
    breaks: { 'a note in a request': [user('u1'), { ...user('n1'), synthetic: 'note' }, user('u2')] },
    keeps: { 'what the loop said': [user('u1'), reply('a1', [text('hi')]), { ...user('n1'), synthetic: 'nudge' }] },
  },
}

const rulesBrokenBy = (messages: readonly Message[]): string[] => [
  ...new Set(checkHistory(messages, { request: true }).problems.map(({ rule }) => rule)),
]

describe.each(Object.entries(cases))('%s', (rule, { breaks, keeps }) => {
  test.each(Object.entries(breaks))('is broken by: %s', (_name, messages) => {
    expect(rulesBrokenBy(messages)).toEqual([rule])
  })
  test.each(Object.entries(keeps))('is kept by: %s', (_name, messages) => {
    expect(rulesBrokenBy(messages)).toEqual([])
  })
})

test('a problem names the place, the fault and who refuses it', () => {
  const messages = [user('u1'), reply('a1', [call('c1')]), user('u2')]
  expect(checkHistory(messages).problems).toEqual([
    {
      rule: 'unanswered-call',
      index: 1,
      message: 'sum (c1) has no result',
      refusedBy: ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'core'],
    },
  ])
})

test('a whole exchange with parallel calls is accepted', () => {
  expect(checkHistory(healthy, { request: true })).toEqual({ ok: true, problems: [], notes: [] })
})

test('a transcript may end with a reply or with reasoning', () => {
  expect(checkHistory([user('u1'), reply('a1', [signed])]).ok).toBe(true)
})

test('an empty transcript is accepted', () => {
  expect(checkHistory([]).ok).toBe(true)
})

test.each(['{"path":"notes', '', 'null', '[]', '"x"', '5'])('arguments %j are noted, not refused', (inputText) => {
  const { ok, notes } = checkHistory([user('u1'), reply('a1', [call('c1', { inputText })]), results('t1', ['c1'])])
  expect(ok).toBe(true)
  expect(notes).toEqual(['message 1: the arguments of sum (c1) are not a JSON object'])
})

test('two problems come in the order of their messages', () => {
  const messages = [reply('a1', [text('hi')]), user('u1'), reply('a2', [call('c1')]), user('u2')]
  expect(checkHistory(messages).problems.map(({ index, rule }) => [index, rule])).toEqual([
    [0, 'first-message'],
    [2, 'unanswered-call'],
  ])
})

test('a broken history throws with every problem listed', () => {
  const messages = [reply('a1', [text('hi')]), user('u1'), reply('a2', [call('c1')]), user('u2')]
  expect(() => assertHistory(messages)).toThrow(/message 0: .*\(first-message\)\n- message 2: sum \(c1\).*/)
})

test('a healthy history does not throw', () => {
  expect(() => assertHistory(healthy)).not.toThrow()
})
