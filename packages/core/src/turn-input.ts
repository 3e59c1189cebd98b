import { describeThrown, TurnloopError } from './errors.ts'
import { isJsonObject } from './json.ts'
import { isNote, type Message, type UserMessage, type UserPart } from './messages.ts'
import { toPlainJson } from './plain-json.ts'

/** What a turn can be given: text, parts, one message, or a whole transcript that ends with what is asked. */
export type TurnInput = string | UserMessage | readonly UserPart[] | readonly Message[]

/**
 * Split an input into what came before and what is asked now.
 *
 * Throws `bad-input` naming what is wrong for an empty input, a part of an unknown kind, something that is no message, or a
 * transcript that does not end with a user message.
 */
export function readInput(
  input: TurnInput,
  stamp: { id: string; createdAt: number },
): { history: readonly Message[]; messages: readonly UserMessage[] } {
  if (isJsonObject(input) && input.role === 'user') {
    return { history: [], messages: [askedMessage(input, 'The message')] }
  }
  if (typeof input !== 'string' && isTranscript(input)) return splitTranscript(input)
  // Neither a message nor a transcript: text, parts, or what `userMessage` refuses.
  return { history: [], messages: [userMessage(input as string | readonly UserPart[], stamp)] }
}

/** A user message from text or parts. Throws `bad-input` as `readInput` does. */
export function userMessage(
  input: string | readonly UserPart[],
  stamp: { id: string; createdAt: number },
): UserMessage {
  const content: readonly UserPart[] = typeof input === 'string' ? [{ type: 'text', text: input }] : input
  checkParts(content)
  const { id, createdAt } = stamp
  return { id, createdAt, role: 'user', content: plainCopy(content) }
}

/** The message that is asked now, checked. A copy: what is logged is frozen, and the caller's own object is not ours. */
function askedMessage(message: unknown, where: string): UserMessage {
  if (!isMessage(message)) throw noMessage(where)
  if (message.role !== 'user') throw badInput(`${where} must be a user message: what is asked now.`)
  checkParts(message.content)
  return plainCopy(message)
}

/** A copy as plain data. Throws `bad-input` naming what is none. */
function plainCopy<T extends UserMessage | readonly UserPart[]>(value: T): T {
  try {
    // Plain data comes out as it went in.
    return toPlainJson(value, 'input') as unknown as T
  } catch (cause) {
    throw new TurnloopError('bad-input', describeThrown(cause), { cause })
  }
}

function isTranscript(input: readonly UserPart[] | readonly Message[] | UserMessage): input is readonly Message[] {
  return Array.isArray(input) && input.length > 0 && isJsonObject(input[0]) && 'role' in input[0]
}

function splitTranscript(input: readonly Message[]): { history: readonly Message[]; messages: readonly UserMessage[] } {
  const history = input.slice(0, -1)
  const broken = history.findIndex((message) => !isMessage(message))
  if (broken >= 0) throw noMessage(`Message ${broken} of the transcript`)
  return {
    history: history.filter((message) => !isNote(message)),
    messages: [askedMessage(input.at(-1), 'The last message of a transcript')],
  }
}

/** Whether something looks like a message of ours. */
export function isMessage(message: unknown): message is Message {
  return (
    isJsonObject(message) &&
    typeof message.id === 'string' &&
    message.id !== '' &&
    isListOfObjects(message.role === 'tool' ? message.results : message.content) &&
    (message.role === 'tool' || message.role === 'user' || message.role === 'assistant')
  )
}

function noMessage(where: string): TurnloopError {
  return badInput(`${where} is no message: expected { id, role: 'user' | 'assistant', content } or a tool message.`)
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isJsonObject)
}

function badInput(message: string): TurnloopError {
  return new TurnloopError('bad-input', message)
}

function checkParts(parts: unknown): asserts parts is readonly UserPart[] {
  if (!Array.isArray(parts)) throw badInput('Expected text, a list of parts or a user message.')
  for (const [index, part] of parts.entries()) {
    const isText = isJsonObject(part) && part.type === 'text' && typeof part.text === 'string'
    const isFile =
      isJsonObject(part) && part.type === 'file' && typeof part.mediaType === 'string' && isFileData(part.data)
    if (!isText && !isFile) {
      throw badInput(
        `Part ${index} of the input is neither { type: 'text', text } nor { type: 'file', mediaType, data: { base64 | url } }.`,
      )
    }
  }
  if (parts.every((part) => part.type === 'text' && part.text.trim() === '')) {
    throw badInput('The input is empty: there is nothing to ask.')
  }
}

function isFileData(data: unknown): boolean {
  return isJsonObject(data) && [data.base64, data.url, data.blob].some((text) => typeof text === 'string')
}
