import type { AssistantMessage, Message } from './messages.ts'

/**
 * Whether messages have plainly nothing to heal, their ids apart. The common case, told in one pass that makes nothing.
 *
 * `false` says that a closer look is due, not that something is wrong.
 */
export function isPlainlySound(messages: readonly Message[]): boolean {
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index]
    if (message?.role === 'assistant' && !isPlainReply(message, messages[index + 1])) return false
    // Whether it answers just the calls of that reply was looked at there.
    if (message?.role === 'tool' && (message.results.length === 0 || messages[index - 1]?.role !== 'assistant'))
      return false
  }
  return true
}

/** Nothing blank, nothing of the provider's own tools, no reasoning at the end, and each call answered by what comes next. */
function isPlainReply({ content }: AssistantMessage, next: Message | undefined): boolean {
  const answers = next?.role === 'tool' ? next.results : []
  let answered = 0
  let isWhole = false
  for (const part of content) {
    if (part.type === 'source') continue
    isWhole = part.type !== 'reasoning'
    if (part.type === 'text' && !/\S/.test(part.text)) return false
    if (part.type === 'provider-result' || part.type === 'provider-approval') return false
    if (part.type !== 'tool-call') continue
    if (part.providerExecuted || answers[answered]?.callId !== part.callId) return false
    answered += 1
  }
  return isWhole && answered === answers.length
}

/** Take note of the ids of messages and their calls; `false` if one was there before, among these or in `ids`. */
export function areDistinct(messages: readonly Message[], ids: Set<string>): boolean {
  let expected = ids.size
  for (const message of messages) {
    ids.add(message.id)
    expected += 1
    if (message.role !== 'assistant') continue
    for (const part of message.content) {
      if (part.type !== 'tool-call') continue
      ids.add(part.callId).add(part.wireId)
      expected += part.wireId === part.callId ? 1 : 2
    }
  }
  return ids.size === expected
}
