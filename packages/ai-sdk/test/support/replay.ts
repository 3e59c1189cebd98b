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
  return PROVIDERS.get(recording.folder)?.(replayFetch(recording, options))
}

type Create = (fetch: typeof globalThis.fetch) => LanguageModelV4

/** Providers of the Chat Completions wire that are not installed are played through the package that reads it for all. */
const chat: Create = (fetch) =>
  createOpenAICompatible({ name: 'recorded', baseURL: 'https://example.org', apiKey: 'key', fetch })('m')

const responses: Create = (fetch) => createOpenAI({ apiKey: 'key', fetch }).responses('gpt-5')

const INSTALLED: readonly (readonly [folder: string, create: Create])[] = [
  ['anthropic', (fetch) => createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5')],
  ['google', (fetch) => createGoogle({ apiKey: 'key', fetch })('gemini-3-pro')],
  ['openai', responses],
  ['open-responses', responses],
  ['openai-compatible', chat],
]

/** Packages that the project does not depend on: used where they happen to be installed. */
const OPTIONAL: readonly (readonly [folder: string, factory: string, standIn?: Create])[] = [
  ['alibaba', 'createAlibaba', chat],
  ['cohere', 'createCohere'],
  ['deepseek', 'createDeepSeek', chat],
  ['groq', 'createGroq', chat],
  ['mistral', 'createMistral', chat],
  ['moonshotai', 'createMoonshotAI', chat],
]

/** Folders whose own package is not installed, and what is used in its place. */
export const missing: string[] = []

const PROVIDERS: ReadonlyMap<string, Create> = await findProviders()

async function findProviders(): Promise<Map<string, Create>> {
  const found = new Map<string, Create>(INSTALLED)
  for (const [folder, factory, standIn] of OPTIONAL) {
    const create = (await installed(folder, factory)) ?? standIn
    if (create !== undefined) found.set(folder, create)
  }
  return found
}

async function installed(folder: string, factory: string): Promise<Create | undefined> {
  try {
    const provider = await import(/* @vite-ignore */ `@ai-sdk/${folder}`)
    return (fetch) => provider[factory]({ apiKey: 'key', fetch })('m')
  } catch {
    missing.push(folder)
    return undefined
  }
}

function replayFetch({ folder, responses }: Recording, { chunkBytes, cutAfter }: ReplayOptions): typeof fetch {
  let requests = 0
  let left = cutAfter ?? Number.POSITIVE_INFINITY
  return async () => {
    const all = responses[requests++] ?? []
    if (all[0]?.startsWith('<')) return new Response(all.join('\n'), { headers: { 'content-type': 'text/html' } })
    const isCut = left < all.length
    const lines = all.slice(0, left)
    left -= lines.length
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
