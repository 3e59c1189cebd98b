import type { ModelEvent, StopReason, Usage } from '@turnloop/core'

/** What a scripted model does with one request: a string is a text reply that ends the turn. */
export type ScriptStep = string | ScriptedReply

/** One reply. The parts come in this order: reasoning, text, calls, error; then the end. */
export interface ScriptedReply {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** Default `'toolUse'` with calls, `'error'` with an error, else `'endTurn'`. */
  readonly stopReason?: StopReason
  readonly rawStopReason?: string
  /** Default 10 input and 5 output tokens. */
  readonly usage?: Usage
  /** An error part in the stream, as providers send it; the finish still comes. */
  readonly error?: unknown
  /** Thrown in place of the finish. With nothing else in the reply, before any event. */
  readonly throws?: unknown
  /** The stream's events word for word. What is above counts for nothing, and no finish is added. */
  readonly events?: readonly ModelEvent[]
  /** The stream ends without a finish, as when a connection breaks. */
  readonly cut?: true
  /** The stream stays open in place of the finish: `true` for ever, deaf to its signal. */
  readonly hang?: true | 'until-abort'
  /** Awaited before the first event. */
  readonly gate?: Promise<void>
}

/** One tool call of a reply. */
export interface ScriptedCall {
  readonly name: string
  /** The arguments, written as JSON. Default `{}`. */
  readonly input?: unknown
  /** The arguments word for word, for those that are no JSON. */
  readonly inputText?: string
  /** The provider's id. Default `'call-2-1'` for the first call in the reply to the second request. */
  readonly id?: string
}

/** How a stream ends once its events are through. */
export type Ending =
  | { readonly kind: 'end' }
  | { readonly kind: 'throw'; readonly error: unknown }
  | { readonly kind: 'hang'; readonly untilAbort: boolean }

/** How long the pieces are that text arrives in: whole words, or so many characters. */
export type Chunk = 'word' | number

/** Write out the events of a step, its finish included where it has one. */
export function stepEvents(step: ScriptedReply, requestIndex: number, chunk: Chunk): ModelEvent[] {
  if (step.events !== undefined) return [...step.events]
  const content = contentEvents(step, requestIndex, chunk)
  const isBare = content.length === 0 && 'throws' in step
  if (isBare) return []
  const started: ModelEvent = { type: 'started' }
  return hasFinish(step) ? [started, ...content, finishOf(step)] : [started, ...content]
}

/** How a step's stream ends. */
export function endingOf(step: ScriptedReply): Ending {
  if ('throws' in step) return { kind: 'throw', error: step.throws }
  if (step.hang !== undefined) return { kind: 'hang', untilAbort: step.hang === 'until-abort' }
  return { kind: 'end' }
}

function hasFinish(step: ScriptedReply): boolean {
  return endingOf(step).kind === 'end' && step.cut === undefined
}

function contentEvents(step: ScriptedReply, requestIndex: number, chunk: Chunk): ModelEvent[] {
  const calls = step.calls ?? []
  return [
    ...textEvents('reasoning', step.reasoning, chunk),
    ...textEvents('text', step.text, chunk),
    ...calls.flatMap((call, index) => callEvents(call, `call-${requestIndex + 1}-${index + 1}`, chunk)),
    ...('error' in step ? [{ type: 'error', error: step.error } as const] : []),
  ]
}

function textEvents(kind: 'text' | 'reasoning', text: string | undefined, chunk: Chunk): ModelEvent[] {
  if (text === undefined) return []
  const id = `${kind}-1`
  return [
    { type: `${kind}-start`, id },
    ...pieces(text, chunk).map((delta) => ({ type: `${kind}-delta`, id, delta }) as const),
    { type: `${kind}-end`, id },
  ]
}

function callEvents(call: ScriptedCall, defaultId: string, chunk: Chunk): ModelEvent[] {
  const id = call.id ?? defaultId
  const toolName = call.name
  const inputText = call.inputText ?? JSON.stringify(call.input ?? {})
  return [
    { type: 'tool-input-start', id, toolName },
    ...pieces(inputText, chunk).map((delta) => ({ type: 'tool-input-delta', id, delta }) as const),
    { type: 'tool-input-end', id },
    { type: 'tool-call', id, toolName, inputText },
  ]
}

function finishOf(step: ScriptedReply): ModelEvent {
  const hasCalls = step.calls !== undefined && step.calls.length > 0
  const stopReason = step.stopReason ?? ('error' in step ? 'error' : hasCalls ? 'toolUse' : 'endTurn')
  const usage = step.usage ?? DEFAULT_USAGE
  return {
    type: 'finish',
    stopReason,
    usage,
    ...(step.rawStopReason !== undefined && { rawStopReason: step.rawStopReason }),
  }
}

const DEFAULT_USAGE: Usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

function pieces(text: string, chunk: Chunk): string[] {
  if (chunk === 'word') return text.match(/\s*\S+|\s+$/g) ?? []
  // By code point, so that no piece holds half a character.
  const characters = Array.from(text)
  const count = Math.ceil(characters.length / chunk)
  return Array.from({ length: count }, (_, at) => characters.slice(at * chunk, (at + 1) * chunk).join(''))
}
