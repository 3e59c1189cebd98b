import type { AssistantMessage, Message, ToolMessage, UserMessage } from '@turnloop/core'
import type { UIMessage } from 'ai'
import { isToolPart, toReplyContent, toResults, toUserContent } from './core-parts.ts'
import { isSameData } from './same-data.ts'
import { isWhole, type MessageRecord, recordsOf } from './ui-metadata.ts'
import type { UIPart } from './ui-parts.ts'
import { shownParts, splitSteps } from './ui-steps.ts'

/**
 * UI messages of the AI SDK as a transcript: what `useChat` has kept, ready for `agent.turn`.
 *
 * A message that `toUIMessages` or an `AgentTransport` made comes back exactly as it was, also after a trip through JSON; one
 * whose parts were edited follows its parts. Of any other, each step becomes a reply and the results of its calls, with ids
 * made from the message's; `createdAt` is `metadata.createdAt` where that is a number, else now. What core has no place for
 * is left out: system messages (instructions are the agent's), data parts, calls whose arguments never came whole.
 */
export function fromUIMessages(messages: readonly UIMessage[]): Message[] {
  return messages.flatMap(fromUIMessage)
}

function fromUIMessage(message: UIMessage): Message[] {
  const records = recordsOf(message)
  const restored = records && restore(message, records)
  if (restored !== undefined) return restored
  if (message.role === 'system') return []
  const createdAt = createdAtOf(message)
  if (message.role === 'assistant') return repliesOf(message, createdAt)
  const content = toUserContent(message.parts)
  return content.length === 0 ? [] : [{ id: message.id, role: 'user', createdAt, content }]
}

/** The messages that records stand for, joined with what the parts say now; `undefined` where the two do not fit. */
function restore(message: UIMessage, records: readonly MessageRecord[]): Message[] | undefined {
  const steps = splitSteps(message.parts)
  const replies = records.filter(({ role }) => role === 'assistant').length
  if (message.role === 'assistant' && replies !== steps.length) return undefined
  let at = -1
  const restored = records.map((record): Message => {
    if (record.role === 'assistant') at += 1
    return isWhole(record) ? record : fill(record, steps[Math.max(at, 0)] ?? [])
  })
  // What was written down whole counts only as long as nobody has changed what it is shown as.
  if (records.some(isWhole) && !isSameData(essenceOf(shownParts(restored)), essenceOf(message.parts))) return undefined
  return restored
}

type Blank = Exclude<MessageRecord, Message>

function fill(record: Blank, step: readonly UIPart[]): Message {
  // Told apart by their role, which the records keep; TypeScript does not narrow what a union leaves out.
  if (record.role === 'user') return { ...(record as Omit<UserMessage, 'content'>), content: toUserContent(step) }
  if (record.role === 'tool') return { ...(record as Omit<ToolMessage, 'results'>), results: toResults(step) }
  return { ...(record as Omit<AssistantMessage, 'content'>), content: toReplyContent(step) }
}

/** What parts say, without how they are shown. */
function essenceOf(parts: readonly UIPart[]): unknown {
  return splitSteps(parts).map((step) => [toReplyContent(step), toResults(step)])
}

/** A message of which only the parts are known. */
function repliesOf({ id, parts }: UIMessage, createdAt: number): Message[] {
  return splitSteps(parts).flatMap((step, index): Message[] => {
    const content = toReplyContent(step)
    const results = toResults(step)
    if (content.length === 0) return []
    const calls = step.some((part) => isToolPart(part) && !part.providerExecuted && part.state !== 'input-streaming')
    const isCut = step.some((part) => (part.type === 'text' || part.type === 'reasoning') && part.state === 'streaming')
    const reply: AssistantMessage = {
      id: index === 0 ? id : `${id}.${index}`,
      role: 'assistant',
      createdAt,
      content,
      stopReason: calls ? 'toolUse' : isCut ? 'cancelled' : 'endTurn',
      ...(isCut && { partial: true }),
    }
    if (results.length === 0) return [reply]
    return [reply, { id: `${id}.${index}.results`, role: 'tool', createdAt, results }]
  })
}

function createdAtOf({ metadata }: UIMessage): number {
  if (typeof metadata !== 'object' || metadata === null || !('createdAt' in metadata)) return Date.now()
  return typeof metadata.createdAt === 'number' ? metadata.createdAt : Date.now()
}
