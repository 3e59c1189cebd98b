import { settleWithin } from './abort.ts'
import {
  type AnsweredCall,
  afterDecision,
  answerOf,
  askPeople,
  asksPeople,
  CallPaused,
  type WaitingCall,
} from './approvals.ts'
import { CallQueue } from './call-queue.ts'
import type { ApprovalDecided, ToolSettled } from './entries.ts'
import { SAVED } from './log-writer.ts'
import { type AssistantMessage, clientCalls, type ToolCallPart } from './messages.ts'
import type { PendingRequest } from './outcome.ts'
import { repairCall } from './repair-call.ts'
import { AFTER_UNKNOWN_TEXT, LOST_TEXT, REPEATED_TEXT, stopTexts, textResult, UNRECORDED_TEXT } from './result-text.ts'
import { mayRunAgain } from './tool.ts'
import type { ToolBatchOptions, ToolBatchSettings } from './tool-batch-options.ts'
import { runCall, type ToolCallOptions } from './tool-call.ts'
import { type PlannedCall, planCall, type ReadyCall, recheckCall, resolveTool } from './tool-plan.ts'

/** A call that is not run, and what the model is told about it. */
interface SkippedCall {
  readonly kind: 'skipped'
  readonly call: ToolCallPart
  readonly text: string
}

type BatchCall = PlannedCall | SkippedCall | AnsweredCall | WaitingCall

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
  const batch = new ToolBatch(options, settings)
  return batch.run(await batch.plan(reply))
}

class ToolBatch {
  readonly #options: ToolBatchOptions
  readonly #settings: ToolBatchSettings
  /** What all calls run with. */
  readonly #common: ToolCallOptions

  readonly #early = new Map<string, ApprovalDecided>()
  #listener: (callId: string, decided: ApprovalDecided) => void = (callId, decided) => this.#early.set(callId, decided)
  readonly #stopListening: (() => void) | undefined

  constructor(options: ToolBatchOptions, settings: ToolBatchSettings) {
    this.#options = options
    this.#stopListening = options.onDecision?.((callId, decided) => this.#listener(callId, decided))
    this.#settings = settings
    const { signal, graceMs, turnId, sessionId, emit } = options
    const { clock, maxResultBytes, toolMs } = settings
    this.#common = {
      signal,
      graceMs,
      clock,
      maxResultBytes,
      turnId,
      get messages() {
        return options.messages
      },
      emit,
      ...(sessionId !== undefined && { sessionId }),
      ...(toolMs !== undefined && { toolMs }),
    }
  }

  /** What is to become of each call that is not settled yet, in call order. */
  async plan(reply: AssistantMessage): Promise<BatchCall[]> {
    const { known, tools, maxOutputTokens } = this.#options
    const calls = clientCalls(reply)
    const tokens = reply.usage?.outputTokens
    const hint = { probablyCut: tokens !== undefined && tokens === maxOutputTokens }
    const isOpen = ({ callId }: ToolCallPart): boolean => !known.settled.has(callId)
    if (this.#settings.unknownTool !== 'short-circuit')
      return Promise.all(calls.filter(isOpen).map((call) => this.#planOne(call, hint)))
    const planned: BatchCall[] = []
    let isCut = false
    for (const call of calls) {
      if (isOpen(call)) {
        const next: BatchCall = isCut ? skip(call, AFTER_UNKNOWN_TEXT) : await this.#planOne(call, hint)
        planned.push(next)
        isCut ||= next.kind === 'refused' && next.isUnknown === true
      } else {
        // Answered before a crash, and what came after it was not.
        const wasRefused = known.settled.get(call.callId)?.status === 'error' && !known.started.has(call.callId)
        isCut ||= wasRefused && resolveTool(call.toolName, tools) === undefined
      }
    }
    return planned
  }

  async #planOne(call: ToolCallPart, hint: { probablyCut: boolean }): Promise<BatchCall> {
    const { known, tools, toolsOff, repeats } = this.#options
    const { repairToolCall } = this.#settings
    if (toolsOff !== undefined) return skip(call, toolsOff)
    const started = known.started.get(call.callId)
    if (started !== undefined) {
      const planned = await recheckCall(call, tools, started)
      return planned.kind === 'ready' && mayRunAgain(planned.tool) ? planned : skip(call, LOST_TEXT)
    }
    const decided = known.decided.get(call.callId)
    // Without a look at what it was about: it never runs.
    const refusal = decided?.allow === false ? answerOf(call, decided) : undefined
    if (refusal !== undefined) return refusal
    if (repeats?.check(call) === 'refuse') return skip(call, REPEATED_TEXT)
    const planned = await planCall(call, tools, hint)
    const mended =
      planned.kind === 'ready' || repairToolCall === undefined
        ? planned
        : await repairCall(planned, repairToolCall, {
            tools,
            signal: this.#options.signal,
            clock: this.#settings.clock,
          })
    if (mended.kind === 'refused') return answerOf(call, decided) ?? mended
    const isAsked = decided !== undefined || asksPeople(mended.tool)
    return isAsked ? askPeople(mended, this.#options, this.#settings.clock) : mended
  }

  /**
   * Start calls in order: side by side up to the limit, an exclusive one with nothing beside it. Resolves when nothing runs
   * any more, with what people have yet to decide.
   */
  async run(calls: readonly BatchCall[]): Promise<readonly PendingRequest[]> {
    const { execution, maxParallelTools } = this.#settings
    const { signal } = this.#options
    const queue = new CallQueue(calls, {
      limit: execution === 'sequential' ? 1 : maxParallelTools,
      isExclusive: (call) => call.kind === 'ready' && call.tool.exclusive,
      isHeld: (call) => call.kind === 'waiting' && !signal.aborted,
      run: async (call) => {
        let paused = await this.#runOne(call)
        // Decided while its agent had other work: it goes on.
        while (paused?.pending.some(({ id }) => this.#options.isDecided?.(id)))
          paused = await this.#runOne(paused.ready)
        if (paused !== undefined) queue.hold(paused)
      },
    })
    const release = (callId: string, decided: ApprovalDecided): void =>
      queue.release(
        ({ call }) => call.callId === callId,
        async (call) => (call.kind === 'waiting' ? afterDecision(call, decided, this.#options.tools) : call),
      )
    // What was decided while the rest was still being planned.
    for (const [callId, decided] of this.#early) release(callId, decided)
    this.#listener = release
    queue.start()
    await queue.idle
    this.#stopListening?.()
    if (!signal.aborted) return queue.left.flatMap((call) => (call.kind === 'waiting' ? call.pending : []))
    for (const call of queue.left) await this.#runOne(call)
    return []
  }

  /** Settle one call; one that waits for people after all comes back. */
  async #runOne(planned: BatchCall): Promise<WaitingCall | undefined> {
    const { call } = planned
    const { signal } = this.#options
    const ready = planned.kind === 'waiting' ? planned.ready : planned
    if (ready.kind === 'ready' && this.#endsItself(call)) return this.#run(ready)
    if (planned.kind === 'answered') this.#settle(call, planned)
    else if (signal.aborted || planned.kind === 'waiting') this.#notRun(call)
    else if (planned.kind === 'skipped') this.#notRun(call, planned.text)
    else if (planned.kind === 'refused')
      this.#settle(call, { status: 'error', result: textResult(planned.problem, true) })
    else return this.#start(planned)
    return undefined
  }

  async #start(ready: ReadyCall): Promise<WaitingCall | undefined> {
    const { call } = ready
    const isRecorded = await this.#recordStart(ready)
    // Looked at last: from here to the tool itself nothing is waited for, so that no tool starts after Stop.
    if (this.#endsItself(call)) return this.#run(ready)
    if (this.#options.signal.aborted || (!isRecorded && this.#settings.whenUnsaved !== 'run')) {
      this.#notRun(call, this.#options.signal.aborted ? undefined : UNRECORDED_TEXT)
      return undefined
    }
    return this.#run(ready)
  }

  /** Whether Stop finds an agent that waits: it brings its own turn to an end, and nothing is begun by that. */
  #endsItself({ callId }: ToolCallPart): boolean {
    return this.#options.signal.aborted && this.#options.isPaused?.(callId) === true
  }

  async #run(ready: ReadyCall): Promise<WaitingCall | undefined> {
    const { call } = ready
    const { started } = this.#options.known
    const end = await runCall(ready, this.#common, {
      nested: this.#options.hostFor?.(call.callId),
      idempotencyKey: started.get(call.callId)?.idempotencyKey ?? call.callId,
      onLate: (late) => this.#settle(call, { ...late, late: true }),
    })
    if (end instanceof CallPaused) {
      const pending = end.pending.map((request) => ({ ...request, path: [call.callId, ...(request.path ?? [])] }))
      return { kind: 'waiting', call, ready, pending }
    }
    this.#settle(call, end)
    return undefined
  }

  /**
   * Write down that a call starts; resolves with whether it may. An unsafe one starts only once that is stored, so that
   * no reload can repeat it.
   */
  async #recordStart(ready: ReadyCall): Promise<boolean> {
    const { call, tool, input, modelInput } = ready
    const before = this.#options.known.started.get(call.callId)
    const { saved } = this.#options.append({
      type: 'tool-started',
      callId: call.callId,
      toolName: tool.name,
      input,
      ...(modelInput !== undefined && { modelInput }),
      idempotencyKey: before?.idempotencyKey ?? call.callId,
      attempt: (before?.attempt ?? 0) + 1,
    })
    if (saved === SAVED || mayRunAgain(tool)) return true
    const { signal } = this.#options
    return (await settleWithin(saved, { signal, graceMs: 0, clock: this.#settings.clock })) === true
  }

  /** Answer a call that does not run. One that had started before a crash may have taken effect, whatever stops it now. */
  #notRun(call: ToolCallPart, text: string = stopTexts(this.#options.signal.reason).notRun): void {
    const wasStarted = this.#options.known.started.has(call.callId)
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

function skip(call: ToolCallPart, text: string): SkippedCall {
  return { kind: 'skipped', call, text }
}
