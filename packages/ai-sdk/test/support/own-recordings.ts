import type { Outcome } from '@turnloop/core'
import type { Recording } from './recordings.ts'
import { chatCallParts, chatCalls, chatReply, chatText, messagesBlock, messagesReply } from './wire-replies.ts'

const call = { id: 'c1', name: 'look_up', input: '{"q":"x"}' }
const second = { id: 'c2', name: 'look_up', input: '' }
const hello = messagesReply('end_turn', { type: 'text', text: 'Hello there.' })
const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }

type Row = readonly [name: string, ends: Outcome['kind'], ...responses: readonly (readonly unknown[])[]]

const MESSAGES: readonly Row[] = [
  ['text', 'completed', hello],
  [
    'thinking and calls',
    'completed',
    messagesReply(
      'tool_use',
      { type: 'thinking', text: 'Look twice.', signature: 'sig' },
      { type: 'text', text: 'Looking.' },
      { type: 'call', ...call },
      { type: 'call', ...second },
    ),
    hello,
  ],
  [
    'a search with its sources',
    'completed',
    messagesReply(
      'end_turn',
      { type: 'server-call', id: 'srv1', name: 'web_search', input: '{"query":"x"}' },
      { type: 'search-result', id: 'srv1', url: 'https://example.org/x', title: 'X' },
      { type: 'text', text: 'It says x.', cites: { url: 'https://example.org/x', title: 'X' } },
    ),
  ],
  [
    'a server call answered in a later reply',
    'completed',
    messagesReply(
      'tool_use',
      { type: 'server-call', id: 'srv1', name: 'code_execution', input: '{"code":"x"}' },
      { type: 'call', ...call },
    ),
    messagesReply('end_turn', { type: 'code-result', id: 'srv1', stdout: '42' }, { type: 'text', text: '42 it is.' }),
  ],
  ['a refusal', 'blocked', messagesReply('refusal')],
  ['a call cut by the output limit', 'completed', messagesReply('max_tokens', { type: 'call', ...call }), hello],
  ['a text cut by the output limit', 'completed', messagesReply('max_tokens', { type: 'text', text: 'Half a' })],
  ['an error in a call', 'failed', [...messagesReply('', { type: 'call', ...call }).slice(0, 3), overloaded]],
  [
    'a second start in an open call',
    'failed',
    [...hello.slice(0, 1), ...messagesBlock({ type: 'call', ...call }, 0).slice(0, 2), ...spliced(hello)],
  ],
  ['no end', 'failed', hello.slice(0, 4)],
]

const CHAT: readonly Row[] = [
  ['text', 'completed', chatText('Hello there.')],
  ['calls', 'completed', chatCalls(call, second), chatText('Hello there.')],
  ['a content filter', 'blocked', chatReply('content_filter', 'Half a')],
  ['a content filter after a call', 'blocked', [...chatCallParts([call]), ...chatReply('content_filter', '')]],
  ['no end', 'failed', chatCallParts([call])],
  ['no JSON', 'failed', [...chatText('Hello').slice(0, 1), '{"choices":[{', ...chatText('x').slice(1)]],
  ['a page', 'failed', ['<!doctype html>', '<p>Sign in</p>']],
]

/** Streams of our own of the kinds that break loops, for when no recordings are at hand. */
export function ownRecordings(): Recording[] {
  return [
    ...MESSAGES.map((row) => toRecording('anthropic', row)),
    ...CHAT.map((row) => toRecording('openai-compatible', row)),
  ]
}

function toRecording(folder: string, [name, ends, ...responses]: Row): Recording {
  return { name: `${folder}/own: ${name}`, folder, ends, responses: responses.map((events) => events.map(toLine)) }
}

function toLine(event: unknown): string {
  return typeof event === 'string' ? event : JSON.stringify(event)
}

function spliced(events: readonly unknown[]): unknown[] {
  const [start, ...rest] = events
  // A start by itself: the provider takes a repeated id for the same message.
  return [JSON.stringify(start).replace('msg_1', 'msg_2'), ...rest]
}
