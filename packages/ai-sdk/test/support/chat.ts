import { Chat } from '@ai-sdk/react'
import { AgentTransport, type TurnloopUIMessage, toUIMessages } from '@turnloop/ai-sdk/ui'
import {
  type Agent,
  type AgentOptions,
  createAgent,
  MemoryStore,
  type OpenSessionOptions,
  openSession,
  type Session,
  type Snapshot,
  type Tool,
  tool,
} from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { manualClock, type Script, type ScriptedModelOptions, scriptedModel } from '@turnloop/testing'
import type { ChatInit, ChatTransport, UIMessage } from 'ai'

/** What a page is opened with. */
export type PageOptions = Partial<Omit<AgentOptions, 'model'>> &
  Pick<ScriptedModelOptions, 'beforeEvent'> &
  Pick<OpenSessionOptions, 'store' | 'resume'>

/** An agent whose model follows a script. */
export function scriptedAgent(
  script: Script,
  { beforeEvent, ...options }: Omit<PageOptions, 'store' | 'resume'> = {},
): Agent {
  const model = scriptedModel(script, beforeEvent && { beforeEvent })
  return createAgent({ model, clock: manualClock(), ...options })
}

/** A page that shows one session. */
export interface ChatPage {
  readonly session: Session
  readonly transport: AgentTransport
  readonly chat: Chat<TurnloopUIMessage>
}

/** A page with one session, its transport, and the chat that `useChat` would make on it. */
export function openChat(script: Script, options: PageOptions = {}): ChatPage {
  const { store = new MemoryStore(), resume, ...rest } = options
  const session = openSession({ agent: scriptedAgent(script, rest), id: 'chat', store, ...(resume && { resume }) })
  const transport = new AgentTransport({ session })
  return { session, transport, chat: createChat(transport) }
}

/** What `useChat` makes of a transport. */
export function createChat(
  transport: ChatTransport<UIMessage>,
  init: Pick<ChatInit<TurnloopUIMessage>, 'messages' | 'sendAutomaticallyWhen' | 'onFinish'> = {},
): Chat<TurnloopUIMessage> {
  return new Chat<TurnloopUIMessage>({ id: 'chat', transport, ...init })
}

/** A tool without effects that answers with what it was asked. */
export function echo(options: Partial<Pick<Tool, 'needsApproval'>> & { execute?: Tool['execute'] } = {}): Tool {
  const { execute = (input) => ({ heard: input }), ...rest } = options
  return tool({
    name: 'echo',
    description: 'Repeats',
    input: jsonSchema({ type: 'object' }),
    effect: 'read',
    execute,
    ...rest,
  })
}

/** The last message of a chat, part by part: the text, or the state of a call. */
export function lastShown({ messages }: { readonly messages: readonly UIMessage[] }): string[] {
  return (messages.at(-1)?.parts ?? []).map((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return part.text
    return 'state' in part ? `${part.type} ${part.state}` : part.type
  })
}

/** What a chat shows, and what the session would show after a reload, as plain data to compare. */
export function shownTwice(chat: Chat<TurnloopUIMessage>, session: Session): [unknown, unknown] {
  return [chat.messages, toUIMessages(session.getSnapshot())].map((messages) => messages.map(essence)) as [
    unknown,
    unknown,
  ]
}

/** Parts without keys that are undefined, ids of reasoning, and approvals that are over. */
function essence({ role, parts }: UIMessage): unknown {
  const shown = parts.map((part) => {
    const { id: _id, approval: _approval, state, ...rest }: Record<string, unknown> = { ...part }
    return role === 'user' ? rest : { ...rest, state }
  })
  return JSON.parse(JSON.stringify({ role, parts: shown }))
}

/** Resolves with the first snapshot that passes, this one included. */
export function until(session: Session, passes: (snapshot: Snapshot) => boolean): Promise<void> {
  if (passes(session.getSnapshot())) return Promise.resolve()
  return new Promise((resolve) => {
    const unsubscribe = session.subscribe(() => {
      if (!passes(session.getSnapshot())) return
      unsubscribe()
      resolve()
    })
  })
}

/** Resolves once a chat passes, looked at whenever it says that something changed. */
export function untilChat(chat: Chat<TurnloopUIMessage>, passes: () => boolean): Promise<void> {
  if (passes()) return Promise.resolve()
  return new Promise((resolve) => {
    const stops: (() => void)[] = []
    const look = (): void => {
      if (!passes()) return
      for (const stop of stops) stop()
      resolve()
    }
    stops.push(chat['~registerMessagesCallback'](look), chat['~registerStatusCallback'](look))
  })
}
