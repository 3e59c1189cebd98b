import type { AssistantMessage, Message } from '@turnloop/core'
import type { Finding, HistoryRule } from './history-rules.ts'

/** The rules about ids: of messages, of calls, and on the wire. */
export function* checkIds(messages: readonly Message[]): Generator<Finding> {
  const seen: Seen = { messages: new Set(), calls: new Set(), wire: new Set() }
  for (const [index, message] of messages.entries()) {
    if (isRepeated(seen.messages, message.id)) {
      yield { rule: 'duplicate-message-id', index, message: `the message id "${message.id}" was used before` }
    }
    if (message.role !== 'assistant') continue
    for (const [rule, text] of checkCallIds(message, seen)) yield { rule, index, message: text }
  }
}

interface Seen {
  readonly messages: Set<string>
  readonly calls: Set<string>
  readonly wire: Set<string>
}

function* checkCallIds(message: AssistantMessage, seen: Seen): Generator<[HistoryRule, string]> {
  for (const part of message.content) {
    if (part.type !== 'tool-call') continue
    const { callId, wireId, toolName } = part
    if (isRepeated(seen.calls, callId))
      yield ['duplicate-call-id', `${toolName}: the call id "${callId}" was used before`]
    if (wireId.trim() === '') yield ['empty-wire-id', `${toolName} (${callId}): its wire id is empty`]
    else if (isRepeated(seen.wire, wireId)) {
      yield ['duplicate-wire-id', `${toolName} (${callId}): the wire id "${wireId}" was used before`]
    }
  }
}

function isRepeated(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return true
  seen.add(id)
  return false
}
