import type { Agent } from './agent.ts'
import type { Entry } from './entries.ts'
import type { TurnEvent } from './events.ts'
import type { Message, UserPart } from './messages.ts'
import type { Snapshot } from './snapshot.ts'
import type { TurnResult } from './tool-runner.ts'

export type SessionInput = string | readonly UserPart[]

export interface SendOptions {
  signal?: AbortSignal
  whenBusy?: 'queue' | 'replace' | 'reject'
  turnId?: string
}

export interface Session {
  readonly id: string
  getSnapshot(): Snapshot
  subscribe(listener: () => void): () => void
  events(): AsyncIterable<TurnEvent>
  getEntries(): readonly Entry[]
  send(input: SessionInput, options?: SendOptions): Promise<TurnResult>
  cancel(reason?: unknown): Promise<void>
  resume(): Promise<TurnResult>
  retry(): Promise<TurnResult>
  setAgent(agent: Agent): void
  rename(title: string): Promise<void>
  editQueued(id: string, input: SessionInput): Promise<void>
  removeQueued(id: string): Promise<void>
  flush(): Promise<void>
  close(options?: { running?: 'finish' | 'cancel' | 'leave' }): Promise<void>
}
export type _Placeholder = Message
