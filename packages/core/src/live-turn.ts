import { ABANDONED, settleWithin } from './abort.ts'
import { checkDecision, toDecided } from './approvals.ts'
import { createCallIds } from './call-ids.ts'
import type { Clock } from './clock.ts'
import { type ApprovalDecided, type Entry, type EntryDraft, isEntry } from './entries.ts'
import { describeThrown, TurnloopError, toErrorRecord } from './errors.ts'
import type { LiveEvent, LiveEventBody, TurnEvent } from './events.ts'
import { SILENT, type TurnInfo } from './hook-context.ts'
import type { JsonObject } from './json.ts'
import type { Appended } from './log-writer.ts'
import type { Message, ToolCallPart, UserMessage } from './messages.ts'
import type { ModelRequest } from './model.ts'
import type { Decision, EvalResult, HookError } from './outcome.ts'
import type { CallIds } from './reply-builder.ts'
import type { RunnerParts, TurnCompactor } from './runner-parts.ts'
import type { RunningTurn } from './running-turn.ts'
import { SoundHistory } from './sound-history.ts'
import type { Tool } from './tool.ts'
import { allMessages, EMPTY_SOURCE, historyMessages, type TranscriptSource } from './transcript.ts'
import { TurnFold, withTurn } from './turn-fold.ts'
import type { TurnHooks } from './turn-hooks.ts'
import { TurnTools } from './turn-tools.ts'

/** What a turn starts with; without `input` it goes on with the transcript as it is. */
export interface LiveTurnOptions {
  readonly turnId: string
  readonly signal: AbortSignal
  readonly input?: readonly UserMessage[]
  /** `false`: requests hold this turn's own messages only, and it joins no later transcript. */
  readonly history: boolean
  readonly retryOf?: string
  /** What has joined the log since its last run, to be told first. */
  readonly news?: readonly Entry[]
  deliver(event: TurnEvent): void
  /** Stop the turn from within. */
  abort(reason: unknown): void
}

/** A running turn: its fold, its parts, and the ways to say something. */
export class LiveTurn implements RunningTurn {
  readonly parts: RunnerParts
  readonly options: LiveTurnOptions
  readonly fold: TurnFold
  readonly signal: AbortSignal
  readonly ids: CallIds
  /** How many messages the transcript had when the turn was stopped. */
  messagesAtStop: number | undefined
  /** Whether a batch was answered after the stop, and whether all of it had finished. */
  settledAtStop: 'nothing' | 'completed' | 'interrupted' = 'nothing'
  /** Whether a reload would find the calls of the last reply again, and so the keys that they run with. */
  isReplyStored = true
  /** The structured answer: what the schema made of it, and the JSON that the log keeps. */
  answer: { readonly value: unknown; readonly json: JsonObject } | undefined
  /** Keeps the transcript within the model's window; absent: nothing does. */
  readonly compactor: TurnCompactor | undefined
  /** What watches and changes the turn; absent: nothing does. */
  readonly hooks: TurnHooks | undefined
  readonly hookErrors: HookError[] = []
  readonly evals: EvalResult[] = []
  readonly info: TurnInfo
  /** `'continue'`: some of it ran before. */
  phase: 'run' | 'continue' = 'run'
  readonly #rewrites: ((source: TranscriptSource) => EntryDraft | undefined)[] = []
  readonly #history: TranscriptSource
  /** What the model sees, and how many of the turn's own messages are in it. */
  #sound: SoundHistory
  #taken = 0
  #overlays = 0
  readonly #tools: TurnTools
  #lastSequence = 0
  readonly #deciders = new Set<(callId: string, decided: ApprovalDecided) => void>()
  /** The turn's entries, for a run that goes on after a pause. */
  readonly entries: Entry[] = []

  constructor(parts: RunnerParts, options: LiveTurnOptions) {
    this.parts = parts
    this.options = options
    this.signal = options.signal
    this.#tools = new TurnTools(parts, options.signal)
    this.fold = new TurnFold(parts.repeatLimit === undefined ? {} : { repeatLimit: parts.repeatLimit })
    const all = parts.history ?? EMPTY_SOURCE
    this.#history = options.history ? all : EMPTY_SOURCE
    this.#sound = new SoundHistory(historyMessages(this.#history))
    this.fold.state = parts.state ?? {}
    const { agentName: name, modelId } = parts
    this.info = parts.info ?? { debug: false, metadata: {}, extra: {}, logger: SILENT, agent: { name, modelId } }
    this.compactor = parts.compaction?.forTurn(this)
    this.hooks = parts.hooks?.forTurn(this)
    this.ids = createCallIds(() => [allMessages(all), this.fold.messages])
  }

  /** What the turn's transcript is derived from. */
  get source(): TranscriptSource {
    return withTurn(this.#history, this.fold)
  }

  /** The transcript so far, sound: what goes to the model. */
  get messages(): readonly Message[] {
    return this.#upToDate().messages
  }

  /** The same as it stands now, with a reply that stands last as it is; made when it is looked at. */
  unanswered(): () => readonly Message[] {
    return this.#upToDate().unanswered()
  }

  /** How many messages it has, a reply that is yet to be answered as it is. */
  get messageCount(): number {
    return this.#upToDate().length
  }

  get closed(): readonly Message[] {
    return this.#upToDate().closed
  }

  get open(): Message | undefined {
    return this.#upToDate().open
  }

  get clock(): Clock {
    return this.parts.clock
  }

  get modelId(): string {
    return this.parts.modelId
  }

  get turnId(): string {
    return this.options.turnId
  }

  get sessionId(): string | undefined {
    return this.parts.sessionId
  }

  get graceMs(): number {
    return this.parts.graceMs
  }

  get depth(): number {
    return this.parts.depth ?? 0
  }

  get state(): JsonObject {
    return this.fold.state
  }

  /** The same after the turn has ended: what a blocked input has changed is void. */
  get committedState(): JsonObject {
    const { outcome, state } = this.fold
    const isVoid = outcome !== undefined && this.hooks?.commitsState(outcome) === false
    return isVoid ? (this.parts.state ?? {}) : state
  }

  abort(reason: unknown): void {
    this.options.abort(reason)
  }

  rewrite(rewrite: (source: TranscriptSource) => EntryDraft | undefined): void {
    this.#rewrites.push(rewrite)
    this.#applyRewrites()
  }

  /** Take in what the log holds of this turn already. */
  restore(entry: Entry): void {
    this.phase = 'continue'
    this.#lastSequence = entry.sequence
    this.entries.push(entry)
    this.fold.apply(entry)
  }

  /** Hear what people decide while the turn runs; the returned function stops that. */
  onDecision(listener: (callId: string, decided: ApprovalDecided) => void): () => void {
    this.#deciders.add(listener)
    return () => void this.#deciders.delete(listener)
  }

  /** Write a decision down and act on it; `undefined` where nothing waits for it. Throws `bad-input` for one of another kind. */
  decide(decision: Decision): Appended | undefined {
    const asked = this.signal.aborted ? undefined : this.fold.openRequest(decision.id)
    if (asked === undefined) return undefined
    checkDecision(decision, asked)
    const decided = toDecided(decision, asked.path)
    const appended = this.append(decided)
    for (const listener of [...this.#deciders]) listener(asked.path?.[0] ?? asked.callId, decided)
    return appended
  }

  /** Write facts: they join the fold and are delivered as the very objects that are stored. */
  append(...drafts: EntryDraft[]): Appended {
    const { turnId } = this.options
    const appended = this.parts.append(
      ...drafts.map((draft) => (draft.turnId === undefined ? { turnId, ...draft } : draft)),
    )
    for (const entry of appended.entries) {
      this.#lastSequence = entry.sequence
      this.entries.push(entry)
      this.fold.apply(entry)
      this.options.deliver(entry)
    }
    return appended
  }

  emit(body: LiveEventBody & Pick<LiveEvent, 'path'>): void {
    const { turnId } = this.options
    this.options.deliver({ turnId, at: this.parts.clock.now(), after: this.#lastSequence, ...body })
  }

  /** Pass a live event of an agent that a hook runs on. */
  forward(event: TurnEvent, step: string): void {
    if (isEntry(event)) return
    const { turnId: _own, at: _at, after: _after, path = [], ...body } = event
    this.emit({ ...body, path: [step, ...path] })
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
  listTools(): Promise<readonly Tool[]> {
    return this.#tools.list()
  }

  /** What the model is asked next. Pair-valid: what is not is healed first. */
  async createRequest(): Promise<ModelRequest> {
    const tools = this.#tools.known ?? (await this.abortable(this.listTools()))
    this.#applyRewrites()
    const { messages } = this
    if (messages.length === 0) throw new TurnloopError('bad-input', 'There is nothing to ask the model about yet.')
    const { sessionId, settings, cacheMarks } = this.parts
    const context = { turnId: this.options.turnId, messages, ...(sessionId !== undefined && { sessionId }) }
    const given = this.parts.instructions?.(context)
    const isThere = given === undefined || typeof given === 'string'
    const instructions = isThere ? given : await this.abortable(Promise.resolve(given))
    return {
      ...(instructions !== undefined && instructions !== '' && { instructions }),
      messages,
      tools: this.#tools.describe(tools),
      ...(settings !== undefined && { settings }),
      ...(cacheMarks !== undefined && { cacheMarks }),
    }
  }

  /** What hooks made of the transcript, as overlays. Not while calls wait for their results: those belong to what stands there. */
  #applyRewrites(): void {
    if (this.fold.batch !== undefined) return
    for (const rewrite of this.#rewrites.splice(0)) {
      const draft = rewrite(this.source)
      if (draft !== undefined) this.append(draft)
    }
  }

  /** The transcript with what the fold has by now. After a compaction it is a new one. */
  #upToDate(): SoundHistory {
    const { overlays, messages, logged } = this.fold
    if (overlays.length > this.#overlays) {
      this.#overlays = overlays.length
      this.#taken = messages.length
      this.#sound = new SoundHistory(historyMessages(this.source))
    }
    for (; this.#taken < messages.length; this.#taken += 1) {
      const message = messages[this.#taken]
      if (message !== undefined && !logged[this.#taken]?.blocked) this.#sound.add(message)
    }
    return this.#sound
  }

  /** Let go of what the turn listens to. Never throws. */
  release(): void {
    try {
      this.#tools.release()
    } catch (error) {
      this.warn('A tool source could not be left', error)
    }
  }
}

/** The client calls of the open batch that have no result yet. */
export function unsettledCalls({ fold: { batch } }: LiveTurn): readonly ToolCallPart[] {
  return batch === undefined ? [] : batch.calls.filter((call) => !batch.settled.has(call.callId))
}
