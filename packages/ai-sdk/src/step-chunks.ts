import type { AssistantMessage, AssistantPart, LiveEvent, ToolCallPart } from '@turnloop/core'
import type { UIMessageChunk } from 'ai'
import type { TurnloopMetadata } from './ui-metadata.ts'
import { toReplyUIPart } from './ui-parts.ts'
import { inputOf, metadataOf } from './ui-tool-part.ts'

/** A piece of a UI message on its way. */
export type Chunk = UIMessageChunk<TurnloopMetadata>

type Delta = Extract<LiveEvent, { delta: string }>

/** A part that has been begun. */
interface Begun {
  readonly type: 'text' | 'reasoning' | 'tool-call'
  readonly callId?: string
  text: string
}

/**
 * One reply as the chunks of one step: its deltas as they come, and at its end what they did not say.
 *
 * Parts stay open until the reply is whole: only then is their metadata known, and parts may grow in turns.
 */
export class StepChunks {
  readonly messageId: string
  isClosed = false
  readonly #begun = new Map<number, Begun>()

  constructor(messageId: string) {
    this.messageId = messageId
  }

  /** The chunks that a delta makes. */
  grow(delta: Delta): Chunk[] {
    if (this.isClosed) return []
    const { partIndex } = delta
    const begun = this.#begun.get(partIndex)
    if (begun !== undefined) begun.text += delta.delta
    if (delta.type === 'tool-input-delta') return this.#growInput(delta, begun)
    const type = delta.type === 'text-delta' ? 'text' : 'reasoning'
    if (begun !== undefined && begun.type !== type) return []
    if (begun === undefined) this.#begun.set(partIndex, { type, text: delta.delta })
    const id = this.#idOf(partIndex)
    const start: Chunk[] = begun === undefined ? [{ type: `${type}-start`, id }] : []
    return [...start, { type: `${type}-delta`, id, delta: delta.delta }]
  }

  #growInput(delta: Extract<Delta, { type: 'tool-input-delta' }>, begun: Begun | undefined): Chunk[] {
    const { callId: toolCallId, toolName, providerExecuted } = delta
    const grown: Chunk = { type: 'tool-input-delta', toolCallId, inputTextDelta: delta.delta }
    if (begun !== undefined) return [grown]
    this.#begun.set(delta.partIndex, { type: 'tool-call', callId: toolCallId, text: delta.delta })
    return [{ type: 'tool-input-start', toolCallId, toolName, ...(providerExecuted && { providerExecuted }) }, grown]
  }

  /** Take back what has been shown. */
  reset(): Chunk[] {
    const isEmpty = this.#begun.size === 0 && !this.isClosed
    this.#begun.clear()
    return isEmpty ? [] : [{ type: 'reset-step' }]
  }

  /** The reply is whole: say the rest of it, or all of it once more where what was shown is no longer true. */
  close(message: AssistantMessage): Chunk[] {
    const { content } = message
    const undone = this.#isStillTrue(content) ? [] : this.reset()
    const chunks = content.flatMap((part, index) => this.#finish(part, index, this.#begun.get(index)))
    this.isClosed = true
    return [...undone, ...chunks]
  }

  /** Whether what has been shown is how the reply begins, in its order: a part that never streams may come before others. */
  #isStillTrue(content: readonly AssistantPart[]): boolean {
    const shown = [...content.keys()].filter((index) => !isInCall(content[index]))
    return [...this.#begun].every(([index, begun], at) => index === shown[at] && isStill(begun, content[index]))
  }

  #finish(part: AssistantPart, index: number, begun: Begun | undefined): Chunk[] {
    switch (part.type) {
      case 'text':
      case 'reasoning': {
        const id = this.#idOf(index)
        const rest = part.text.slice(begun?.text.length ?? 0)
        const metadata = part.providerMetadata && { providerMetadata: part.providerMetadata }
        const start: Chunk[] = begun === undefined ? [{ type: `${part.type}-start`, id }] : []
        const delta: Chunk[] = rest === '' ? [] : [{ type: `${part.type}-delta`, id, delta: rest }]
        return [...start, ...delta, { type: `${part.type}-end`, id, ...metadata }]
      }
      case 'tool-call':
        return [callChunk(part)]
      case 'provider-result':
        return [providerChunk(part)]
      case 'provider-approval':
        return [{ type: 'tool-approval-request', approvalId: part.id, toolCallId: part.callId }]
      default:
        return pieceChunk(part)
    }
  }

  #idOf(index: number): string {
    return `${this.messageId}:${index}`
  }
}

/** Whether a part is shown within that of its call. */
function isInCall(part: AssistantPart | undefined): boolean {
  return part?.type === 'provider-result' || part?.type === 'provider-approval'
}

/** Whether what was shown of a part is still how it begins. */
function isStill({ type, callId, text }: Begun, part: AssistantPart | undefined): boolean {
  if (part?.type !== type) return false
  // A part cannot change whether its tool is known by name.
  if (part.type === 'tool-call') return part.callId === callId && !part.dynamic
  return (part.type === 'text' || part.type === 'reasoning') && part.text.startsWith(text)
}

function callChunk(call: ToolCallPart): Chunk {
  const { callId: toolCallId, toolName, providerExecuted, dynamic, providerMetadata } = call
  const toolMetadata = metadataOf(call)
  return {
    type: 'tool-input-available',
    toolCallId,
    toolName,
    input: inputOf(call),
    ...(providerExecuted && { providerExecuted }),
    ...(dynamic && { dynamic }),
    ...(toolMetadata && { toolMetadata }),
    ...(providerMetadata && { providerMetadata }),
  }
}

function providerChunk(part: Extract<AssistantPart, { type: 'provider-result' }>): Chunk {
  const { callId: toolCallId, result, isError, providerMetadata } = part
  const about = { toolCallId, providerExecuted: true, ...(providerMetadata && { providerMetadata }) } as const
  if (!isError) return { type: 'tool-output-available', output: result, ...about }
  const errorText = typeof result === 'string' ? result : JSON.stringify(result)
  return { type: 'tool-output-error', errorText, ...about }
}

/** Files, sources and custom parts are the same as chunks and as parts. */
function pieceChunk(part: AssistantPart): Chunk[] {
  const shown = toReplyUIPart(part, () => ({}), 'done')
  const isPiece =
    shown?.type === 'file' ||
    shown?.type === 'reasoning-file' ||
    shown?.type === 'source-url' ||
    shown?.type === 'source-document' ||
    shown?.type === 'custom'
  return isPiece ? [shown] : []
}
