import type { AssistantMessage, Message } from './messages.ts'
import { randomId } from './random-id.ts'
import type { CallIds } from './reply-builder.ts'

/** Call ids of our own; the provider's id goes over the wire where it is usable and not taken. */
export function createCallIds(lists: () => readonly (readonly Message[])[]): CallIds {
  let known: Map<string, string> | undefined
  const wires = (): Map<string, string> => {
    if (known !== undefined) return known
    known = new Map()
    for (const list of lists()) for (const message of list) if (message.role === 'assistant') note(message, known)
    return known
  }
  const note = ({ content }: AssistantMessage, ids: Map<string, string>): void => {
    for (const part of content) if (part.type === 'tool-call') ids.set(part.wireId, part.callId)
  }
  return {
    mint(providerId) {
      const callId = `call_${randomId()}`
      const isUsable = typeof providerId === 'string' && providerId.trim() !== '' && !wires().has(providerId)
      const wireId = isUsable ? providerId : callId
      wires().set(wireId, callId)
      return { callId, wireId }
    },
    find(wireId) {
      const callId = wires().get(wireId)
      return callId === undefined ? undefined : { callId, wireId }
    },
  }
}
