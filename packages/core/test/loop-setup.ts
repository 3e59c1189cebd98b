import {
  type JsonObject,
  type Message,
  type ModelRequest,
  messageText,
  resultText,
  type Tool,
  type ToolMessage,
  type ToolResult,
  type TurnEvent,
  tool,
} from '@turnloop/core'
import { z } from 'zod'

/** Says back what it was told. */
export const echo: Tool = tool({
  name: 'echo',
  description: 'Says it back',
  input: z.object({ text: z.string() }),
  effect: 'read',
  execute: ({ text }) => text,
})

/** A tool without arguments that counts its runs. */
export function counter(name: string): { readonly tool: Tool; readonly runs: number } {
  let runs = 0
  return {
    tool: tool({
      name,
      description: 'Counts its runs',
      effect: 'read',
      execute: () => {
        runs += 1
        return `run ${runs}`
      },
    }),
    get runs() {
      return runs
    },
  }
}

/** A tool that records the arguments it ran with. */
export function recorder<Input extends z.ZodObject>(name: string, input: Input): { tool: Tool; inputs: unknown[] } {
  const inputs: unknown[] = []
  const execute = (value: unknown): string => {
    inputs.push(value)
    return 'recorded'
  }
  return { tool: tool({ name, description: 'Records its arguments', input, effect: 'read', execute }), inputs }
}

/** A tool that waits until it is told to stop, and then stops. */
export function obedientTool(name: string): { readonly tool: Tool; readonly started: Promise<void> } {
  let start = (): void => {}
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  const execute = (_input: unknown, { signal }: { signal: AbortSignal }): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      start()
    })
  return { tool: tool({ name, description: 'Waits for Stop', effect: 'read', execute }), started }
}

/** The results in the last message of a request or a transcript; none if that is no tool message. */
export function lastResults(from: { readonly messages: readonly Message[] } | undefined): readonly ToolResult[] {
  const last = from?.messages.at(-1)
  return last?.role === 'tool' ? last.results : []
}

/** The texts of `lastResults`. */
export function lastResultTexts(from: { readonly messages: readonly Message[] } | undefined): string[] {
  return lastResults(from).map(({ result }) => resultText(result))
}

/** All tool messages of a transcript. */
export function toolMessages(messages: readonly Message[]): ToolMessage[] {
  return messages.filter((message) => message.role === 'tool')
}

/** One word per message: what it is and says. */
export function outline(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    if (message.role === 'tool') return `tool: ${message.results.map(({ status }) => status).join(', ')}`
    return `${message.role}: ${messageText(message)}`
  })
}

/** The events of a turn in order, without the ones that stream. */
export function steps(events: readonly TurnEvent[]): string[] {
  return events.map(({ type }) => type).filter((type) => !STREAMING.has(type))
}

const STREAMING: ReadonlySet<string> = new Set([
  'model-started',
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'tool-progress',
])

/** Read an async iterable to its end. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** The names of the tools that a request offered. */
export function toolNames(request: ModelRequest | undefined): string[] {
  return (request?.tools ?? []).map(({ name }) => name)
}

/** A call for a script. */
export function say(text: string): { name: string; input: JsonObject } {
  return { name: 'echo', input: { text } }
}
