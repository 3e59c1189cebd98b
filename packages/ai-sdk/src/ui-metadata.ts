import type { AssistantMessage, Message, Outcome, ToolMessage, Usage, UserMessage } from '@turnloop/core'
import type { UIMessage } from 'ai'

/** A UI message that was made from messages of ours. */
export type TurnloopUIMessage = UIMessage<TurnloopMetadata>

/** What the parts of a UI message do not say. Plain data, for showing and for the way back. */
export interface TurnloopMetadata {
  /** Epoch ms, of the first message in it. */
  readonly createdAt?: number
  /** Of the last reply. */
  readonly modelId?: string
  /** Of all replies together. */
  readonly usage?: Usage
  /** How the turn ended or paused, where that is known: from a snapshot, or from the stream of a transport. */
  readonly outcome?: Outcome
  /** The messages it was made from, in order, as far as the parts do not tell. */
  readonly turnloop?: readonly MessageRecord[]
}

/** A message without what stands in the parts; the whole of it where the parts cannot say it exactly. */
export type MessageRecord =
  | Message
  | Omit<UserMessage, 'content'>
  | Omit<AssistantMessage, 'content'>
  | Omit<ToolMessage, 'results'>

/** The records of a UI message, if it has any. Anything may stand in the metadata of one that came from elsewhere. */
export function recordsOf({ metadata }: UIMessage): readonly MessageRecord[] | undefined {
  if (typeof metadata !== 'object' || metadata === null || !('turnloop' in metadata)) return undefined
  const records: unknown = metadata.turnloop
  return Array.isArray(records) && records.length > 0 && records.every(isRecord) ? records : undefined
}

/** Whether a record is a message with all that belongs to it. */
export function isWhole(record: MessageRecord): record is Message {
  return 'content' in record || 'results' in record
}

function isRecord(value: unknown): value is MessageRecord {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('role' in value)) return false
  return typeof value.id === 'string' && (value.role === 'user' || value.role === 'assistant' || value.role === 'tool')
}

/** The id of the UI message that answers a user message: known when its turn begins, and the same after a reload. */
export function replyIdOf(userMessageId: string): string {
  return `${userMessageId}:reply`
}
