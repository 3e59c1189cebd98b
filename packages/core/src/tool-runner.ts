import type { AssistantMessage, Message } from './messages.ts'
import type { Outcome } from './outcome.ts'
import type { Usage } from './usage.ts'
export interface TurnResult {
  readonly turnId: string
  readonly outcome: Outcome
  readonly message?: AssistantMessage
  readonly text: string
  readonly messages: readonly Message[]
  readonly usage: Usage
  readonly iterations: number
}
