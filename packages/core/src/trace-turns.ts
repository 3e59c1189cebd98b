import type { TurnEvent } from './events.ts'
import { type AssistantMessage, resultText, type UserMessage } from './messages.ts'
import {
  endAttributes,
  inputMessages,
  noteAttributes,
  outcomeError,
  outputMessages,
  replyAttributes,
  settledError,
  startAttributes,
  toolAttributes,
} from './trace-attributes.ts'
import {
  childOf,
  closeSpan,
  failSpan,
  type OpenSpan,
  openSpan,
  type SpanAttributes,
  type SpanRecord,
  type SpanStart,
  traceIdOf,
} from './trace-span.ts'

/** Options of `traceTurns()`. */
export interface TraceOptions {
  /** Called with each span when it has ended, inner ones first. What it throws is thrown to whoever hands in events. */
  onSpan(span: SpanRecord): void
  /**
   * Whether spans hold what people, model and tools said: text, arguments, results. Default `false`. The messages of
   * errors and warnings are there in any case.
   */
  captureContent?: boolean
  /** Given to every span: `gen_ai.provider.name`, `gen_ai.conversation.id`, whatever else the events cannot know. */
  attributes?: SpanAttributes
}

/**
 * Make spans of turns, from their events alone: `invoke_agent` for the turn, in it `chat` for each model call, all its
 * tries together, and `execute_tool` for each call that ran; an agent that ran as a tool is nested in its call.
 *
 * Hand the returned function to a turn as `onEvent`, or feed it what `session.events()` yields. It remembers only the
 * turns that are open. When a turn ends or pauses, whatever of it is still open is ended too. Attributes follow the
 * OpenTelemetry semantic conventions for generative AI, which are not stable yet.
 */
export function traceTurns(options: TraceOptions): (event: TurnEvent) => void {
  const tracer = new TurnTracer(options)
  return (event) => tracer.hear(event)
}

type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>
type Started = Of<'turn-started' | 'iteration-started' | 'model-started' | 'tool-started'>

/** One open turn: of a session, or of an agent that runs as a tool. */
interface Scope {
  readonly key: string
  readonly turn: OpenSpan
  readonly tools: Map<string, OpenSpan>
  readonly input: UserMessage[]
  chat?: OpenSpan | undefined
  /** Why the running model call was last tried again. */
  retryReason?: string
}

class TurnTracer {
  readonly #options: TraceOptions
  readonly #scopes = new Map<string, Scope>()
  /** By call id, over all scopes: where a nested turn belongs. */
  readonly #calls = new Map<string, OpenSpan>()
  /** The names of agents whose turn has paused: what goes on does not say them again. */
  readonly #names = new Map<string, string>()

  constructor(options: TraceOptions) {
    this.#options = options
  }

  hear(event: TurnEvent): void {
    switch (event.type) {
      case 'turn-started':
        this.#open(event)
        return
      case 'iteration-started':
        this.#endChat(this.#open(event), event.at)
        return
      case 'model-started':
        this.#startChat(this.#open(event), event)
        return
      case 'tool-started':
        this.#startTool(this.#open(event), event)
        return
      // Many, and of no interest.
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
      case 'tool-progress':
        return
      default: {
        const scope = this.#scopes.get(keyOf(event))
        if (scope !== undefined) this.#note(scope, event)
      }
    }
  }

  #note(scope: Scope, event: Exclude<TurnEvent, Started>): void {
    switch (event.type) {
      case 'message':
        if (event.message.role === 'assistant') this.#addReply(scope, event.message, event.at)
        else if (event.message.role === 'user') this.#addInput(scope, event.message)
        return
      case 'tool-settled':
        this.#settle(scope, event)
        return
      case 'turn-paused':
        this.#names.set(scope.key, scope.turn.name)
        scope.turn.attributes['turnloop.outcome'] = 'awaiting'
        this.#close(scope, event.at)
        return
      case 'turn-ended':
        this.#end(scope, event)
        return
      case 'retry':
        scope.retryReason = event.reason
        note(scope, event)
        return
      default:
        note(scope, event)
    }
  }

  /** The scope of an event that says that a run goes on; without a `turn-started` before it, an earlier one did. */
  #open(event: Started): Scope {
    const key = keyOf(event)
    const known = this.#scopes.get(key)
    if (known !== undefined) return known
    const parent = this.#calls.get(event.path?.at(-1) ?? '')
    const traceId = parent?.traceId ?? traceIdOf(event.turnId ?? '')
    // The first run has an id that the later ones can tell.
    const firstId = traceId.slice(16)
    const isFirst = event.type === 'turn-started' && key === event.turnId
    const turn = this.#span({
      ...{ traceId, kind: 'internal', startTimeMs: event.at },
      parentSpanId: parent?.spanId ?? (isFirst ? undefined : firstId),
      ...(isFirst && { spanId: firstId }),
      name:
        event.type === 'turn-started' ? `invoke_agent ${event.agentName}` : (this.#names.get(key) ?? 'invoke_agent'),
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'turnloop.turn.id': event.turnId ?? '',
        ...(event.type === 'turn-started' && startAttributes(event)),
      },
    })
    const scope: Scope = { key, turn, tools: new Map(), input: [] }
    this.#scopes.set(key, scope)
    this.#names.delete(key)
    return scope
  }

  #startChat(scope: Scope, event: Of<'model-started'>): void {
    const { modelId, at } = event
    const { chat, retryReason } = scope
    // Another try is part of the same call, another model is not.
    if (chat?.attributes['gen_ai.request.model'] === modelId && chat.endTimeMs === undefined) return
    if (chat !== undefined && retryReason !== undefined) failSpan(chat, { type: '_OTHER', message: retryReason })
    this.#endChat(scope, at)
    scope.chat = this.#span({
      ...childOf(scope.turn),
      ...{ kind: 'client', startTimeMs: at },
      name: `chat ${modelId}`,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': modelId,
        'gen_ai.request.stream': true,
      },
    })
  }

  #addReply(scope: Scope, reply: AssistantMessage, at: number): void {
    const { chat } = scope
    if (chat === undefined || reply.synthetic !== undefined) return
    Object.assign(chat.attributes, replyAttributes(reply))
    if (this.#options.captureContent) chat.attributes['gen_ai.output.messages'] = outputMessages(reply)
    if (reply.stopReason === 'error' || reply.stopReason === 'timeout') {
      // The end of the turn says what it was.
      failSpan(chat, { type: reply.stopReason })
      chat.endTimeMs = at
    } else {
      this.#endChat(scope, at)
    }
  }

  #addInput(scope: Scope, message: UserMessage): void {
    if (!this.#options.captureContent || message.synthetic !== undefined) return
    scope.input.push(message)
    scope.turn.attributes['gen_ai.input.messages'] = inputMessages(scope.input)
  }

  #startTool(scope: Scope, event: Of<'tool-started'>): void {
    const { callId, toolName, input, at } = event
    this.#endTool(scope, callId, at)
    const span = this.#span({
      ...childOf(scope.turn),
      ...{ kind: 'internal', startTimeMs: at },
      name: `execute_tool ${toolName}`,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.type': 'function',
        ...toolAttributes(event),
        ...(this.#options.captureContent && { 'gen_ai.tool.call.arguments': JSON.stringify(input) }),
      },
    })
    scope.tools.set(callId, span)
    this.#calls.set(callId, span)
  }

  #settle(scope: Scope, event: Of<'tool-settled'>): void {
    const span = scope.tools.get(event.callId)
    if (span === undefined) {
      // It never ran, so there is no time that it took.
      note(scope, event)
      return
    }
    span.attributes['turnloop.tool.status'] = event.status
    const isOpen = this.#options.captureContent === true
    if (isOpen) span.attributes['gen_ai.tool.call.result'] = JSON.stringify(event.result)
    const error = settledError(event)
    if (error !== undefined) failSpan(span, { ...error, ...(isOpen && { message: resultText(event.result) }) })
    this.#endTool(scope, event.callId, event.at)
  }

  #end(scope: Scope, event: Of<'turn-ended'>): void {
    const { turn, chat } = scope
    Object.assign(turn.attributes, endAttributes(event))
    const error = outcomeError(event.outcome)
    if (error !== undefined) {
      failSpan(turn, error)
      // A model call that is still open, or that broke, is what ended the turn.
      if (chat !== undefined) failSpan(chat, error)
    }
    this.#names.delete(scope.key)
    this.#close(scope, event.at)
  }

  #close(scope: Scope, at: number): void {
    this.#scopes.delete(scope.key)
    this.#endChat(scope, at)
    for (const callId of [...scope.tools.keys()]) this.#endTool(scope, callId, at)
    this.#emit(scope.turn, at)
  }

  #endChat(scope: Scope, at: number): void {
    const { chat } = scope
    scope.chat = undefined
    if (chat !== undefined) this.#emit(chat, at)
  }

  #endTool(scope: Scope, callId: string, at: number): void {
    const span = scope.tools.get(callId)
    const nested = this.#scopes.get(callId)
    if (nested !== undefined) this.#close(nested, at)
    scope.tools.delete(callId)
    this.#calls.delete(callId)
    if (span !== undefined) this.#emit(span, at)
  }

  #span(start: SpanStart): OpenSpan {
    return openSpan({ ...start, attributes: { ...this.#options.attributes, ...start.attributes } })
  }

  #emit(span: OpenSpan, at: number): void {
    this.#options.onSpan(closeSpan(span, at))
  }
}

/** Which scope an event belongs to: the call of a nested agent, else the turn. */
function keyOf({ path, turnId }: TurnEvent): string {
  return path?.at(-1) ?? turnId ?? ''
}

/** Add an event to what is going on, if it says something: the model call where one runs, else the turn. */
function note(scope: Scope, event: TurnEvent): void {
  const attributes = noteAttributes(event)
  if (attributes === undefined) return
  const { chat, turn } = scope
  const span = chat === undefined || chat.endTimeMs !== undefined ? turn : chat
  span.events.push({ name: event.type, timeMs: event.at, attributes })
}
