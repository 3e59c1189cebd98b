import type { LanguageModelV4Message, LanguageModelV4ToolApprovalResponsePart } from '@ai-sdk/provider'
import {
  type AssistantMessage,
  type Message,
  type ToolMessage,
  type ToolResult,
  TurnloopError,
  type UserMessage,
} from '@turnloop/core'
import { toAssistantContent, withOptions } from './assistant-content.ts'
import { toFilePart } from './file-data.ts'
import { type PromptMessage, type SpecVersion, toVersion } from './spec-versions.ts'
import { toToolOutput } from './tool-output.ts'

/** What a prompt is written for. */
export interface PromptForm {
  readonly version: SpecVersion
  /** Whether files may stand in a tool's answer. */
  readonly takesFiles: boolean
}

/** Writes a conversation as the provider's prompt. */
export type PromptWriter = (instructions: string | undefined, messages: readonly Message[]) => PromptMessage[]

/** A conversation as it was last asked for, and its prompt without instructions. */
interface Written {
  readonly messages: Message[]
  readonly prompt: PromptMessage[]
}

/**
 * Create the writer of one model's prompts.
 *
 * A conversation that begins with the messages of its last request costs what is new in it; where it does not, a message
 * that takes work is converted once and kept as long as it lives. A message with nothing to say is left out. Throws
 * `bad-input` for a file with a broken address.
 */
export function createPromptWriter(form: PromptForm): PromptWriter {
  const converted = new WeakMap<Message, { after: Message | undefined; message: PromptMessage | undefined }>()
  /** By their first message, so that a conversation is let go of with it. */
  const conversations = new WeakMap<Message, Written>()

  const write = (message: Message, after: Message | undefined): PromptMessage | undefined => {
    const plain = convertPlain(message)
    if (plain !== undefined) return plain
    const known = converted.get(message)
    // Only a tool message depends on its neighbour: the calls it answers stand there.
    if (known !== undefined && (message.role !== 'tool' || known.after === after)) return known.message
    const inV4 = convert(message, after, form)
    const result = inV4 && toVersion(form.version, inV4)
    converted.set(message, { after: message.role === 'tool' ? after : undefined, message: result })
    return result
  }

  const extend = (written: Written, messages: readonly Message[]): PromptMessage[] => {
    const start = written.messages.length
    const added = messages.slice(start)
    // All of them before the first is kept: one that cannot be converted leaves things as they were.
    const prompt = added.map((message, index) => write(message, messages[start + index - 1]))
    for (const message of added) written.messages.push(message)
    for (const message of prompt) if (message !== undefined) written.prompt.push(message)
    return written.prompt
  }

  return (instructions, messages) => {
    const [first] = messages
    const known = first && conversations.get(first)
    const written = known !== undefined && isStart(known.messages, messages) ? known : { messages: [], prompt: [] }
    const prompt = extend(written, messages)
    if (first !== undefined) conversations.set(first, written)
    // A copy: a provider may do as it likes with it.
    return instructions ? [{ role: 'system', content: instructions }, ...prompt] : [...prompt]
  }
}

function isStart(start: readonly Message[], messages: readonly Message[]): boolean {
  return start.length <= messages.length && start.every((message, index) => message === messages[index])
}

/** A message that is one plain text, which is the same in every version; `undefined` for any other. */
function convertPlain(message: Message): PromptMessage | undefined {
  if (message.role === 'tool' || message.content.length !== 1) return undefined
  const [part] = message.content
  if (part?.type !== 'text' || part.providerMetadata !== undefined || !/\S/.test(part.text)) return undefined
  return { role: message.role, content: [{ type: 'text', text: part.text }] }
}

function convert(message: Message, after: Message | undefined, form: PromptForm): LanguageModelV4Message | undefined {
  switch (message.role) {
    case 'user':
      return convertUser(message)
    case 'assistant': {
      const content = toAssistantContent(message)
      return content.length === 0 ? undefined : { role: 'assistant', content }
    }
    case 'tool':
      return convertTool(message, after, form)
  }
}

function convertUser(message: UserMessage): LanguageModelV4Message | undefined {
  const parts = message.content.filter((part) => part.type !== 'text' || part.text !== '')
  const content = parts.map((part) =>
    part.type === 'text'
      ? withOptions({ type: 'text' as const, text: part.text }, part)
      : withOptions(toFilePart(part), part),
  )
  return content.length === 0 ? undefined : { role: 'user', content }
}

function convertTool(message: ToolMessage, after: Message | undefined, form: PromptForm): LanguageModelV4Message {
  const asked = after?.role === 'assistant' ? after.content : []
  const content = message.results.map((answer) => {
    const call = asked.find((part) => part.type === 'tool-call' && part.callId === answer.callId)
    if (call?.type !== 'tool-call') throw orphan(answer)
    const approval = call.providerExecuted && approvalOf(answer, asked)
    if (approval) return approval
    const { toolName, wireId } = call
    const output = toToolOutput(answer, form.takesFiles)
    // Some providers keep what belongs to the call's answer in the call's metadata.
    return withOptions({ type: 'tool-result' as const, toolCallId: wireId, toolName, output }, call)
  })
  return { role: 'tool', content }
}

/** The answer to a provider that asked whether it may run its own call. */
function approvalOf(
  answer: ToolResult,
  asked: AssistantMessage['content'],
): LanguageModelV4ToolApprovalResponsePart | undefined {
  const request = asked.find((part) => part.type === 'provider-approval' && part.callId === answer.callId)
  if (request?.type !== 'provider-approval') return undefined
  return { type: 'tool-approval-response', approvalId: request.id, approved: answer.status === 'ok' }
}

function orphan(answer: ToolResult): TurnloopError {
  return new TurnloopError(
    'internal',
    `The result of ${answer.toolName} (${answer.callId}) does not follow the message that made the call.`,
  )
}
