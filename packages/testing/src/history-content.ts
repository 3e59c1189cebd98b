import type { AssistantMessage, AssistantPart, Message, UserPart } from '@turnloop/core'
import type { Finding } from './history-rules.ts'

/** The rules about what one message holds, and about how a history starts and ends. */
export function* checkContent(messages: readonly Message[], isRequest: boolean): Generator<Finding> {
  yield* checkFirst(messages[0])
  for (const [index, message] of messages.entries()) {
    yield* checkSubstance(message, index)
    if (message.role === 'user' && message.synthetic === 'note')
      yield { rule: 'note-sent', index, message: 'this note was for people only' }
    const isContinued = index === messages.length - 1 && isPaused(message)
    if (isRequest && !isContinued && message.role === 'assistant') yield* checkReasoning(message, index)
  }
  if (isRequest) yield* checkLast(messages)
}

function* checkFirst(message: Message | undefined): Generator<Finding> {
  if (message === undefined || message.role === 'user') return
  const text = `the conversation starts with a message of role ${message.role}`
  yield { rule: 'first-message', index: 0, message: text }
}

function* checkLast(messages: readonly Message[]): Generator<Finding> {
  const index = messages.length - 1
  const last = messages[index]
  if (last === undefined) yield { rule: 'last-message', index: 0, message: 'there is no message to answer' }
  if (last?.role !== 'assistant' || isPaused(last)) return
  yield { rule: 'last-message', index, message: 'the request ends with a reply, so there is nothing to answer' }
}

function* checkSubstance(message: Message, index: number): Generator<Finding> {
  const parts: readonly Part[] = message.role === 'tool' ? [] : message.content
  const isEmpty = message.role === 'tool' ? message.results.length === 0 : !parts.some(isSent)
  const blanks = parts.filter(isBlank)
  if (blanks.some((part) => part.text === '')) {
    yield { rule: 'blank-text', index, message: `this ${message.role} message has an empty text part` }
  } else if (isEmpty && blanks.length > 0) {
    yield { rule: 'blank-text', index, message: `this ${message.role} message holds nothing but white space` }
  } else if (isEmpty) {
    yield { rule: 'empty-message', index, message: `this ${message.role} message has nothing to send` }
  }
}

function* checkReasoning(message: AssistantMessage, index: number): Generator<Finding> {
  const last = message.content.filter(isSent).at(-1)
  if (last?.type !== 'reasoning') return
  yield { rule: 'trailing-reasoning', index, message: 'this reply ends with reasoning and nothing follows it' }
}

/** A provider that paused goes on from its own reply, sent back as it is. */
function isPaused(message: Message): boolean {
  return message.role === 'assistant' && message.stopReason === 'pause'
}

type Part = UserPart | AssistantPart

/** Metadata makes a blank part the provider's own, such as the empty text that carries Gemini's last signature. */
function isBlank(part: Part): part is Extract<Part, { type: 'text' }> {
  return part.type === 'text' && part.text.trim() === '' && part.providerMetadata === undefined
}

/** Whether an adapter has something of substance to send: not for sources, nor for reasoning that nobody signed. */
function isSent(part: Part): boolean {
  if (part.type === 'reasoning') return part.providerMetadata !== undefined
  return part.type !== 'source' && part.type !== 'provider-approval' && !isBlank(part)
}
