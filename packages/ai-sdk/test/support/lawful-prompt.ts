import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]

/**
 * A prompt in the one form that stands for all lawful ways to say the same.
 *
 * Two loops may differ in this, and both be right:
 * - ids that a provider package makes up anew for each run (Google's calls, OpenAI's approvals) are numbered;
 * - blank text and messages made of nothing but markers (`custom`) are left out: we never send them, since Anthropic
 *   refuses blank blocks, and the AI SDK leaves that to its provider package;
 * - a result of the provider whose call is not in the conversation is left out: we drop it, since OpenAI refuses it;
 * - arguments that are no object are an empty one: we send nothing else, since most providers refuse it, and the call's
 *   result is an error;
 * - what an error result says is our own wording.
 */
export function lawfulPrompt(prompt: LanguageModelV4Prompt): unknown {
  const ids = new Map<string, string>()
  const spoilt = new Set<string>()
  const messages = prompt.flatMap((message): object[] => {
    if (message.role === 'assistant') {
      const content = message.content.filter((part) => isSaid(part, ids)).map((part) => lawfulInput(part, spoilt))
      return content.every(({ type }) => type === 'custom') ? [] : [{ ...message, content }]
    }
    if (message.role !== 'tool') return [message]
    const content = message.content.map((part) => {
      if (part.type !== 'tool-result') return part
      const isError = part.output.type.startsWith('error') || spoilt.has(part.toolCallId)
      return isError ? { ...part, output: 'an error' } : part
    })
    return [{ ...message, content }]
  })
  // What is undefined counts as absent.
  return JSON.parse(
    JSON.stringify(messages, (_, value: unknown) => (typeof value === 'string' ? (ids.get(value) ?? value) : value)),
  )
}

/** Whether a part is sent by both. Notes the ids of calls on the way. */
function isSaid(part: AssistantPart, ids: Map<string, string>): boolean {
  if (part.type === 'text') return part.text.trim() !== '' || part.providerOptions !== undefined
  if (part.type === 'tool-call') ids.set(part.toolCallId, ids.get(part.toolCallId) ?? `call ${ids.size + 1}`)
  return part.type !== 'tool-result' || ids.has(part.toolCallId)
}

function lawfulInput(part: AssistantPart, spoilt: Set<string>): AssistantPart {
  if (part.type !== 'tool-call' || isObject(part.input)) return part
  spoilt.add(part.toolCallId)
  return { ...part, input: {} }
}

function isObject(input: unknown): boolean {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}
