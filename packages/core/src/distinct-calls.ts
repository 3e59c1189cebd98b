import type { AssistantPart, Message } from './messages.ts'

type Ids = { readonly callId: string; readonly wireId: string }

/**
 * Give calls that repeat an id one of their own, and their results with them.
 *
 * Some servers give every call the same id. A result belongs to the call that was open when it came, not to the first one
 * that had its id. `onRename` hears of each renamed call by its new id. Pure; without repeated ids, the very array.
 */
export function distinctCalls(
  messages: readonly Message[],
  onRename: (messageId: string, callId: string) => void,
): readonly Message[] {
  if (!hasRepeatedIds(messages)) return messages
  const taken = new Set<string>()
  const seen = new Set<string>()
  /** By the id that results give: the calls of the newest reply with such calls, from the oldest that is open. */
  const named = new Map<string, Ids[]>()
  const answered = <T extends { readonly callId: string }>(result: T): T => {
    const calls = named.get(result.callId) ?? []
    // The last one stays: what answers it once more is a duplicate, and found as one later.
    const call = calls.length > 1 ? calls.shift() : calls[0]
    if (call === undefined || call.callId === result.callId) return result
    return 'wireId' in result ? { ...result, ...call } : { ...result, callId: call.callId }
  }
  const asked = (
    reply: Message,
    part: Extract<AssistantPart, { type: 'tool-call' }>,
    own: Set<string>,
  ): AssistantPart => {
    const { callId, wireId } = part
    const ids = { callId: free(callId, taken), wireId: free(wireId, taken) }
    taken.add(ids.callId).add(ids.wireId)
    named.set(callId, own.has(callId) ? [...(named.get(callId) ?? []), ids] : [ids])
    own.add(callId)
    if (ids.callId === callId && ids.wireId === wireId) return part
    onRename(reply.id, ids.callId)
    return { ...part, ...ids }
  }
  return messages.map((message) => {
    if (message.role === 'user') return message
    if (message.role === 'tool') return { ...message, results: message.results.map(answered) }
    // A reply that is there twice is the same one, not another with the same calls.
    if (seen.has(message.id)) return message
    seen.add(message.id)
    const own = new Set<string>()
    const content = message.content.map((part) => {
      if (part.type === 'tool-call') return asked(message, part, own)
      return part.type === 'provider-result' ? answered(part) : part
    })
    return { ...message, content }
  })
}

function hasRepeatedIds(messages: readonly Message[]): boolean {
  const seen = new Set<string>()
  const calls = new Set<string>()
  for (const message of messages) {
    if (message.role !== 'assistant' || seen.has(message.id)) continue
    seen.add(message.id)
    for (const part of message.content) {
      if (part.type !== 'tool-call') continue
      if (calls.has(part.callId) || calls.has(part.wireId)) return true
      calls.add(part.callId).add(part.wireId)
    }
  }
  return false
}

function free(id: string, taken: ReadonlySet<string>): string {
  let name = id
  for (let count = 2; taken.has(name); count += 1) name = `${id}_${count}`
  return name
}
