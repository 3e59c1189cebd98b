import type { DynamicToolUIPart, ToolUIPart } from 'ai'
import { getToolName } from 'ai'

/** Props of `ToolCall`. */
export interface ToolCallProps {
  part: ToolUIPart | DynamicToolUIPart
  onApprove(requestId: string): void
  onDeny(requestId: string): void
}

/** A tool call with what has become of it, and two buttons where a person has to decide. */
export function ToolCall({ part, onApprove, onDeny }: ToolCallProps) {
  const asked = part.state === 'approval-requested' ? part.approval.id : undefined
  return (
    <details open={asked !== undefined} data-state={part.state}>
      <summary>{getToolName(part)}</summary>
      <pre>{JSON.stringify(part.input, undefined, 2)}</pre>
      {part.state === 'output-available' && <pre>{JSON.stringify(part.output, undefined, 2)}</pre>}
      {part.state === 'output-error' && <p role="alert">{part.errorText}</p>}
      {asked !== undefined && (
        <>
          <button type="button" onClick={() => onApprove(asked)}>
            Allow
          </button>
          <button type="button" onClick={() => onDeny(asked)}>
            Deny
          </button>
        </>
      )}
    </details>
  )
}
