import {
  EMPTY_SNAPSHOT,
  type EntryDraft,
  type LiveEvent,
  type Message,
  reduce,
  type Snapshot,
  type TurnEvent,
} from '@turnloop/core'

/** An entry or live event without what the helpers below add. */
export type Draft = EntryDraft | (Pick<LiveEvent, 'type'> & Record<string, unknown>)

/** Reduce drafts one by one; entries are numbered, live events follow what came before. */
export function play(drafts: readonly Draft[], from: Snapshot = EMPTY_SNAPSHOT, first = 1): Snapshot {
  return events(drafts, first).reduce(reduce, from)
}

const LIVE = new Set(['iteration-started', 'model-started', 'tool-progress', 'retry', 'warning', 'custom'])

/** The drafts as events, numbered from `first`. */
export function events(drafts: readonly Draft[], first = 1): TurnEvent[] {
  let sequence = first - 1
  return drafts.map((draft) => {
    const isLive = LIVE.has(draft.type) || draft.type.endsWith('-delta')
    if (!isLive) sequence += 1
    const base = isLive ? { after: sequence } : { sequence }
    // The cases below write drafts of known kinds, and on purpose of unknown ones.
    return { ...base, at: sequence, turnId: 't', ...draft } as TurnEvent
  })
}

/** A turn starts. */
export const started: Extract<EntryDraft, { type: 'turn-started' }> = {
  type: 'turn-started',
  agentName: 'a',
  modelId: 'm',
  history: true,
}

/** A question. */
export function user(id: string): EntryDraft {
  return { type: 'message', message: { id, role: 'user', createdAt: 0, content: [{ type: 'text', text: id }] } }
}

/** A whole reply, with calls or without. */
export function reply(id: string, ...callIds: string[]): EntryDraft {
  const calls = callIds.map((callId) => ({
    type: 'tool-call',
    callId,
    wireId: callId,
    toolName: 'sum',
    inputText: '{}',
  }))
  const stopReason = calls.length > 0 ? 'toolUse' : 'endTurn'
  const content = [{ type: 'text', text: id }, ...calls]
  // Written out above in the form of an assistant message.
  return { type: 'message', message: { id, role: 'assistant', createdAt: 0, content, stopReason } } as EntryDraft
}

/** A call starts. */
export function toolStarted(callId: string): EntryDraft {
  return { type: 'tool-started', callId, toolName: 'sum', input: { n: 1 }, idempotencyKey: callId, attempt: 1 }
}

/** A call settles. */
export function settled(callId: string, text = 'done'): EntryDraft {
  const result = { content: [{ type: 'text' as const, text }] }
  return { type: 'tool-settled', callId, toolName: 'sum', status: 'ok', result, startedAt: 1, durationMs: 2 }
}

/** The message that answers calls. */
export function answers(id: string, ...callIds: string[]): EntryDraft {
  return { type: 'message', message: { id, role: 'tool', createdAt: 0, calls: callIds.map((callId) => ({ callId })) } }
}

/** It ends. */
export const ended: Extract<EntryDraft, { type: 'turn-ended' }> = {
  type: 'turn-ended',
  outcome: { kind: 'completed' },
  usage: { inputTokens: 3 },
  iterations: 0,
}

/** The model is asked. */
export function modelStarted(messageId: string): Draft {
  return { type: 'model-started', messageId, modelId: 'm' }
}

/** Text grows. */
export function text(messageId: string, delta: string, partIndex = 0): Draft {
  return { type: 'text-delta', messageId, partIndex, delta }
}

/** Arguments grow. */
export function callDelta(messageId: string, callId: string, delta: string, partIndex = 0): Draft {
  return { type: 'tool-input-delta', messageId, partIndex, callId, toolName: 'sum', delta }
}

/** The ids of messages. */
export function ids(messages: readonly Message[]): string {
  return messages.map(({ id }) => id).join(' ')
}
