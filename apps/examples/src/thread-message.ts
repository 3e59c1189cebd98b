import type { ThreadMessageLike } from '@assistant-ui/react'
import type { TurnloopUIMessage } from '@turnloop/ai-sdk/ui'
import { getToolName, isReasoningUIPart, isTextUIPart, isToolUIPart } from 'ai'

/** A UI message as assistant-ui takes it: text, reasoning, and tool calls with their results. */
export function toThreadMessage({ id, role, parts }: TurnloopUIMessage): ThreadMessageLike {
  return { id, role, content: parts.flatMap((part) => toThreadPart(part)) }
}

type ThreadPart = Exclude<ThreadMessageLike['content'], string>[number]

function toThreadPart(part: TurnloopUIMessage['parts'][number]): ThreadPart[] {
  if (isTextUIPart(part)) return [{ type: 'text', text: part.text }]
  if (isReasoningUIPart(part)) return [{ type: 'reasoning', text: part.text }]
  if (!isToolUIPart(part)) return []
  const result = part.state === 'output-available' ? part.output : part.errorText
  return [
    {
      type: 'tool-call',
      toolCallId: part.toolCallId,
      toolName: getToolName(part),
      argsText: JSON.stringify(part.input ?? {}),
      isError: part.state === 'output-error',
      ...(result !== undefined && { result }),
      ...(part.state === 'approval-requested' && { approval: { id: part.approval.id } }),
    },
  ]
}
