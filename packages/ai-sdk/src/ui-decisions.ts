import type { Decision, PendingRequest } from '@turnloop/core'
import type { UIMessage } from 'ai'
import { isToolPart } from './core-parts.ts'
import { errorResult, resultOf } from './ui-tool-output.ts'
import type { ToolPart } from './ui-tool-part.ts'

/** What a person has decided in a UI message about what is waited for: approvals, and outputs given in a tool's place. */
export function decisionsIn(message: UIMessage | undefined, pending: readonly PendingRequest[]): Decision[] {
  const parts = message?.parts.filter(isToolPart) ?? []
  return pending.flatMap((request) => {
    const part = parts.findLast(({ toolCallId }) => toolCallId === (request.path?.[0] ?? request.callId))
    return part === undefined ? [] : decide(request, part)
  })
}

function decide({ id, ask, path }: PendingRequest, part: ToolPart): Decision[] {
  if (ask === 'answer' && path === undefined) {
    if (part.state === 'output-available') return [{ id, allow: true, result: resultOf(part.output) }]
    return part.state === 'output-error' ? [{ id, allow: true, result: errorResult(part.errorText) }] : []
  }
  if (part.state !== 'approval-responded' || part.approval.id !== id) return []
  const { approved: allow, reason: note } = part.approval
  return [{ id, allow, ...(note !== undefined && { note }) }]
}
