import type { AssistantPart, Message, ToolResult } from '@turnloop/core'
import { type FactsOf, toReplyUIPart, toUserUIPart, type UIPart } from './ui-parts.ts'
import type { CallFacts } from './ui-tool-part.ts'

/** What a running turn adds to what the messages say. */
export interface LiveFacts {
  /** The reply that is growing. */
  readonly openId?: string | undefined
  factsOf(callId: string): CallFacts
}

const SETTLED: LiveFacts = { factsOf: () => ({}) }

/** The parts that a user message, or a group of replies and results, is shown as. A reply is a step. */
export function shownParts(messages: readonly Message[], live: LiveFacts = SETTLED): UIPart[] {
  const factsOf = collectFacts(messages, live)
  return messages.flatMap((message): UIPart[] => {
    if (message.role === 'tool') return []
    // What the loop said in a person's place is no part of what is shown.
    if (message.role === 'user') return messages.length > 1 ? [] : message.content.map(toUserUIPart)
    const state = message.id === live.openId ? 'streaming' : 'done'
    const parts = message.content.map((part) => toReplyUIPart(part, factsOf, state))
    return [{ type: 'step-start' }, ...parts.filter((part) => part !== undefined)]
  })
}

function collectFacts(messages: readonly Message[], live: LiveFacts): FactsOf {
  const results = new Map<string, ToolResult>()
  const ofProvider = new Map<string, CallFacts>()
  for (const message of messages) {
    if (message.role === 'tool') for (const result of message.results) results.set(result.callId, result)
    if (message.role === 'assistant') for (const part of message.content) noteProvider(part, ofProvider)
  }
  return (callId) => ({ ...live.factsOf(callId), ...ofProvider.get(callId), result: results.get(callId) })
}

function noteProvider(part: AssistantPart, facts: Map<string, CallFacts>): void {
  if (part.type === 'provider-result') facts.set(part.callId, { ...facts.get(part.callId), providerResult: part })
  if (part.type === 'provider-approval') facts.set(part.callId, { ...facts.get(part.callId), providerApproval: part })
}

/** The parts of each step. What stands before the first mark is a step of its own. */
export function splitSteps(parts: readonly UIPart[]): UIPart[][] {
  const steps: UIPart[][] = []
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else if (steps.length === 0) steps.push([part])
    else steps.at(-1)?.push(part)
  }
  return steps
}
