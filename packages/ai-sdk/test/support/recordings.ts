/// <reference types="node" />
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Outcome } from '@turnloop/core'
import { chatCallParts, chatCalls, chatText, messagesBlock, messagesReply } from './wire-replies.ts'

/** What a provider sent, as one line of JSON per event. */
export interface Recording {
  /** `folder/name`; the folder names the provider. */
  readonly name: string
  readonly folder: string
  /** One list of lines for each response. */
  readonly responses: readonly (readonly string[])[]
  /** How the turn must end that is played on all of it, where that is known. */
  readonly ends?: Outcome['kind']
}

/** The recordings in a folder, which has one folder for each provider. */
export function readRecordings(root: string): Recording[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.chunks.txt'))
  return files.sort().map((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').filter(Boolean)
    const folder = dirname(file)
    return { name: `${folder}/${basename(file, '.chunks.txt')}`, folder, responses: splitResponses(lines) }
  })
}

/** A response that begins before the one before it has ended belongs to it: a fault that some servers have. */
function splitResponses(lines: readonly string[]): string[][] {
  const responses: string[][] = [[]]
  for (const line of lines) {
    const last = responses.at(-1)
    const hasEnded = /"type":\s*"(message_stop|response\.completed)"/.test(last?.at(-1) ?? '')
    if (hasEnded || last === undefined) responses.push([line])
    else last.push(line)
  }
  return responses
}

/** Streams of our own of the kinds that break loops, for when no recordings are at hand. */
export function ownRecordings(): Recording[] {
  const call = { id: 'c1', name: 'look_up', input: '{"q":"x"}' }
  const second = { id: 'c2', name: 'look_up', input: '' }
  const hello = messagesReply('end_turn', { type: 'text', text: 'Hello there.' })
  const kinds: readonly (readonly [string, Outcome['kind'], readonly (readonly unknown[])[]])[] = [
    ['anthropic/text', 'completed', [hello]],
    [
      'anthropic/thinking and calls',
      'completed',
      [
        messagesReply(
          'tool_use',
          { type: 'thinking', text: 'Look twice.', signature: 'sig' },
          { type: 'text', text: 'Looking.' },
          { type: 'call', ...call },
          { type: 'call', ...second },
        ),
        hello,
      ],
    ],
    ['anthropic/refusal', 'blocked', [messagesReply('refusal')]],
    ['anthropic/length', 'completed', [messagesReply('max_tokens', { type: 'call', ...call }), hello]],
    [
      'anthropic/a second start in an open call',
      'failed',
      [[...hello.slice(0, 1), ...messagesBlock({ type: 'call', ...call }, 0).slice(0, 2), ...spliced(hello)]],
    ],
    ['anthropic/no end', 'failed', [hello.slice(0, 4)]],
    ['openai-compatible/text', 'completed', [chatText('Hello there.')]],
    ['openai-compatible/calls', 'completed', [chatCalls(call, second), chatText('Hello there.')]],
    ['openai-compatible/no end', 'failed', [chatCallParts([call])]],
    [
      'openai-compatible/no JSON',
      'failed',
      [[...chatText('Hello').slice(0, 1), '{"choices":[{', ...chatText('x').slice(1)]],
    ],
  ]
  return kinds.map(([name, ends, responses]) => ({
    name,
    folder: dirname(name),
    ends,
    responses: responses.map((events) => events.map(toLine)),
  }))
}

function toLine(event: unknown): string {
  return typeof event === 'string' ? event : JSON.stringify(event)
}

function spliced(events: readonly unknown[]): unknown[] {
  const [start, ...rest] = events
  // A start by itself: the provider takes a repeated id for the same message.
  return [JSON.stringify(start).replace('msg_1', 'msg_2'), ...rest]
}
