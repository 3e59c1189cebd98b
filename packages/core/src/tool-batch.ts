import { settleWithin } from './abort.ts'
import type { Clock } from './clock.ts'
import type { ApprovalDecided, EntryDraft, ToolSettled, ToolStarted } from './entries.ts'
import type { LiveEventBody } from './events.ts'
import { type AssistantMessage, clientCalls, type Message, type ToolCallPart } from './messages.ts'
import type { PendingRequest } from './outcome.ts'
import { LOST_TEXT, stopTexts, textResult, UNRECORDED_TEXT } from './result-text.ts'
import type { Appended } from './session-log.ts'
import { mayRunAgain, type Tool } from './tool.ts'
import { runCall } from './tool-call.ts'
import { type PlannedCall, planCall, type ReadyCall, recheckCall } from './tool-plan.ts'

/** What is known of a batch from before a crash: empty for a new one. */
export interface KnownCalls {
  readonly started: ReadonlyMap<string, ToolStarted>
  readonly settled: ReadonlyMap<string, ToolSettled>
  readonly decided: ReadonlyMap<string, ApprovalDecided>
}

/** What running a batch is given. */
export interface ToolBatchOptions {
  readonly signal: AbortSignal
  readonly graceMs: number
  readonly known: KnownCalls
  readonly tools: readonly Tool[]
  /** The transcript up to and including the reply. */
  readonly messages: readonly Message[]
  readonly turnId: string
  readonly sessionId?: string
  /** The turn's limit on the reply, to recognise arguments that it cut. */
  readonly maxOutputTokens?: number
  emit(body: LiveEventBody): void
  append(...drafts: EntryDraft[]): Appended
}

/** How an agent runs its batches. */
export interface ToolBatchSettings {
  readonly clock: Clock
  readonly execution: 'parallel' | 'sequential'
  readonly maxParallelTools: number
  readonly maxResultBytes: number
}

/**
 * Run the calls of one reply: plan all, run them side by side or one by one, and write down what becomes of each.
 *
 * Every call that is not settled yet gets its `tool-settled`, at the latest `graceMs` after abort; one call's failure
 * never hurts another. Calls from before a crash are kept where they settled, repeated where that is safe, and answered
 * `unknown` where it is not. Resolves with what a person has yet to decide; never rejects.
 * Source: the turn guide, "Settling a batch".
 */
export async function runToolBatch(
  reply: AssistantMessage,
  options: ToolBatchOptions,
  settings: ToolBatchSettings,
): Promise<readonly PendingRequest[]> {
  const open = clientCalls(reply).filter((call) => !options.known.settled.has(call.callId))
  const probablyCut = reply.usage?.outputTokens !== undefined && reply.usage.outputTokens === options.maxOutputTokens
  const batch = new ToolBatch(options, settings)
  const planned = await Promise.all(open.map((call) => batch.plan(call, probablyCut)))
  await batch.run(planned.filter((call) => call !== undefined))
  return []
}

class ToolBatch {
  readonly #options: ToolBatchOptions
  readonly #settings: ToolBatchSettings

  constructor(options: ToolBatchOptions, settings: ToolBatchSettings) {
    this.#options = options
    this.#settings = settings
  }

  /** Plan a call; one that was running when the page went away and must not run twice is settled here. */
  async plan(call: ToolCallPart, probablyCut: boolean): Promise<PlannedCall | undefined> {
    const { known, tools } = this.#options
    const started = known.started.get(call.callId)
    if (started === undefined) return planCall(call, tools, { probablyCut })
    const planned = await recheckCall(call, tools, started.input)
    if (planned.kind === 'ready' && mayRunAgain(planned.tool)) return planned
    this.#settle(call, { status: 'unknown', result: textResult(LOST_TEXT, true) })
    return undefined
  }

  /** Start calls in order: side by side up to the limit, an exclusive one with nothing beside it. */
  async run(calls: readonly PlannedCall[]): Promise<void> {
    const limit = this.#settings.execution === 'sequential' ? 1 : this.#settings.maxParallelTools
    const running = new Set<Promise<void>>()
    for (const call of calls) {
      const isExclusive = call.kind === 'ready' && call.tool.exclusive
      const room = isExclusive ? 1 : limit
      while (running.size >= room) await Promise.race(running)
      const ended = this.#runOne(call).finally(() => running.delete(ended))
      running.add(ended)
      if (isExclusive) await ended
    }
    await Promise.all(running)
  }

  async #runOne(planned: PlannedCall): Promise<void> {
    const { call } = planned
    if (this.#options.signal.aborted) return this.#notRun(call)
    if (planned.kind === 'refused') {
      this.#settle(call, { status: 'error', result: textResult(planned.problem, true) })
      return
    }
    if (!(await this.#recordStart(planned))) return
    const { started } = this.#options.known
    this.#settle(
      call,
      await runCall(planned, {
        ...this.#options,
        clock: this.#settings.clock,
        maxResultBytes: this.#settings.maxResultBytes,
        idempotencyKey: started.get(call.callId)?.idempotencyKey ?? call.callId,
        onLate: (late) => this.#settle(call, { ...late, late: true }),
      }),
    )
  }

  /** Write down that a call starts. An unsafe one starts only once that is stored, so that no reload can repeat it. */
  async #recordStart(ready: ReadyCall): Promise<boolean> {
    const { call, tool, input } = ready
    const before = this.#options.known.started.get(call.callId)
    const { saved } = this.#options.append({
      type: 'tool-started',
      callId: call.callId,
      toolName: tool.name,
      input,
      idempotencyKey: before?.idempotencyKey ?? call.callId,
      attempt: (before?.attempt ?? 0) + 1,
    })
    if (mayRunAgain(tool)) return true
    const { signal } = this.#options
    const isRecorded = await settleWithin(saved, { signal, graceMs: 0, clock: this.#settings.clock })
    if (signal.aborted) this.#notRun(call)
    else if (isRecorded !== true) this.#settle(call, { status: 'not-run', result: textResult(UNRECORDED_TEXT, true) })
    else return true
    return false
  }

  #notRun(call: ToolCallPart): void {
    const wasStarted = this.#options.known.started.has(call.callId)
    const text = stopTexts(this.#options.signal.reason).notRun
    if (wasStarted) this.#settle(call, { status: 'unknown', result: textResult(LOST_TEXT, true) })
    else this.#settle(call, { status: 'not-run', result: textResult(text, true) })
  }

  #settle(call: ToolCallPart, settled: Omit<ToolSettled, 'type' | 'callId' | 'toolName'>): void {
    const { status, result, startedAt, durationMs, late } = settled
    this.#options.append({
      type: 'tool-settled',
      callId: call.callId,
      toolName: call.toolName,
      status,
      result,
      ...(startedAt !== undefined && { startedAt }),
      ...(durationMs !== undefined && { durationMs }),
      ...(late && { late }),
    })
  }
}
