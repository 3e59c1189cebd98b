import { TurnloopError } from './errors.ts'
import { isJsonObject } from './json.ts'
import type { Message, UserMessage, UserPart } from './messages.ts'

/** What a turn can be given: text, parts, one message, or a whole transcript that ends with what is asked. */
export type TurnInput = string | UserMessage | readonly UserPart[] | readonly Message[]

/**
 * Split an input into what came before and what is asked now.
 *
 * Throws `bad-input` naming what is wrong for an empty input, a part of an unknown kind, or a transcript that does not
 * end with a user message.
 */
export function readInput(
  input: TurnInput,
  stamp: { id: string; createdAt: number },
): { history: readonly Message[]; messages: readonly UserMessage[] } {
  if (isJsonObject(input) && input.role === 'user') {
    checkParts(input.content)
    return { history: [], messages: [input as UserMessage] }
  }
  if (typeof input !== 'string' && isTranscript(input)) return splitTranscript(input)
  return { history: [], messages: [userMessage(input as string | readonly UserPart[], stamp)] }
}

/** A user message from text or parts. Throws `bad-input` as `readInput` does. */
export function userMessage(
  input: string | readonly UserPart[],
  stamp: { id: string; createdAt: number },
): UserMessage {
  const content: readonly UserPart[] = typeof input === 'string' ? [{ type: 'text', text: input }] : input
  checkParts(content)
  return { ...stamp, role: 'user', content }
}

function isTranscript(input: readonly UserPart[] | readonly Message[] | UserMessage): input is readonly Message[] {
  return Array.isArray(input) && input.length > 0 && isJsonObject(input[0]) && 'role' in input[0]
}

function splitTranscript(input: readonly Message[]): { history: readonly Message[]; messages: readonly UserMessage[] } {
  const last = input.at(-1)
  if (last?.role !== 'user') {
    throw new TurnloopError('bad-input', 'A transcript given as input must end with a user message: what is asked now.')
  }
  checkParts(last.content)
  return { history: input.slice(0, -1), messages: [last] }
}

function checkParts(parts: unknown): asserts parts is readonly UserPart[] {
  if (!Array.isArray(parts)) throw new TurnloopError('bad-input', 'Expected text, a list of parts or a user message.')
  for (const [index, part] of parts.entries()) {
    const isText = isJsonObject(part) && part.type === 'text' && typeof part.text === 'string'
    const isFile =
      isJsonObject(part) && part.type === 'file' && typeof part.mediaType === 'string' && isJsonObject(part.data)
    if (!isText && !isFile) {
      throw new TurnloopError(
        'bad-input',
        `Part ${index} of the input is neither { type: 'text', text } nor { type: 'file', mediaType, data }.`,
      )
    }
  }
  if (parts.every((part) => part.type === 'text' && part.text.trim() === '')) {
    throw new TurnloopError('bad-input', 'The input is empty: there is nothing to ask.')
  }
}
