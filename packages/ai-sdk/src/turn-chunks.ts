import type { AssistantMessage, Outcome, PendingRequest, ToolCallPart, ToolResult, TurnEvent } from '@turnloop/core'
import { isEntry } from '@turnloop/core'
import { answerChunks } from './answer-chunks.ts'
import { endChunks } from './end-chunks.ts'
import { type Chunk, StepChunks } from './step-chunks.ts'
import { replyIdOf, type TurnloopMetadata } from './ui-metadata.ts'
import { metadataOf } from './ui-tool-part.ts'

/** What the chunks of a turn are made for. */
export interface TurnChunksOptions {
  /** The id of the UI message, where the turn has no message of a person to tell it. */
  readonly replyId?: string | undefined
}

/**
 * A turn's events as the chunks of one UI message: what `useChat` builds that message from.
 *
 * `take` gives the chunks of one event. What a retry, or a hook that changes a reply, makes untrue is taken back with
 * `reset-step`. Events of agents that run as tools are not shown, except for what they ask.
 */
export class TurnChunks {
  #replyId: string | undefined
  #hasStarted = false
  #step: StepChunks | undefined
  /** The last reply that is whole. */
  reply: AssistantMessage | undefined
  readonly #calls = new Map<string, ToolCallPart>()
  /** The call that each question is shown with. */
  readonly #questions = new Map<string, string>()
  /** The question that is shown with each call now. */
  readonly #asked = new Map<string, string>()
  readonly #denied = new Set<string>()

  constructor({ replyId }: TurnChunksOptions = {}) {
    this.#replyId = replyId
  }

  /** The id of the UI message, once it is known. */
  get replyId(): string | undefined {
    return this.#replyId
  }

  /** The chunks that an event of the turn makes. */
  take(event: TurnEvent): Chunk[] {
    if (event.path !== undefined && event.path.length > 0) return this.#takeNested(event)
    const chunks = isEntry(event) ? this.#takeEntry(event) : this.#takeLive(event)
    return chunks.length > 0 ? [...this.#start(event.turnId), ...chunks] : chunks
  }

  /** Learn what has been shown already, when a message is gone on with. */
  skip(events: readonly TurnEvent[]): void {
    for (const event of events) this.take(event)
    this.goOn()
  }

  /** Begin another stream for the same message. */
  goOn(): void {
    this.#hasStarted = false
    this.#step = undefined
    this.#asked.clear()
  }

  /** The chunks that end the stream. */
  end(outcome: Outcome, metadata: TurnloopMetadata | undefined): Chunk[] {
    const questions = outcome.kind === 'awaiting' ? outcome.pending.flatMap((request) => this.#ask(request)) : []
    const close: Chunk[] = this.#step === undefined ? [] : [{ type: 'finish-step' }]
    const told: Chunk[] = metadata && this.#hasStarted ? [{ type: 'message-metadata', messageMetadata: metadata }] : []
    return [...questions, ...close, ...told, ...endChunks(outcome, this.reply)]
  }

  #start(turnId: string | undefined): Chunk[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    const id = this.#replyId ?? turnId
    return [{ type: 'start', ...(id !== undefined && { messageId: id }) }]
  }

  #takeNested(event: TurnEvent): Chunk[] {
    if (event.type === 'approval-requested') return this.#ask(event)
    return event.type === 'approval-decided' ? this.#decide(event) : []
  }

  #takeLive(event: Exclude<TurnEvent, { sequence: number }>): Chunk[] {
    switch (event.type) {
      case 'model-started':
        return this.#open(event.messageId)
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta': {
        const opened = this.#step?.messageId === event.messageId ? [] : this.#open(event.messageId)
        return [...opened, ...(this.#step?.grow(event) ?? [])]
      }
      case 'retry':
      case 'content-retracted':
        return this.#step?.reset() ?? []
      case 'tool-progress':
        if (!this.#calls.has(event.callId)) return []
        return [{ type: 'tool-output-available', toolCallId: event.callId, output: event.update, preliminary: true }]
      case 'custom':
        // Not stored, and so no part of the message either: for `onData` alone.
        return [{ type: `data-${event.name}`, data: event.data, transient: true }]
      default:
        return []
    }
  }

  #takeEntry(entry: Extract<TurnEvent, { sequence: number }>): Chunk[] {
    switch (entry.type) {
      case 'message':
        return this.#takeMessage(entry)
      case 'approval-requested':
        return this.#ask(entry)
      case 'approval-decided':
        return this.#decide(entry)
      case 'tool-settled':
        return entry.late ? [] : this.#settle(entry)
      default:
        return []
    }
  }

  #takeMessage({ message, blocked }: Extract<TurnEvent, { type: 'message' }>): Chunk[] {
    if (message.role === 'user') {
      if (message.synthetic === undefined) this.#replyId ??= replyIdOf(message.id)
      return []
    }
    if (message.role === 'tool') return message.calls.flatMap((changed) => this.#change(changed))
    const opened = this.#step?.messageId === message.id ? [] : this.#open(message.id)
    if (blocked !== undefined) return [...opened, ...(this.#step?.reset() ?? [])]
    this.reply = message
    for (const part of message.content) if (part.type === 'tool-call') this.#calls.set(part.callId, part)
    const closed = this.#step?.close(message) ?? []
    // A provider may answer a call of an earlier turn: its part is in another message.
    return [...opened, ...closed.filter((chunk) => !('toolCallId' in chunk) || this.#calls.has(chunk.toolCallId))]
  }

  /** A reply begins: in the place of one that was given up, or as a step of its own. */
  #open(messageId: string): Chunk[] {
    const before = this.#step
    this.#step = new StepChunks(messageId)
    if (before === undefined) return [{ type: 'start-step' }]
    return before.isClosed ? [{ type: 'finish-step' }, { type: 'start-step' }] : before.reset()
  }

  #ask(request: PendingRequest): Chunk[] {
    const toolCallId = request.path?.[0] ?? request.callId
    this.#questions.set(request.id, toolCallId)
    // What the host answers is a call without an output, to be given one with `addToolOutput`.
    if (request.ask === 'answer' || this.#asked.get(toolCallId) === request.id) return []
    this.#asked.set(toolCallId, request.id)
    return [{ type: 'tool-approval-request', approvalId: request.id, toolCallId }]
  }

  #decide({ id, allow, note }: { id: string; allow: boolean; note?: string }): Chunk[] {
    const callId = this.#questions.get(id)
    if (callId === undefined) return []
    if (!allow) this.#denied.add(callId)
    // The page knows what it has answered itself.
    if (this.#asked.get(callId) !== id) return []
    this.#asked.delete(callId)
    const reason = note !== undefined && { reason: note }
    return [{ type: 'tool-approval-response', approvalId: id, approved: allow, ...reason }]
  }

  #settle(settled: ToolResult): Chunk[] {
    const call = this.#calls.get(settled.callId)
    if (call === undefined) return []
    const isRefusal = settled.status === 'denied' && this.#denied.has(settled.callId)
    return answerChunks(settled, { metadata: metadataOf(call, settled), isRefusal })
  }

  /** A hook has put another result in the place of the tool's own. */
  #change({ callId, result }: { callId: string; result?: ToolResult['result'] }): Chunk[] {
    const call = this.#calls.get(callId)
    if (result === undefined || call === undefined) return []
    const status = result.isError ? 'error' : 'ok'
    return this.#settle({ callId, toolName: call.toolName, status, result })
  }
}
