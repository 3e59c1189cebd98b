import { isEmptyReply, type ReplyCounts } from './decide.ts'
import type {
  ApprovalDecided,
  ApprovalRequested,
  Entry,
  StopRequested,
  StoredMessage,
  ToolSettled,
  ToolStarted,
} from './entries.ts'
import type { JsonObject } from './json.ts'
import { mergePatch } from './merge-patch.ts'
import {
  type AssistantMessage,
  clientCalls,
  type Message,
  type ToolCallPart,
  type ToolMessage,
  type ToolResult,
} from './messages.ts'
import type { Outcome, PendingRequest } from './outcome.ts'
import { RepeatGuard } from './repeat-guard.ts'
import type { LoggedMessage, LoggedOverlay, TranscriptSource } from './transcript.ts'
import { addUsage, type Usage } from './usage.ts'

/** A tool batch that has been asked for and not answered yet. */
export interface OpenBatch {
  readonly reply: AssistantMessage
  /** What it asks for: in call order. */
  readonly calls: readonly ToolCallPart[]
  readonly started: Map<string, ToolStarted>
  readonly settled: Map<string, ToolSettled>
  /** What people were asked, and what they decided, by call. */
  readonly requested: Map<string, ApprovalRequested>
  readonly decided: Map<string, ApprovalDecided>
}

/**
 * Where a turn stands, folded from its entries.
 *
 * The running turn and a resumed one read the same fold, so that going on after a crash is not a second program.
 */
export class TurnFold {
  /** The turn's own messages, tool results joined. */
  readonly messages: Message[] = []
  /** The same messages with their place in the log. */
  readonly logged: LoggedMessage[] = []
  readonly overlays: LoggedOverlay[] = []
  /** What agents that ran as tools of this turn wrote, by call, their path shortened by it. */
  readonly nested: Map<string, Entry[]> = new Map()
  readonly repeats: RepeatGuard
  /** The requests that people have decided about, those of nested agents included. */
  readonly decidedIds: Set<string> = new Set()
  batch: OpenBatch | undefined
  /** Settled batches. */
  iteration = 0
  /** Of all model calls, those of nested agents and of compactions included. */
  usage: Usage = {}
  /** What the last model call reported; void once a compaction has changed what is sent. */
  lastUsage: Usage | undefined
  outcome: Outcome | undefined
  /** Somebody has stopped it. */
  stop: StopRequested | undefined
  history = true
  /** The session's state, with what the turn has changed. */
  state: JsonObject = {}
  /** What hooks end the turn with, by what they said of the message that stands last. */
  lastEnds: Outcome | undefined
  /** How often hooks have sent the model back. */
  hookRetries = 0
  /** Sequence of the turn's first entry; 0 before it has started. */
  start = 0
  /** How often the structured answer has been asked for, and asked for again because it did not fit. */
  finalisers = 0
  outputRepairs = 0
  /** What the calls of the last answered batch ran with. */
  lastInputs: ReadonlyMap<string, ToolStarted> = new Map()
  readonly #counts: { -readonly [Field in keyof ReplyCounts]: number } = {
    lengthCutsInARow: 0,
    missingCalls: 0,
    pausesInARow: 0,
    emptyInARow: 0,
  }

  constructor(options: { repeatLimit?: number } = {}) {
    this.repeats = new RepeatGuard(options.repeatLimit ?? Number.POSITIVE_INFINITY)
  }

  get hasStarted(): boolean {
    return this.start > 0
  }

  get counts(): ReplyCounts {
    return this.#counts
  }

  /** The last assistant message of the turn. */
  get lastReply(): AssistantMessage | undefined {
    return this.messages.findLast((message) => message.role === 'assistant')
  }

  /** A whole reply that stands last and that nothing has been decided about. */
  get undecidedReply(): AssistantMessage | undefined {
    const last = this.messages.at(-1)
    if (last?.role === 'assistant') return this.batch === undefined ? last : undefined
    // A reply whose calls were refused, not run, is followed by their answers and decides the turn itself.
    const before = this.messages.at(-2)
    const refused = last?.role === 'tool' && before?.role === 'assistant' && before.stopReason !== 'toolUse'
    return refused ? before : undefined
  }

  apply(entry: Entry): void {
    const [callId, ...rest] = entry.path ?? []
    if (callId !== undefined) {
      this.#addNested(callId, rest, entry)
      return
    }
    switch (entry.type) {
      case 'turn-started':
        this.start = entry.sequence
        this.history = entry.history
        return
      case 'message':
        this.#addMessage(entry.message, entry)
        return
      case 'tool-started':
        this.batch?.started.set(entry.callId, entry)
        return
      case 'tool-settled':
        if (!entry.late) this.batch?.settled.set(entry.callId, entry)
        return
      case 'approval-requested':
        this.batch?.requested.set(entry.callId, entry)
        return
      case 'approval-decided':
        this.#decide(entry)
        return
      case 'stop-requested':
        this.stop = entry
        return
      case 'turn-paused':
        this.outcome = { kind: 'awaiting', pending: entry.pending }
        return
      case 'state-changed':
        this.state = mergePatch(this.state, entry.patch)
        return
      case 'overlay':
        this.overlays.push({ id: entry.id, hides: entry.hides, shows: entry.shows, at: entry.sequence })
        this.usage = addUsage(this.usage, entry.usage)
        this.lastUsage = undefined
        return
      case 'turn-ended':
        this.outcome = entry.outcome
        // With what replies cost of which nothing was worth writing down.
        this.usage = entry.usage
        return
      default:
        return
    }
  }

  /** What people were asked and have not decided, by id: of the open batch, or of an agent that runs in it. */
  openRequest(id: string): PendingRequest | undefined {
    const { batch, nested, decidedIds } = this
    if (batch === undefined || decidedIds.has(id)) return undefined
    for (const { callId } of batch.calls) {
      if (batch.settled.has(callId)) continue
      const own = batch.requested.get(callId)
      if (own?.id === id) return own
      const inner = nested.get(callId)?.find((entry) => entry.type === 'approval-requested' && entry.id === id)
      if (inner?.type === 'approval-requested') return { ...inner, path: [callId, ...(inner.path ?? [])] }
    }
    return undefined
  }

  /** The first word counts: what is said later of the same request may contradict what has been done. */
  #decide(decided: ApprovalDecided): void {
    if (this.decidedIds.has(decided.id)) return
    this.decidedIds.add(decided.id)
    const { batch } = this
    for (const { id, callId } of batch?.requested.values() ?? [])
      if (id === decided.id) batch?.decided.set(callId, decided)
  }

  #addNested(callId: string, path: readonly string[], entry: Entry): void {
    const { path: _path, ...own } = entry
    const inner = path.length === 0 ? own : { ...own, path }
    const known = this.nested.get(callId)
    if (known === undefined) this.nested.set(callId, [inner])
    else known.push(inner)
    if (entry.type === 'message') this.#addCost(entry)
    if (entry.type === 'overlay') this.usage = addUsage(this.usage, entry.usage)
    if (entry.type === 'approval-decided') this.decidedIds.add(entry.id)
  }

  /** What the loop put together itself cost nothing again; tries that failed, and what was withheld, did cost something. */
  #addCost({ message, discardedUsage }: Extract<Entry, { type: 'message' }>): void {
    if (message.role !== 'assistant') return
    this.usage = addUsage(this.usage, discardedUsage)
    if (message.synthetic === undefined) this.usage = addUsage(this.usage, message.usage)
  }

  #addMessage(stored: StoredMessage, entry: Extract<Entry, { type: 'message' }>): void {
    const { sequence, blocked } = entry
    this.#addCost(entry)
    const message = stored.role === 'tool' ? joinResults(stored, (callId) => this.batch?.settled.get(callId)) : stored
    this.messages.push(message)
    this.logged.push({ sequence, message, ...(blocked !== undefined && { blocked: true as const }) })
    this.lastEnds = entry.ends
    if (message.role === 'tool') this.#closeBatch(message, entry.ends)
    else if (message.role === 'assistant') this.#addReply(message)
    else if (message.synthetic === 'finaliser') this.finalisers += 1
    else if (message.synthetic === 'output-repair') this.outputRepairs += 1
    else if (message.synthetic === 'hook-retry') this.hookRetries += 1
  }

  #closeBatch(answer: ToolMessage, ends: Outcome | undefined): void {
    const { batch } = this
    const settled = batch?.calls.flatMap(({ callId }) => batch.settled.get(callId) ?? []) ?? []
    this.lastEnds = settled.find((call) => call.ends !== undefined)?.ends ?? ends
    if (batch?.reply.stopReason === 'toolUse') this.iteration += 1
    if (batch !== undefined) this.repeats.record(batch.calls, answer.results)
    this.lastInputs = batch?.started ?? this.lastInputs
    this.batch = undefined
  }

  #addReply(reply: AssistantMessage): void {
    if (reply.synthetic !== undefined) return
    this.lastUsage = reply.usage ?? this.lastUsage
    const calls = clientCalls(reply)
    if (calls.length > 0) this.batch = openBatch(reply, calls)
    this.#count(reply, calls.length > 0)
  }

  /** The counts with one more reply. */
  countsWith(reply: AssistantMessage): ReplyCounts {
    const counts = { ...this.#counts }
    this.#count(reply, clientCalls(reply).length > 0, counts)
    return counts
  }

  /** In a row: since the last reply whose tools ran. */
  #count(reply: AssistantMessage, hasCalls: boolean, counts = this.#counts): void {
    if (reply.stopReason === 'toolUse') {
      counts.lengthCutsInARow = 0
      counts.pausesInARow = 0
      counts.emptyInARow = 0
    }
    if (reply.stopReason === 'maxTokens' && hasCalls) counts.lengthCutsInARow += 1
    if (reply.stopReason === 'pause') counts.pausesInARow += 1
    else if (isEmptyReply(reply) && !reply.missingCall) counts.emptyInARow += 1
    if (reply.missingCall) counts.missingCalls += 1
  }
}

function openBatch(reply: AssistantMessage, calls: readonly ToolCallPart[]): OpenBatch {
  return { reply, calls, started: new Map(), settled: new Map(), requested: new Map(), decided: new Map() }
}

/** A source with what a turn wrote behind it. */
export function withTurn(source: TranscriptSource, fold: TurnFold): TranscriptSource {
  return {
    ...source,
    messages: [...source.messages, ...fold.logged],
    overlays: [...source.overlays, ...fold.overlays],
  }
}

/** The tool message a stored one stands for: its own results where it has them, else what the calls settled with. */
export function joinResults(
  stored: Extract<StoredMessage, { role: 'tool' }>,
  settled: (callId: string) => Omit<ToolResult, 'callId'> | undefined,
): ToolMessage {
  const results = stored.calls.flatMap(({ callId, result }): ToolResult[] => {
    const found = settled(callId)
    if (found === undefined) return []
    const { toolName, status, startedAt, durationMs } = found
    return [
      {
        callId,
        toolName,
        status,
        result: result ?? found.result,
        ...(startedAt !== undefined && { startedAt }),
        ...(durationMs !== undefined && { durationMs }),
      },
    ]
  })
  return Object.freeze({ id: stored.id, role: 'tool', createdAt: stored.createdAt, results })
}
