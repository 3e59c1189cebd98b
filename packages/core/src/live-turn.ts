import type { Clock } from './clock.ts'
import type { Entry, EntryDraft, ToolSettled } from './entries.ts'
import { describeThrown, TurnloopError, toErrorRecord } from './errors.ts'
import type { LiveEventBody, TurnEvent } from './events.ts'
import { type AssistantMessage, clientCalls, type Message, resultText, type UserMessage } from './messages.ts'
import type { ModelRequest, ModelSettings } from './model.ts'
import type { ModelCallOptions, ModelReply } from './model-step.ts'
import type { PendingRequest } from './outcome.ts'
import { reconcileHistory } from './reconcile.ts'
import type { CallIds } from './reply-builder.ts'
import { NOT_RUN_TEXT, UNKNOWN_TEXT } from './result-text.ts'
import type { Appended } from './session-log.ts'
import type { Tool } from './tool.ts'
import type { ToolBatchOptions } from './tool-batch.ts'
import { TurnFold } from './turn-fold.ts'

/**
 * Everything a runner is made of. It knows nothing else: no provider, no storage, no DOM.
 *
 * `agent.turn()` only fills these in, so one engine drives a bare model, a tool agent or a loop of the caller's own.
 */
export interface RunnerParts {
  readonly agentName: string
  readonly modelId: string
  /** Give entries their numbers and keep them. Never throws; `saved` never rejects. */
  append(...drafts: EntryDraft[]): Appended
  /** Ask the model. Never rejects; on abort it resolves with what it has. */
  callModel(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply>
  /** Settle a reply's calls. Settles all it started within `graceMs` of abort. */
  runTools(reply: AssistantMessage, options: ToolBatchOptions): Promise<readonly PendingRequest[]>
  listTools(options: { signal: AbortSignal }): Promise<readonly Tool[]>
  /** Calls back when the list of tools is out of date. */
  watchTools?(onChange: () => void): () => void
  /** Evaluated before every model call. */
  instructions?(context: InstructionsContext): string | undefined | Promise<string | undefined>
  readonly clock: Clock
  /** The transcript before this turn. */
  readonly history?: readonly Message[]
  readonly settings?: ModelSettings
  readonly maxIterations: number
  readonly graceMs: number
  readonly sessionId?: string
}

/** What instructions that are a function are told. */
export interface InstructionsContext {
  readonly turnId: string
  readonly sessionId?: string
  /** The transcript as the model will see it. */
  readonly messages: readonly Message[]
}

/** What a turn starts with; without `input` it goes on with the transcript as it is. */
export interface LiveTurnOptions {
  readonly turnId: string
  readonly signal: AbortSignal
  readonly input?: readonly UserMessage[]
  /** `false`: requests hold this turn's own messages only, and it joins no later transcript. */
  readonly history: boolean
  readonly retryOf?: string
  /** The turn has messages of its own already, so that the history does not go on where a reply paused. */
  readonly isFollowed: boolean
  deliver(event: TurnEvent): void
}

/** A running turn: its fold, its parts, and the ways to say something. */
export class LiveTurn {
  readonly parts: RunnerParts
  readonly options: LiveTurnOptions
  readonly fold: TurnFold = new TurnFold()
  readonly signal: AbortSignal
  readonly ids: CallIds
  /** How many messages the transcript had when the turn was stopped. */
  messagesAtStop: number | undefined
  /** Whether a batch was answered after the stop, and whether all of it had finished. */
  settledAtStop: 'nothing' | 'completed' | 'interrupted' = 'nothing'
  #history: readonly Message[]
  #tools: readonly Tool[] | undefined
  #unwatch: (() => void) | undefined
  /** How often a source has said that its list changed. */
  #changes = 0
  #lastSequence = 0

  constructor(parts: RunnerParts, options: LiveTurnOptions) {
    this.parts = parts
    this.options = options
    this.signal = options.signal
    const { isFollowed } = options
    this.#history = options.history ? reconcileHistory(parts.history ?? [], { isFollowed }).messages : []
    this.ids = createCallIds(() => [...(parts.history ?? []), ...this.fold.messages])
  }

  /** The transcript as the model sees it. */
  get messages(): readonly Message[] {
    return [...this.#history, ...this.fold.messages]
  }

  get messageCount(): number {
    return this.#history.length + this.fold.messages.length
  }

  /** Take in what the log holds of this turn already. */
  restore(entry: Entry): void {
    this.#lastSequence = entry.sequence
    this.fold.apply(entry)
  }

  /** Write facts: they join the fold and are delivered as the very objects that are stored. */
  append(...drafts: EntryDraft[]): Appended {
    const turnId = this.options.turnId
    const appended = this.parts.append(...drafts.map((draft) => ({ turnId, ...draft })))
    for (const entry of appended.entries) {
      this.#lastSequence = entry.sequence
      this.fold.apply(entry)
      this.options.deliver(entry)
    }
    return appended
  }

  emit(body: LiveEventBody): void {
    const { turnId } = this.options
    this.options.deliver({ turnId, at: this.parts.clock.now(), after: this.#lastSequence, ...body })
  }

  /** Emit what goes wrong beside the turn. */
  warn(message: string, error: unknown): void {
    this.emit({
      type: 'warning',
      message: `${message}: ${describeThrown(error)}`,
      error: toErrorRecord(error, 'internal'),
    })
  }

  /** The turn's tools: listed before the first model call, and again when a source says that they changed. */
  async listTools(): Promise<readonly Tool[]> {
    this.#unwatch ??= this.parts.watchTools?.(() => {
      this.#tools = undefined
      this.#changes += 1
    })
    if (this.#tools !== undefined) return this.#tools
    const before = this.#changes
    const tools = await this.parts.listTools({ signal: this.signal })
    // A list that changed while it was on its way serves this step and is asked for again at the next.
    if (before === this.#changes) this.#tools = tools
    return tools
  }

  /** What the model is asked next. Pair-valid: what is not is healed first. */
  async createRequest(): Promise<ModelRequest> {
    const tools = await this.listTools()
    const messages = this.#soundMessages()
    const { sessionId } = this.parts
    const context = { turnId: this.options.turnId, messages, ...(sessionId !== undefined && { sessionId }) }
    const instructions = await this.parts.instructions?.(context)
    return {
      ...(instructions !== undefined && instructions !== '' && { instructions }),
      messages,
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      ...(this.parts.settings !== undefined && { settings: this.parts.settings }),
    }
  }

  /** Only the turn's own messages can be unsound: history was healed once, when the turn began. */
  #soundMessages(): readonly Message[] {
    const own = reconcileHistory(this.fold.messages).messages
    const messages = [...this.#history, ...own]
    if (messages.length === 0) throw new TurnloopError('bad-input', 'There is nothing to ask the model about yet.')
    return messages
  }

  /** Let go of what the turn listens to. Never throws. */
  release(): void {
    try {
      this.#unwatch?.()
    } catch (error) {
      this.warn('A tool source could not be left', error)
    }
  }
}

/** Call ids of our own; the provider's id goes over the wire where it is usable and not taken. */
function createCallIds(messages: () => readonly Message[]): CallIds {
  let known: Map<string, string> | undefined
  const wires = (): Map<string, string> => {
    if (known !== undefined) return known
    known = new Map()
    for (const message of messages()) {
      if (message.role !== 'assistant') continue
      for (const part of message.content) if (part.type === 'tool-call') known.set(part.wireId, part.callId)
    }
    return known
  }
  return {
    mint(providerId) {
      const callId = `call_${crypto.randomUUID()}`
      const isUsable = typeof providerId === 'string' && providerId.trim() !== '' && !wires().has(providerId)
      const wireId = isUsable ? providerId : callId
      wires().set(wireId, callId)
      return { callId, wireId }
    },
    find(wireId) {
      const callId = wires().get(wireId)
      return callId === undefined ? undefined : { callId, wireId }
    },
  }
}

/** The client calls of the open batch that have no result yet. */
export function unsettledCalls(turn: LiveTurn): ReturnType<typeof clientCalls> {
  const batch = turn.fold.batch
  return batch === undefined ? [] : clientCalls(batch.reply).filter((call) => !batch.settled.has(call.callId))
}

/** Whether a cut turn had been stopped before: its log then holds what only Stop leaves behind. */
export function wasStopped(fold: TurnFold): boolean {
  return (
    [...(fold.batch?.settled.values() ?? [])].some(isLeftByStop) ||
    fold.messages.some((message) =>
      message.role === 'assistant'
        ? message.partial === true && message.stopReason === 'cancelled'
        : message.role === 'tool' && message.results.some(isLeftByStop),
    )
  )
}

function isLeftByStop({ status, result }: Pick<ToolSettled, 'status' | 'result'>): boolean {
  const text = resultText(result)
  return status === 'cancelled' || text === NOT_RUN_TEXT || text === UNKNOWN_TEXT
}
