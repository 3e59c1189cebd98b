import type { AssistantMessage, AssistantPart, Message, ToolCallPart, ToolMessage, UserMessage } from '@turnloop/core'

/** Short forms of messages for the tests of `checkHistory`. The ids are made unique by the caller. */
export function user(id: string, text = 'hello'): UserMessage {
  return { id, role: 'user', createdAt: 0, content: [{ type: 'text', text }] }
}

export function reply(id: string, content: AssistantPart[], more: Partial<AssistantMessage> = {}): AssistantMessage {
  const stopReason = content.some((part) => part.type === 'tool-call') ? 'toolUse' : 'endTurn'
  return { id, role: 'assistant', createdAt: 0, content, stopReason, ...more }
}

export function text(value: string): AssistantPart {
  return { type: 'text', text: value }
}

export function call(callId: string, more: Partial<ToolCallPart> = {}): ToolCallPart {
  return { type: 'tool-call', callId, wireId: `wire-${callId}`, toolName: 'sum', inputText: '{}', ...more }
}

export function results(id: string, callIds: string[], toolName = 'sum'): ToolMessage {
  const answer = { content: [{ type: 'text', text: '6' }] } as const
  return {
    id,
    role: 'tool',
    createdAt: 0,
    results: callIds.map((callId) => ({ callId, toolName, result: answer, status: 'ok' })),
  }
}

/** A whole exchange with two calls in one reply. */
export const healthy: readonly Message[] = [
  user('u1'),
  reply('a1', [text('Two sums.'), call('c1'), call('c2')]),
  results('t1', ['c1', 'c2']),
  reply('a2', [text('Both are 6.')]),
  user('u2'),
]
