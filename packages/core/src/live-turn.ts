import { ABANDONED, settleWithin } from './abort.ts'
import type { Entry, EntryDraft } from './entries.ts'
import { describeThrown, TurnloopError, toErrorRecord } from './errors.ts'
import type { LiveEventBody, TurnEvent } from './events.ts'
import type { JsonObject } from './json.ts'
import type { Appended } from './log-writer.ts'
import { clientCalls, type Message, type UserMessage } from './messages.ts'
import type { ModelRequest, ModelTool } from './model.ts'
import { reconcileHistory } from './reconcile.ts'
import type { CallIds } from './reply-builder.ts'
import type { RunnerParts } from './runner-parts.ts'
import { estimateMessageTokens } from './token-estimate.ts'
import type { Tool } from './tool.ts'
import { EMPTY_SOURCE, historyMessages, sourceOf, type TranscriptSource } from './transcript.ts'
import { TurnFold, withTurn } from './turn-fold.ts'

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
  /** Stop the turn from within. */
  abort(reason: unknown): void
}

/** A running turn: its fold, its parts, and the ways to say something. */
export class LiveTurn {
  readonly parts: RunnerParts
  readonly options: LiveTurnOptions
  readonly fold: TurnFold
  readonly signal: AbortSignal
  readonly ids: CallIds
  /** How many messages the transcript had when the turn was stopped. */
  messagesAtStop: number | undefined
  /** Whether a batch was answered after the stop, and whether all of it had finished. */
  settledAtStop: 'nothing' | 'completed' | 'interrupted' = 'nothing'
  /** The structured answer: what the schema made of it, and the JSON that the log keeps. */
  answer: { readonly value: unknown; readonly json: JsonObject } | undefined
  /** A compaction brought too little: none is tried again in this turn. */
  isCompactionStuck = false
  /** A request that was too long has been shortened once, and no reply has come since. */
  isTooLongTried = false
  /** Estimated tokens of the transcript when the last reply joined it. */
  knownTokens: number | undefined
  readonly #history: TranscriptSource
  /** What stands before the turn's own messages from `#ownStart` on, sound. */
  #base: readonly Message[]
  #ownStart = 0
  #overlays = 0
  readonly #counted: { base: readonly Message[] | undefined; own: number; tokens: number } = {
    base: undefined,
    own: 0,
    tokens: 0,
  }
  #tools: readonly Tool[] | undefined
  #modelTools: { readonly of: readonly Tool[]; readonly list: readonly ModelTool[] } | undefined
  #unwatch: (() => void) | undefined
  /** How often a source has said that its list changed. */
  #changes = 0
  #lastSequence = 0

  constructor(parts: RunnerParts, options: LiveTurnOptions) {
    this.parts = parts
    this.options = options
    this.signal = options.signal
    this.fold = new TurnFold(parts.repeatLimit === undefined ? {} : { repeatLimit: parts.repeatLimit })
    const all = parts.history ?? EMPTY_SOURCE
    this.#history = options.history ? all : EMPTY_SOURCE
    const { isFollowed } = options
    this.#base = reconcileHistory(historyMessages(this.#history), { isFollowed }).messages
    this.ids = createCallIds(() => [...all.messages, ...this.fold.logged].map(({ message }) => message))
  }

  /** What the turn's transcript is derived from. */
  get source(): TranscriptSource {
    return withTurn(this.#history, this.fold)
  }

  /** The transcript as the model sees it. */
  get messages(): readonly Message[] {
    this.#takeOverlaysIn()
    return [...this.#base, ...this.fold.messages.slice(this.#ownStart)]
  }

  get messageCount(): number {
    this.#takeOverlaysIn()
    return this.#base.length + this.fold.messages.length - this.#ownStart
  }

  /** Estimated tokens of the transcript. Costs only what was added since it was asked last. */
  estimateTokens(): number {
    this.#takeOverlaysIn()
    const counted = this.#counted
    if (counted.base !== this.#base) {
      counted.base = this.#base
      counted.tokens = this.#base.reduce((sum, message) => sum + estimateMessageTokens(message), 0)
      counted.own = this.#ownStart
    }
    for (; counted.own < this.fold.messages.length; counted.own += 1) {
      const message = this.fold.messages[counted.own]
      if (message !== undefined) counted.tokens += estimateMessageTokens(message)
    }
    return counted.tokens
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

  /** Wait for a part; once the turn is stopped, only as long as it takes a cooperative one to notice. */
  async abortable<T>(promise: Promise<T>): Promise<T> {
    const { signal, parts, noticeMs } = this
    const settled = await settleWithin(promise, { signal, graceMs: noticeMs, clock: parts.clock })
    if (settled === ABANDONED) throw signal.reason
    return settled
  }

  /** Long enough for a part to resolve on abort, too short for anybody to feel. */
  get noticeMs(): number {
    return Math.min(20, this.parts.graceMs)
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
    const { sessionId, settings, cacheMarks } = this.parts
    const context = { turnId: this.options.turnId, messages, ...(sessionId !== undefined && { sessionId }) }
    const instructions = await this.parts.instructions?.(context)
    return {
      ...(instructions !== undefined && instructions !== '' && { instructions }),
      messages,
      tools: this.#describe(tools),
      ...(settings !== undefined && { settings }),
      ...(cacheMarks !== undefined && { cacheMarks }),
    }
  }

  /** The same list for the same tools, so that a model can keep what it made of it. */
  #describe(tools: readonly Tool[]): readonly ModelTool[] {
    if (this.#modelTools?.of !== tools) {
      const list = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
      this.#modelTools = { of: tools, list }
    }
    return this.#modelTools.list
  }

  /** Only the turn's own messages can be unsound: history was healed once, when the turn began. */
  #soundMessages(): readonly Message[] {
    this.#takeOverlaysIn()
    const own = reconcileHistory(this.fold.messages.slice(this.#ownStart)).messages
    const messages = [...this.#base, ...own]
    if (messages.length === 0) throw new TurnloopError('bad-input', 'There is nothing to ask the model about yet.')
    return messages
  }

  /** After a compaction, the transcript up to it is a new one. */
  #takeOverlaysIn(): void {
    const { overlays, messages } = this.fold
    if (overlays.length === this.#overlays) return
    this.#overlays = overlays.length
    this.#ownStart = messages.length
    this.#base = reconcileHistory(historyMessages(this.source)).messages
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

/** The same parts, with a transcript that came along with the input behind what they have. */
export function withHistory(parts: RunnerParts, messages: readonly Message[]): RunnerParts {
  const before = parts.history === undefined ? [] : historyMessages(parts.history)
  return { ...parts, history: sourceOf([...before, ...messages]) }
}
