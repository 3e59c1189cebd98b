import {
  type AppendMessage,
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
  useExternalStoreRuntime,
} from '@assistant-ui/react'
import { toUIMessages } from '@turnloop/ai-sdk/ui'
import type { Session } from '@turnloop/core'
import { useSyncExternalStore } from 'react'
import { toThreadMessage } from './thread-message.ts'

/** assistant-ui on a session: the session is its external store. */
export function AssistantChat({ session }: { session: Session }) {
  const messages = useSyncExternalStore(session.subscribe, () => toUIMessages(session.getSnapshot()))
  const isRunning = useSyncExternalStore(session.subscribe, () => session.getSnapshot().status === 'running')
  const runtime = useExternalStoreRuntime({
    messages,
    isRunning,
    convertMessage: toThreadMessage,
    onNew: async (message) => void (await session.send(textOf(message))),
    onEdit: async (message) => void (message.sourceId && (await session.edit(message.sourceId, textOf(message)))),
    onReload: async (parentId) => void (await session.regenerate(parentId ?? undefined)),
    onCancel: () => session.cancel(),
    onRespondToToolApproval: ({ approvalId, approved, reason }) =>
      approved ? session.approve(approvalId) : session.deny(approvalId, reason),
  })
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={{ Message }} />
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  )
}

function Message() {
  return (
    <MessagePrimitive.Root>
      <MessagePrimitive.Parts components={{ tools: { Fallback: Call } }} />
    </MessagePrimitive.Root>
  )
}

function Call({ toolName, result, approval, respondToApproval }: ToolCallMessagePartProps) {
  if (approval !== undefined && result === undefined) {
    return (
      <p>
        {toolName}
        <button type="button" onClick={() => respondToApproval({ approved: true })}>
          Allow
        </button>
        <button type="button" onClick={() => respondToApproval({ approved: false })}>
          Deny
        </button>
      </p>
    )
  }
  return (
    <p>
      {toolName}: {result === undefined ? 'running' : JSON.stringify(result)}
    </p>
  )
}

function textOf({ content }: AppendMessage): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
