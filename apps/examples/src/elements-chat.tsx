import { toUIMessages } from '@turnloop/ai-sdk/ui'
import type { Session } from '@turnloop/core'
import { isReasoningUIPart, isTextUIPart, isToolUIPart, type UIMessage } from 'ai'
import { useSyncExternalStore } from 'react'
import { Conversation, Message, Reasoning, Response } from './elements/conversation.tsx'
import { PromptInput } from './elements/prompt-input.tsx'
import { ToolCall } from './elements/tool-call.tsx'

/** A chat of copied components on a session: what they draw are the UI messages of the AI SDK. */
export function ElementsChat({ session }: { session: Session }) {
  const messages = useSyncExternalStore(session.subscribe, () => toUIMessages(session.getSnapshot()))
  const isRunning = useSyncExternalStore(session.subscribe, () => session.getSnapshot().status === 'running')
  return (
    <>
      <Conversation>
        {messages.map((message) => (
          <Message key={message.id} from={message.role}>
            <Parts message={message} session={session} />
          </Message>
        ))}
      </Conversation>
      <PromptInput
        status={isRunning ? 'streaming' : 'ready'}
        onSubmit={(text) => session.send(text)}
        onStop={() => session.cancel()}
      />
    </>
  )
}

function Parts({ message: { id, parts }, session }: { message: UIMessage; session: Session }) {
  return parts.map((part, index) => {
    // Parts are only ever added at the end, so their place is a name.
    const key = `${id}-${index}`
    if (isTextUIPart(part)) return <Response key={key}>{part.text}</Response>
    if (isReasoningUIPart(part)) return <Reasoning key={key}>{part.text}</Reasoning>
    if (!isToolUIPart(part)) return null
    return (
      <ToolCall
        key={part.toolCallId}
        part={part}
        onApprove={(requestId) => session.approve(requestId)}
        onDeny={(requestId) => session.deny(requestId)}
      />
    )
  })
}
