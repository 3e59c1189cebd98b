import { type Agent, createAgent, type MemoryStore, type Message, messageText } from '@turnloop/core'
import { type AgentTurn, useAgentTurn } from '@turnloop/react'
import { type ScriptedModel, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { type ReactNode, useEffect } from 'react'
import { type Valve, valve } from './valve.ts'

/** An agent whose model plays a script, one character per event, as fast as its valve lets it. */
export interface Scripted {
  agent: Agent
  model: ScriptedModel
  valve: Valve
}

export function scripted(...steps: ScriptStep[]): Scripted {
  const gate = valve()
  const model = scriptedModel(steps, { chunk: 1, beforeEvent: gate.pass })
  return { agent: createAgent({ model }), model, valve: gate }
}

/** A scripted agent that is never held back. */
export function free(...steps: ScriptStep[]): Scripted {
  const result = scripted(...steps)
  result.valve.release(Number.POSITIVE_INFINITY)
  return result
}

export interface ChatProps {
  agent: Agent
  sessionId: string
  store?: MemoryStore
  /** Told of every commit. */
  onCommit?: (turn: AgentTurn, sessionId: string) => void
  /** Sent when the component mounts. */
  first?: string
}

/** The smallest chat: its text, told to whoever asks. */
export function Chat({ agent, sessionId, store, onCommit, first }: ChatProps): ReactNode {
  const turn = useAgentTurn(agent, store === undefined ? { sessionId } : { sessionId, store })
  const { send } = turn
  useEffect(() => {
    onCommit?.(turn, sessionId)
  })
  useEffect(() => {
    if (first !== undefined) void send(first, { turnId: `first-of-${sessionId}` })
  }, [first, send, sessionId])
  return <p>{textOf(turn)}</p>
}

export function textOf({ messages }: { messages: readonly Message[] }): string {
  return messages.map((message) => (message.role === 'tool' ? '' : messageText(message))).join(' | ')
}
