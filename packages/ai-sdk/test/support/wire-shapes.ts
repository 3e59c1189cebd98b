import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { readChat, readGoogle, readMessages, readResponses, type WireItem } from './wire-items.ts'
import { chatCallParts, chatReply, messagesReply, responsesReply, type WireCall } from './wire-replies.ts'

/** What a scripted provider answers with. */
export interface WireReply {
  readonly text?: string
  readonly calls?: readonly WireCall[]
  /** The finish word, where it is not the one that goes with the calls. */
  readonly finish?: string
}

/** One of the shapes that providers' protocols have, through the real package for it. */
export interface WireShape {
  readonly name: string
  create(fetch: typeof globalThis.fetch): LanguageModelV4
  write(reply: WireReply): readonly unknown[]
  /** The conversation in a request's body, item by item. */
  read(body: unknown): WireItem[]
}

const chat: WireShape = {
  name: 'OpenAI chat',
  create: (fetch) => createOpenAI({ apiKey: 'key', fetch }).chat('gpt-5.2'),
  write: ({ calls = [], finish, text = '' }) => [
    ...chatCallParts(calls),
    ...chatReply(finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'), text),
  ],
  read: readChat,
}

const responses: WireShape = {
  name: 'OpenAI responses',
  create: (fetch) => createOpenAI({ apiKey: 'key', fetch }).responses('gpt-5.2'),
  write: ({ calls = [], text }) => responsesReply(text, calls),
  read: readResponses,
}

const messages: WireShape = {
  name: 'Anthropic',
  create: (fetch) => createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5'),
  write: ({ calls = [], finish, text }) =>
    messagesReply(
      finish ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
      ...(text === undefined ? [] : [{ type: 'text', text } as const]),
      ...calls.map((call) => ({ type: 'call', ...call }) as const),
    ),
  read: readMessages,
}

/** Gives calls no ids at all: its package makes them up. */
const google: WireShape = {
  name: 'Google',
  create: (fetch) => createGoogle({ apiKey: 'key', fetch })('gemini-3-pro'),
  write: ({ calls = [], finish = 'STOP', text }) => [
    {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              ...(text === undefined ? [] : [{ text }]),
              ...calls.map(({ input, name }) => ({ functionCall: { name, args: JSON.parse(input) } })),
            ],
          },
          finishReason: finish,
        },
      ],
    },
  ],
  read: readGoogle,
}

export const wireShapes: readonly WireShape[] = [chat, responses, messages, google]

/** A `fetch` that answers each request with the next reply, the last one for ever, and notes what was asked. */
export function wireFetch(
  shape: WireShape,
  replies: readonly WireReply[],
): { fetch: typeof globalThis.fetch; conversations: WireItem[][] } {
  const conversations: WireItem[][] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const index = conversations.push(shape.read(JSON.parse(String(init?.body)))) - 1
    const events = shape.write(replies[index] ?? replies.at(-1) ?? {})
    const lines = events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } })
  }
  return { fetch, conversations }
}
