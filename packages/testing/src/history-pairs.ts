import { type AssistantMessage, clientCalls, type Message, type ToolCallPart, type ToolMessage } from '@turnloop/core'
import type { Finding } from './history-rules.ts'

/** The rules that bind calls and results together. */
export function* checkPairs(messages: readonly Message[]): Generator<Finding> {
  const book = keepBook(messages)
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') {
      yield* checkCalls(message, index, book)
      yield* checkProviderResults(message, index, book)
    }
    if (message.role === 'tool') {
      yield* checkResults(message, index, book)
      yield* checkOrder(message, messages[index - 1], index)
    }
  }
}

/** Where each call was made and answered: indexes of messages by call id. */
interface Book {
  readonly calls: ReadonlyMap<string, { readonly part: ToolCallPart; readonly index: number }>
  readonly answers: ReadonlyMap<string, readonly number[]>
  readonly providerResults: Set<string>
}

function keepBook(messages: readonly Message[]): Book {
  const calls = new Map<string, { part: ToolCallPart; index: number }>()
  const answers = new Map<string, number[]>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') {
      for (const part of message.content) {
        if (part.type === 'tool-call' && !calls.has(part.callId)) calls.set(part.callId, { part, index })
      }
    }
    if (message.role === 'tool') {
      for (const { callId } of message.results) answers.set(callId, [...(answers.get(callId) ?? []), index])
    }
  }
  return { calls, answers, providerResults: new Set() }
}

function* checkCalls(message: AssistantMessage, index: number, book: Book): Generator<Finding> {
  for (const { callId, toolName } of clientCalls(message)) {
    const after = (book.answers.get(callId) ?? []).filter((answer) => answer > index)
    const [first, ...more] = after
    if (first === undefined) {
      const rule = message.partial ? 'partial-call' : 'unanswered-call'
      yield { rule, index, message: `${toolName} (${callId}) has no result` }
    } else if (first !== index + 1) {
      const text = `this stands between ${toolName} (${callId}) and its result in message ${first}`
      yield { rule: 'interrupted-pair', index: index + 1, message: text }
    }
    for (const again of more) {
      yield { rule: 'duplicate-result', index: again, message: `${toolName} (${callId}) was answered before` }
    }
  }
}

function* checkResults(message: ToolMessage, index: number, book: Book): Generator<Finding> {
  for (const { callId, toolName } of message.results) {
    const call = book.calls.get(callId)
    if (call === undefined || call.index > index || call.part.providerExecuted) {
      yield { rule: 'orphan-result', index, message: `the result of ${toolName} (${callId}) answers no earlier call` }
    } else if (call.part.toolName !== toolName) {
      const text = `the result of ${call.part.toolName} (${callId}) says that it is of ${toolName}`
      yield { rule: 'result-tool-name', index, message: text }
    }
  }
}

function* checkOrder(message: ToolMessage, before: Message | undefined, index: number): Generator<Finding> {
  if (before?.role !== 'assistant') return
  const places = new Map(clientCalls(before).map(({ callId }, place) => [callId, place]))
  const answered = message.results.map(({ callId }) => places.get(callId)).filter((place) => place !== undefined)
  const isOrdered = answered.every((place, at) => at === 0 || place >= (answered[at - 1] ?? 0))
  if (!isOrdered) yield { rule: 'result-order', index, message: 'the results are not in the order of their calls' }
}

function* checkProviderResults(message: AssistantMessage, index: number, book: Book): Generator<Finding> {
  for (const [place, part] of message.content.entries()) {
    if (part.type !== 'provider-result') continue
    const { callId, toolName } = part
    const call = book.calls.get(callId)
    const isLater = call !== undefined && call.index === index && message.content.indexOf(call.part) > place
    if (call === undefined || !call.part.providerExecuted || call.index > index || isLater) {
      const text = `the provider's result of ${toolName} (${callId}) answers no earlier call of its own`
      yield { rule: 'orphan-provider-result', index, message: text }
    } else if (book.providerResults.has(callId)) {
      yield { rule: 'duplicate-result', index, message: `${toolName} (${callId}) was answered before by the provider` }
    }
    book.providerResults.add(callId)
  }
}
