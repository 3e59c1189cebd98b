import type { LanguageModelV4FunctionTool, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { CacheMarks } from '@turnloop/core'
import { joinOptions } from './provider-options.ts'
import type { PromptMessage } from './spec-versions.ts'

/**
 * How many messages are marked. The last one is where this request may be kept; the one before is where the last request
 * was, which is found again although more than a provider looks back over has come since. With the instructions and the
 * tools that makes four, the most that Anthropic allows.
 */
const MARKED_MESSAGES = 2

/** The prompt with marks on its instructions and on its last user and tool messages: on copies, the others as they are. */
export function markPrompt(prompt: readonly PromptMessage[], marks: CacheMarks): PromptMessage[] {
  const asking = prompt.filter(({ role }) => role === 'user' || role === 'tool').slice(-MARKED_MESSAGES)
  const isMarked = (message: PromptMessage): boolean =>
    message.role === 'system'
      ? marks.on.includes('instructions')
      : marks.on.includes('messages') && asking.includes(message)
  return prompt.map((message) => (isMarked(message) ? withMarks(message, marks) : message))
}

/** The tools as given, with marks on the last: what stands before it is kept with it. */
export function markTools(
  tools: readonly LanguageModelV4FunctionTool[],
  marks: CacheMarks,
): LanguageModelV4FunctionTool[] {
  const last = tools.at(-1)
  if (last === undefined || !marks.on.includes('tools')) return [...tools]
  return [...tools.slice(0, -1), withMarks(last, marks)]
}

/** A copy: a message's conversion is kept for later requests, which have their marks elsewhere. */
function withMarks<Item extends { providerOptions?: SharedV4ProviderOptions }>(item: Item, marks: CacheMarks): Item {
  return { ...item, providerOptions: joinOptions(item.providerOptions, marks.providerOptions) }
}
