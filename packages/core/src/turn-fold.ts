import type { ReplyCounts } from './decide.ts'
import { isEmptyReply } from './decide.ts'
import type { Entry, StoredMessage, ToolSettled, ToolStarted } from './entries.ts'
import { type AssistantMessage, clientCalls, type Message, type ToolMessage, type ToolResult } from './messages.ts'
import type { Outcome } from './outcome.ts'
import { addUsage, type Usage } from './usage.ts'

/** A tool batch that has been asked for and not answered yet. */
export interface OpenBatch {
  readonly reply: AssistantMessage
  readonly started: Map<string, ToolStarted>
  readonly settled: Map<string, ToolSettled>
}

/**
 * Where a turn stands, folded from its entries.
 *
 * The running turn and a resumed one read the same fold, so that going on after a crash is not a second program.
 */
export class TurnFold {
  /** The turn's own messages, tool results joined. */
  readonly messages: Message[] = []
  batch: OpenBatch | undefined
  /** Settled batches. */
  iteration = 0
  usage: Usage = {}
  outcome: Outcome | undefined
  history = true
  hasStarted = false
  readonly #counts: { -readonly [Field in keyof ReplyCounts]: number } = {
    lengthCutsInARow: 0,
    missingCalls: 0,
    pausesInARow: 0,
    emptyInARow: 0,
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
    switch (entry.type) {
      case 'turn-started':
        this.hasStarted = true
        this.history = entry.history
        return
      case 'message':
        this.#addMessage(entry.message)
        return
      case 'tool-started':
        this.batch?.started.set(entry.callId, entry)
        return
      case 'tool-settled':
        if (!entry.late) this.batch?.settled.set(entry.callId, entry)
        return
      case 'turn-ended':
        this.outcome = entry.outcome
        return
      default:
        return
    }
  }

  #addMessage(message: StoredMessage): void {
    if (message.role === 'tool') {
      this.messages.push(joinResults(message, (callId) => this.batch?.settled.get(callId)))
      if (this.batch?.reply.stopReason === 'toolUse') this.iteration += 1
      this.batch = undefined
      return
    }
    this.messages.push(message)
    if (message.role === 'assistant') this.#addReply(message)
  }

  #addReply(reply: AssistantMessage): void {
    this.usage = addUsage(this.usage, reply.usage)
    const calls = clientCalls(reply)
    if (calls.length > 0) this.batch = { reply, started: new Map(), settled: new Map() }
    const counts = this.#counts
    counts.lengthCutsInARow = reply.stopReason === 'maxTokens' && calls.length > 0 ? counts.lengthCutsInARow + 1 : 0
    counts.pausesInARow = reply.stopReason === 'pause' ? counts.pausesInARow + 1 : 0
    counts.emptyInARow = isEmptyReply(reply) && !reply.missingCall ? counts.emptyInARow + 1 : 0
    if (reply.missingCall) counts.missingCalls += 1
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

/** The entries of the last turn in a log, if that turn has not ended. */
export function findOpenTurn(log: readonly Entry[]): { turnId: string; entries: readonly Entry[] } | undefined {
  const start = log.findLastIndex((entry) => entry.type === 'turn-started' && !entry.path?.length)
  const turnId = log[start]?.turnId
  if (turnId === undefined) return undefined
  const entries = log.slice(start).filter((entry) => entry.turnId === turnId && !entry.path?.length)
  if (entries.some((entry) => entry.type === 'turn-ended')) return undefined
  return { turnId, entries }
}
