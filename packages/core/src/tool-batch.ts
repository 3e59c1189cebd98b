import { settleWithin } from './abort.ts'
import { afterDecision, CallPaused, type WaitingCall } from './approvals.ts'
import { type BatchCall, type BatchPlanning, checkAnswer, layersOf, planBatch } from './batch-plan.ts'
import { takePatch } from './call-patch.ts'
import { CallQueue } from './call-queue.ts'
import type { ApprovalDecided, ToolSettled } from './entries.ts'
import type { JsonObject } from './json.ts'
import { SAVED } from './log-writer.ts'
import type { AssistantMessage, ToolCallPart } from './messages.ts'
import type { Outcome, PendingRequest } from './outcome.ts'
import { ENDED_TEXT, LOST_TEXT, stopTexts, textResult, UNRECORDED_TEXT } from './result-text.ts'
import type { RunningTurn } from './running-turn.ts'
import { StateLook } from './state-draft.ts'
import { mayRunAgain } from './tool.ts'
import type { ToolBatchOptions, ToolBatchSettings } from './tool-batch-options.ts'
import { runCall, type SettledCall, type ToolCallOptions } from './tool-call.ts'
import { type ReadyCall, recheckCall } from './tool-plan.ts'
import type { CallScope, LayeredEnd } from './turn-hooks.ts'
import { readTurnEnd } from './turn-word.ts'

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
  return batch.run(await planBatch(reply, batch.planning))
}

class ToolBatch {
  readonly #options: ToolBatchOptions
  readonly #settings: ToolBatchSettings
  /** What all calls run with. */
  readonly #common: ToolCallOptions
  /** What hooks of each call said of the turn. */
  readonly #said = new Map<string, { ends?: Outcome; feedback?: string }>()
  /** A hook ends the turn: what has not started does not run. */
  #isEnding = false
  readonly #looks = new Map<string, StateLook>()
  readonly #settled = new Set<string>()
  /** What people have allowed since it began. */
  readonly #decided = new Set<string>()
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
      metadata: options.turn?.info.metadata ?? {},
      state: () => options.turn?.state ?? {},
      ...(sessionId !== undefined && { sessionId }),
      ...(toolMs !== undefined && { toolMs }),
    }
  }

  /** What planning its calls takes. */
  get planning(): BatchPlanning {
    return {
      options: this.#options,
      settings: this.#settings,
      layersOf: layersOf(this.#options),
      scopeOf: this.#scopeOf,
    }
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
      isHeld: (call) => call.kind === 'waiting' && !signal.aborted && !this.#isEnding,
      run: async (call) => {
        let paused = await this.#runOne(call)
        // Decided while its agent had other work: it goes on.
        while (paused?.pending.some(({ id }) => this.#options.isDecided?.(id)))
          paused = await this.#runOne(paused.ready)
        if (paused !== undefined) queue.hold(paused)
      },
    })
    const release = (callId: string, decided: ApprovalDecided): void => {
      // What its own agent asked is another question.
      if (!('path' in decided)) this.#decided.add(callId)
      queue.release(
        ({ call }) => call.callId === callId,
        async (call) =>
          call.kind === 'waiting'
            ? checkAnswer(await afterDecision(call, decided, this.#options.tools), this.planning)
            : call,
      )
    }
    // What was decided while the rest was still being planned.
    for (const [callId, decided] of this.#early) release(callId, decided)
    this.#listener = release
    queue.start()
    await queue.idle
    this.#stopListening?.()
    if (!signal.aborted && !this.#isEnding)
      return queue.left.flatMap((call) => (call.kind === 'waiting' ? call.pending : []))
    for (const call of queue.left) await this.#runOne(call)
    return []
  }

  /** Settle one call; one that waits for people after all comes back. */
  async #runOne(planned: BatchCall): Promise<WaitingCall | undefined> {
    const { call } = planned
    const { signal } = this.#options
    const ready = planned.kind === 'waiting' ? planned.ready : planned
    if (ready.kind === 'ready' && this.#endsItself(call)) return this.#finish(ready, await this.#call(ready))
    if (planned.kind === 'answered') this.#settle(call, planned)
    else if (signal.aborted) this.#notRun(call)
    else if (this.#isEnding || planned.kind === 'waiting') this.#notRun(call, ENDED_TEXT)
    else if (planned.kind === 'skipped') this.#notRun(call, planned.text)
    else if (planned.kind === 'refused')
      this.#settle(call, { status: 'error', result: textResult(planned.problem, true) })
    else return this.#start(planned)
    return undefined
  }

  async #start(ready: ReadyCall): Promise<WaitingCall | undefined> {
    const { call } = ready
    const layers = layersOf(this.#options)(ready.tool)
    const [first] = layers
    const { turn, known, tools, signal } = this.#options
    if (first === undefined || turn === undefined) return this.#finish(ready, await this.#execute(ready))
    const { clock, maxResultBytes } = this.#settings
    const layered = await first.engine.run(ready, {
      layers,
      scope: this.#scopeOf(call),
      signal,
      clock,
      maxResultBytes,
      isDecided: known.decided.has(call.callId) || this.#decided.has(call.callId),
      replan: (input) => recheckCall(call, tools, { toolName: ready.tool.name, input }),
      run: async (changed, within) => {
        const look = new StateLook(() => turn.state)
        const ran = await this.#execute(changed, look, within)
        if (ran === 'not-run' || ran instanceof CallPaused) return ran
        const { end, patch } = await takePatch(ran, look, maxResultBytes)
        // What an answered call comes back with is no news.
        if (patch !== undefined && !this.#settled.has(call.callId))
          this.#options.append({ type: 'state-changed', patch })
        return end
      },
    })
    return this.#finish(ready, layered)
  }

  /** Write down that a call starts, and run it; `'not-run'`: it was answered without. */
  async #execute(
    ready: ReadyCall,
    look?: StateLook,
    within?: AbortSignal,
  ): Promise<SettledCall | CallPaused | 'not-run'> {
    const { call } = ready
    if (this.#isBarred(call)) return 'not-run'
    const isRecorded = await this.#recordStart(ready)
    const { aborted } = this.#options.signal
    // Looked at last: from here to the tool itself nothing is waited for, so that no tool starts after Stop.
    const mayStart = !aborted && (isRecorded || this.#settings.whenUnsaved === 'run')
    if (mayStart || this.#endsItself(call)) return this.#call(ready, look, within)
    this.#notRun(call, aborted ? undefined : UNRECORDED_TEXT)
    return 'not-run'
  }

  /** What hooks of a call may say of the turn. The first word that ends it counts. */
  readonly #scopeOf = ({ callId }: ToolCallPart): CallScope => {
    const say = (said: { ends?: Outcome; feedback?: string }): void =>
      void this.#said.set(callId, { ...said, ...this.#said.get(callId) })
    // Asked for only where there is a turn with hooks.
    const turn = this.#options.turn as RunningTurn
    return {
      turn,
      end: (ends) => {
        this.#isEnding = true
        say({ ends })
      },
      retry: (feedback) => say({ feedback }),
    }
  }

  /** Whether Stop finds an agent that waits: it brings its own turn to an end, and nothing is begun by that. */
  #endsItself({ callId }: ToolCallPart): boolean {
    return this.#options.signal.aborted && this.#options.isPaused?.(callId) === true
  }

  #call(ready: ReadyCall, look?: StateLook, within?: AbortSignal): Promise<SettledCall | CallPaused> {
    const { call } = ready
    const { started } = this.#options.known
    return runCall(ready, this.#common, {
      nested: this.#options.hostFor?.(call.callId),
      idempotencyKey: started.get(call.callId)?.idempotencyKey ?? call.callId,
      look: look ?? this.#lookOf(call),
      ...(within && { within }),
      onLate: (late) => this.#settle(call, { ...late, late: true }),
    })
  }

  /** The look at the state of a call without layers: what it changes is stored with its result. */
  #lookOf({ callId }: ToolCallPart): StateLook {
    const look = new StateLook(this.#common.state)
    this.#looks.set(callId, look)
    return look
  }

  /** Whether a hook that goes on comes too late: nothing starts after Stop, nor once the turn is to end. */
  #isBarred(call: ToolCallPart): boolean {
    return this.#isEnding || (this.#options.signal.aborted && !this.#endsItself(call))
  }

  async #finish(ready: ReadyCall, end: LayeredEnd): Promise<WaitingCall | undefined> {
    const { call, tool } = ready
    // It could not be recorded, and says so, whatever a hook makes of that.
    if (this.#settled.has(call.callId)) return undefined
    if (end === 'not-run') {
      // By a hook that was stopped with the turn, or came too late, before anything began.
      this.#notRun(call, this.#isEnding && !this.#options.signal.aborted ? ENDED_TEXT : undefined)
      return undefined
    }
    if (end instanceof CallPaused) {
      const pending = end.pending.map((request) => ({ ...request, path: [call.callId, ...(request.path ?? [])] }))
      return { kind: 'waiting', call, ready, pending }
    }
    const said = end.threw && readTurnEnd(end.threw.error, tool.name)
    if (said?.outcome !== undefined) this.#scopeOf(call).end(said.outcome)
    if (said?.feedback !== undefined) this.#scopeOf(call).retry(said.feedback)
    const kept = await takePatch(end, this.#looks.get(call.callId), this.#settings.maxResultBytes)
    return void this.#settle(call, kept.end, kept.patch)
  }

  /**
   * Write down that a call starts; resolves with whether it may. An unsafe one starts only once that is stored, so that
   * no reload can repeat it; an idempotent one once its key is, be it with its reply.
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
    const { signal, isReplyStored = true } = this.#options
    if (saved === SAVED || tool.effect === 'read' || (isReplyStored && mayRunAgain(tool))) return true
    return (await settleWithin(saved, { signal, graceMs: 0, clock: this.#settings.clock })) === true
  }

  /** Answer a call that does not run. One that had started before a crash may have taken effect, whatever stops it now. */
  #notRun(call: ToolCallPart, text: string = stopTexts(this.#options.signal.reason).notRun): void {
    const wasStarted = this.#options.known.started.has(call.callId)
    if (wasStarted) this.#settle(call, { status: 'unknown', result: textResult(LOST_TEXT, true) })
    else this.#settle(call, { status: 'not-run', result: textResult(text, true) })
  }

  #settle(call: ToolCallPart, settled: Omit<ToolSettled, 'type' | 'callId' | 'toolName'>, patch?: JsonObject): void {
    const { status, result, startedAt, durationMs, late } = settled
    if (!late) this.#settled.add(call.callId)
    this.#options.append(...(patch === undefined ? [] : [{ type: 'state-changed', patch } as const]), {
      type: 'tool-settled',
      callId: call.callId,
      toolName: call.toolName,
      status,
      result,
      ...(startedAt !== undefined && { startedAt }),
      ...(durationMs !== undefined && { durationMs }),
      ...(late && { late }),
      ...(!late && this.#said.get(call.callId)),
    })
  }
}
