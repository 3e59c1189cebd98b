import type {
  AssistantMessage,
  AssistantPart,
  CallToolResult,
  Message,
  ModelRequest,
  ToolCallPart,
  ToolMessage,
  ToolResult,
  UserMessage,
  UserPart,
} from '@turnloop/core'

/** A user message of one text, or of the parts given. */
export function user(content: string | readonly UserPart[]): UserMessage {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  return { id: crypto.randomUUID(), role: 'user', createdAt: 0, content: parts }
}

/** A reply of the parts given; a string stands for a text part. */
export function reply(
  content: readonly (string | AssistantPart)[],
  more: Partial<AssistantMessage> = {},
): AssistantMessage {
  const parts = content.map((part) => (typeof part === 'string' ? { type: 'text' as const, text: part } : part))
  const stopReason = parts.some((part) => part.type === 'tool-call') ? 'toolUse' : 'endTurn'
  return { id: crypto.randomUUID(), role: 'assistant', createdAt: 0, content: parts, stopReason, ...more }
}

/** A call named `NAME` with the call id `call-NAME` and the wire id `wire-NAME`. */
export function call(toolName: string, inputText = '{}', more: Partial<ToolCallPart> = {}): ToolCallPart {
  return { type: 'tool-call', callId: `call-${toolName}`, wireId: `wire-${toolName}`, toolName, inputText, ...more }
}

/** The answer to `call(NAME)`. */
export function answer(
  toolName: string,
  result: string | CallToolResult,
  status: ToolResult['status'] = 'ok',
): ToolResult {
  const full = typeof result === 'string' ? { content: [{ type: 'text' as const, text: result }] } : result
  return { callId: `call-${toolName}`, toolName, result: full, status }
}

/** A tool message of the answers given. */
export function answers(...results: readonly ToolResult[]): ToolMessage {
  return { id: crypto.randomUUID(), role: 'tool', createdAt: 0, results }
}

/** A request with these messages and no tools. */
export function request(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages, tools: [], ...more }
}
