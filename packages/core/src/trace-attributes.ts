import type { ToolSettled, TurnEnded, TurnStarted } from './entries.ts'
import type { TurnEvent } from './events.ts'
import type { AssistantMessage, AssistantPart, UserMessage } from './messages.ts'
import type { Outcome } from './outcome.ts'
import type { SpanAttributes, SpanError } from './trace-span.ts'
import type { Usage } from './usage.ts'

/** What a turn's beginning says about it. */
export function startAttributes({ agentName, modelId, retryOf }: TurnStarted): SpanAttributes {
  return {
    'gen_ai.agent.name': agentName,
    'gen_ai.request.model': modelId,
    ...(retryOf !== undefined && { 'turnloop.turn.retry_of': retryOf }),
  }
}

/** Which call it is, and of what tool. */
export function toolAttributes({ callId, toolName }: { callId: string; toolName: string }): SpanAttributes {
  return { 'gen_ai.tool.name': toolName, 'gen_ai.tool.call.id': callId }
}

/** What to say of an event that is shown inside a span; `undefined` for one that is not. */
export function noteAttributes(event: TurnEvent): SpanAttributes | undefined {
  switch (event.type) {
    case 'retry':
      return { 'turnloop.retry.reason': event.reason, 'turnloop.retry.delay_ms': event.delayMs }
    case 'warning':
      return { 'turnloop.message': event.message }
    case 'compaction-finished':
      return { 'turnloop.tokens_before': event.tokensBefore, 'turnloop.tokens_after': event.tokensAfter }
    case 'compaction-failed':
      return { 'error.type': event.error.code, 'turnloop.message': event.error.message }
    case 'approval-requested':
      return toolAttributes(event)
    case 'tool-settled':
      return { ...toolAttributes(event), 'turnloop.tool.status': event.status }
    default:
      return undefined
  }
}

/** What a turn's end says about it. */
export function endAttributes({ outcome, usage, iterations }: TurnEnded): SpanAttributes {
  return { ...usageAttributes(usage), 'turnloop.outcome': outcome.kind, 'turnloop.iterations': iterations }
}

/** Why a turn did not do what it was asked; a Stop, a refusal and a pause are no errors. */
export function outcomeError(outcome: Outcome): SpanError | undefined {
  switch (outcome.kind) {
    case 'failed':
      return { type: outcome.error.code, message: outcome.error.message }
    case 'timed-out':
      return { type: outcome.kind, message: `${outcome.limit}: ${outcome.ms}` }
    case 'no-progress':
      return { type: outcome.kind, message: outcome.reason }
    case 'max-iterations':
    case 'context-full':
    case 'interrupted':
      return { type: outcome.kind }
    default:
      return undefined
  }
}

/** What a reply says about the call that brought it. */
export function replyAttributes(reply: AssistantMessage): SpanAttributes {
  const firstTokenMs = reply.timing?.firstTokenMs
  return {
    'gen_ai.response.finish_reasons': [reply.rawStopReason ?? reply.stopReason],
    ...(reply.modelId !== undefined && { 'gen_ai.response.model': reply.modelId }),
    // In seconds, as the conventions want it.
    ...(firstTokenMs !== undefined && { 'gen_ai.response.time_to_first_chunk': firstTokenMs / 1000 }),
    ...usageAttributes(reply.usage ?? {}),
  }
}

/** Whether and why a tool call failed. Its text is what the tool said, and so content. */
export function settledError({ status }: ToolSettled): SpanError | undefined {
  return status === 'error' || status === 'unknown' ? { type: status } : undefined
}

/** A reply word for word, in the form of the conventions. */
export function outputMessages(reply: AssistantMessage): string {
  const finish_reason = reply.rawStopReason ?? reply.stopReason
  return JSON.stringify([{ role: 'assistant', parts: reply.content.map(toPart), finish_reason }])
}

/** What people said, word for word, in the form of the conventions. */
export function inputMessages(messages: readonly UserMessage[]): string {
  return JSON.stringify(messages.map(({ content }) => ({ role: 'user', parts: content.map(toPart) })))
}

function toPart(part: AssistantPart): object {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: part.text }
    case 'tool-call':
      return { type: 'tool_call', id: part.callId, name: part.toolName, arguments: part.inputText }
    default:
      // Files and what only the provider understands: that they were there, not their bytes.
      return { type: part.type }
  }
}

const TOKENS: readonly (readonly [field: keyof Usage, name: string])[] = [
  ['inputTokens', 'input_tokens'],
  ['outputTokens', 'output_tokens'],
  ['cachedInputTokens', 'cache_read.input_tokens'],
  ['cacheWriteTokens', 'cache_write.input_tokens'],
  ['reasoningTokens', 'reasoning.output_tokens'],
]

function usageAttributes(usage: Usage): SpanAttributes {
  const attributes: Record<string, number> = {}
  for (const [field, name] of TOKENS) {
    const count = usage[field]
    if (count !== undefined) attributes[`gen_ai.usage.${name}`] = count
  }
  return attributes
}
