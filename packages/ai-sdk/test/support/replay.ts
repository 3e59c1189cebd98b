import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Recording } from './recordings.ts'

/** How a recording is played. */
export interface ReplayOptions {
  /** End the connection after so many lines, counted over all responses. */
  readonly cutAfter?: number
  /** Bytes to a chunk. Default: a line. */
  readonly chunkBytes?: number
}

/** The real provider of a recording, its network answered from the recording; undefined if it is not installed. */
export function replay(recording: Recording, options: ReplayOptions = {}): LanguageModelV4 | undefined {
  const create = PROVIDERS.get(recording.folder)
  return create?.(replayFetch(recording, options))
}

type Create = (fetch: typeof globalThis.fetch) => LanguageModelV4

const chat: Create = (fetch) =>
  createOpenAICompatible({ name: 'recorded', baseURL: 'https://example.org', apiKey: 'key', fetch })('m')

const responses: Create = (fetch) => createOpenAI({ apiKey: 'key', fetch }).responses('gpt-5')

// Providers of the Chat Completions wire are played through the one package that reads it for all.
const PROVIDERS: ReadonlyMap<string, Create> = new Map([
  ['anthropic', (fetch) => createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5')],
  ['google', (fetch) => createGoogle({ apiKey: 'key', fetch })('gemini-3-pro')],
  ['openai', responses],
  ['open-responses', responses],
  ['openai-compatible', chat],
  ['alibaba', chat],
  ['deepseek', chat],
  ['groq', chat],
  ['mistral', chat],
  ['moonshotai', chat],
])

function replayFetch({ folder, responses }: Recording, { chunkBytes, cutAfter }: ReplayOptions): typeof fetch {
  let requests = 0
  let left = cutAfter ?? Number.POSITIVE_INFINITY
  return async () => {
    const all = responses[requests++]
    if (all === undefined || left <= 0) return new Response('{"error":{"message":"No more."}}', { status: 500 })
    const isCut = left < all.length
    const lines = all.slice(0, left)
    left -= all.length
    const done = folder === 'google' || isCut || all.at(-1) === '[DONE]' ? [] : ['[DONE]']
    return new Response(streamLines([...lines, ...done], chunkBytes), {
      headers: { 'content-type': 'text/event-stream' },
    })
  }
}

function streamLines(lines: readonly string[], chunkBytes: number | undefined): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const events = lines.map((line) => encoder.encode(`data: ${line}\n\n`))
  const chunks = events.flatMap((event) => (chunkBytes === undefined ? [event] : split(event, chunkBytes)))
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[next++]
      if (chunk === undefined) controller.close()
      else controller.enqueue(chunk)
    },
  })
}

function split(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.slice(index * size, (index + 1) * size),
  )
}
