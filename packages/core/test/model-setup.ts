import {
  type AssistantMessage,
  type AssistantPart,
  type Clock,
  callModel,
  type Model,
  type ModelEvent,
  type ModelReply,
} from '@turnloop/core'
import { manualClock } from '@turnloop/testing'
import type { CallIds } from '../src/reply-builder.ts'
import { streamOf } from './turn-setup.ts'

/** What a model call emits. */
export type Body = Parameters<Parameters<typeof callModel>[2]['emit']>[0]

/** A model call on its way. */
export interface Asked {
  readonly reply: Promise<ModelReply>
  readonly emitted: Body[]
  readonly controller: AbortController
}

/** Ask a model, with call ids that count. `known` are wire ids of earlier replies. */
export function ask(model: Model, options: { known?: string[]; clock?: Clock; onEmit?(body: Body): void } = {}): Asked {
  let count = 0
  const ids: CallIds = {
    mint: (providerId) => {
      count += 1
      return { callId: `ours-${count}`, wireId: providerId || `ours-${count}` }
    },
    find: (wireId) => (options.known?.includes(wireId) ? { callId: `earlier-${wireId}`, wireId } : undefined),
  }
  const controller = new AbortController()
  const emitted: Body[] = []
  const reply = callModel(
    model,
    { messages: [], tools: [] },
    {
      signal: controller.signal,
      messageId: 'm',
      ids,
      clock: options.clock ?? manualClock(),
      emit: (body) => {
        emitted.push(body)
        options.onEmit?.(body)
      },
    },
  )
  return { reply, emitted, controller }
}

/** A clean end. */
export const finish: ModelEvent = { type: 'finish', stopReason: 'endTurn' }

/** The message that a stream of these events, and a clean finish, becomes. */
export async function fold(events: readonly ModelEvent[], end: ModelEvent = finish): Promise<AssistantMessage> {
  return (await ask(streamOf([...events, end])).reply).message
}

/** The parts of `fold`. */
export async function parts(events: readonly ModelEvent[], end?: ModelEvent): Promise<readonly AssistantPart[]> {
  return (await fold(events, end)).content
}

/** A delta of text. */
export const text = (id: string, delta: string): ModelEvent => ({ type: 'text-delta', id, delta })
/** A delta of reasoning. */
export const thought = (id: string, delta: string): ModelEvent => ({ type: 'reasoning-delta', id, delta })
/** A whole call. */
export const call = (id: string, toolName: string, inputText = '{}'): ModelEvent => ({
  type: 'tool-call',
  id,
  toolName,
  inputText,
})
/** Metadata to tell apart. */
export const mark = (value: string): { test: { mark: string } } => ({ test: { mark: value } })
