import { linkedController, onAbort } from './abort.ts'
import { toEntries } from './approvals.ts'
import { chainedIterator } from './chained-iterator.ts'
import { driveTurn } from './drive-turn.ts'
import { type Entry, isNested } from './entries.ts'
import { TurnloopError, toErrorRecord } from './errors.ts'
import { EventQueue } from './event-queue.ts'
import type { TurnEvent } from './events.ts'
import { LiveTurn } from './live-turn.ts'
import type { Appended } from './log-writer.ts'
import type { AssistantMessage } from './messages.ts'
import type { Decision, Outcome } from './outcome.ts'
import { randomId } from './random-id.ts'
import type { RunnerParts } from './runner-parts.ts'
import { hasAnswer, reasonOf } from './turn-end.ts'
import { readInput, type TurnInput } from './turn-input.ts'
import type { RunOrigin, TurnOptions } from './turn-options.ts'
import { createResult, fromRecord, NO_OUTCOME, type TurnResult, toRejection } from './turn-result.ts'
import { withHistory } from './with-history.ts'

/**
 * One turn: asks the model, runs the tools it wants, feeds the results back, until the model stops asking.
 *
 * Pull-driven: nothing starts before something is asked of it, and the tools of a message that asks for some start when
 * the next item is asked for. Read it in one way: as messages (`for await`), as `events()`, or with `untilDone()`. A
 * second reader throws `already-consumed`; `untilDone()` beside a reader waits for the same end.
 */
export class ToolRunner<Output = unknown> implements AsyncIterable<AssistantMessage> {
  readonly turnId: string
  readonly #turn: LiveTurn
  readonly #controller: AbortController
  readonly #options: TurnOptions
  readonly #steps: AsyncGenerator<undefined, void, undefined>
  readonly #events = new EventQueue()
  readonly #messages: AssistantMessage[] = []
  readonly #done: Promise<TurnResult>
  #finish: (result: TurnResult) => void = () => {}
  #reader: 'none' | 'messages' | 'events' | 'result' = 'none'
  #pulling: Promise<boolean> | undefined
  #hasStarted = false
  #isOver = false
  #hasThrown = false
  #hasWarned = false
  /** What broke the loop itself, which never happens. */
  #breakage: Outcome | undefined

  /**
   * Throws `bad-input` for an input that cannot be asked. `input` may be left out: the model then goes on with the
   * transcript as it is.
   */
  constructor(parts: RunnerParts, input: TurnInput | undefined, options: TurnOptions = {}, origin: RunOrigin = {}) {
    this.turnId = origin.log?.[0]?.turnId ?? options.turnId ?? randomId()
    this.#options = options
    const stamp = { id: randomId(), createdAt: parts.clock.now() }
    const asked = input === undefined ? undefined : readInput(input, stamp)
    const { controller, unlink } = linkedController(options.signal)
    this.#controller = controller
    const started = origin.log?.find((entry) => entry.type === 'turn-started')
    const history = started?.type === 'turn-started' ? started.history : (options.history ?? true)
    this.#turn = new LiveTurn(
      asked === undefined || asked.history.length === 0 ? parts : withHistory(parts, asked.history),
      {
        turnId: this.turnId,
        signal: controller.signal,
        history,
        ...(asked && { input: asked.messages }),
        ...(origin.retryOf !== undefined && { retryOf: origin.retryOf }),
        ...(origin.news && { news: origin.news }),
        deliver: (event) => this.#deliver(event),
        abort: (reason) => this.cancel(reason),
      },
    )
    for (const entry of origin.log ?? []) this.#turn.restore(entry)
    onAbort(controller.signal, () => {
      this.#turn.messagesAtStop ??= this.#turn.messageCount
      // A reader that does not come back must not keep a stopped turn from its end. Owned by `#done`.
      if (this.#hasStarted) void this.#drain()
    })
    this.#steps = driveTurn(this.#turn)
    this.#done = new Promise((resolve) => {
      this.#finish = resolve
    })
    this.#done.then(unlink)
    const { stop } = this.#turn.fold
    if (stop !== undefined) this.cancel(reasonOf(stop))
  }

  /**
   * Go on with a turn that was cut, with the same id: an open batch is settled, a whole reply decided about, and a reply
   * that was still growing asked for again.
   *
   * `entries` are that turn's; `parts.history` what came before it. What settled is kept, safe calls are repeated, and an
   * unsafe one that had started is answered `unknown`. `input`: what it had been asked and its hooks have yet to pass. A turn that was stopped before it was cut is only brought to its
   * end. Throws `nothing-to-resume` for entries that do not begin a turn, and for a turn that has ended.
   */
  static from<Output = unknown>(
    parts: RunnerParts,
    entries: readonly Entry[],
    options: TurnOptions = {},
    input?: TurnInput,
  ): ToolRunner<Output> {
    if (entries[0]?.type !== 'turn-started') {
      throw new TurnloopError('nothing-to-resume', 'The entries given do not begin with turn-started.')
    }
    if (entries.some((entry) => entry.type === 'turn-ended' && !isNested(entry))) {
      throw new TurnloopError('nothing-to-resume', 'The turn has ended. Start another.')
    }
    return new ToolRunner<Output>(parts, input, options, { log: entries })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Settled tool batches so far. */
  get iteration(): number {
    return this.#turn.fold.iteration
  }

  /** How the turn ended; `undefined` until it has. */
  get outcome(): Outcome | undefined {
    return this.#turn.fold.outcome ?? this.#breakage
  }

  /**
   * Hand in what a person decided while the turn runs: its call starts, or is answered, at once. Returns `undefined` where the
   * turn does not wait for it any more: once it has paused, `result.resume` or the session goes on with it. Throws `bad-input`
   * for a decision of another kind than what was asked for.
   */
  decide(decision: Decision): Appended | undefined {
    return this.#hasStarted && this.outcome === undefined ? this.#turn.decide(decision) : undefined
  }

  /** Stop the turn. Takes at most twice the grace time; calling it again, or after the end, does nothing. */
  cancel(reason?: unknown): void {
    if (this.#isOver) return
    this.#controller.abort(reason ?? new DOMException('The turn was cancelled.', 'AbortError'))
  }

  /**
   * Run to the end and resolve with the result, whatever the outcome.
   *
   * Rejects only where the option `reject` asks for it, with the error that stands for the outcome, after all is saved.
   */
  async untilDone(): Promise<TurnResult<Output>> {
    if (this.#reader === 'none') {
      this.#reader = 'result'
      // Owned by `#done`: a pull never rejects.
      void this.#drain()
    }
    // The schema that `Output` stands for made the answer.
    const result = (await this.#done) as TurnResult<Output>
    const rejection = toRejection(result.outcome, this.#options.reject ?? 'never')
    if (rejection !== undefined) throw rejection
    return result
  }

  /** Each assistant message, a tool-use one before its tools run. Leaving early is a cancel. Throws for `failed`. */
  [Symbol.asyncIterator](): AsyncIterator<AssistantMessage> {
    this.#take('messages')
    const read = async (): Promise<AssistantMessage | undefined> => {
      for (;;) {
        const message = this.#messages.shift()
        if (message !== undefined) return message
        if (await this.#pull()) continue
        const rest = this.#messages.shift()
        if (rest !== undefined) return rest
        const outcome = this.outcome
        if (outcome?.kind === 'failed' && !this.#hasThrown) {
          this.#hasThrown = true
          throw fromRecord(outcome.error)
        }
        return undefined
      }
    }
    return chainedIterator(
      read,
      () => this.#leave(),
      () => this.#messages.shift(),
    )
  }

  /** Everything that happens, deltas included, up to `turn-ended` or `turn-paused`. Never throws. Leaving is a cancel. */
  events(): AsyncIterable<TurnEvent> {
    this.#take('events')
    const read = async (): Promise<TurnEvent | undefined> => {
      for (;;) {
        const event = this.#events.shift()
        if (event !== undefined) return event
        if (this.#isOver) return undefined
        const changed = this.#events.changed()
        // Owned by `#done`: it wakes this reader, and never rejects.
        if (this.#pulling === undefined) void this.#pull()
        await changed
      }
    }
    const iterator = chainedIterator(
      read,
      () => this.#leave(),
      () => this.#events.shift(),
    )
    return { [Symbol.asyncIterator]: () => iterator }
  }

  #take(reader: 'messages' | 'events'): void {
    const text = 'This turn is being read already. Start another, or use untilDone().'
    if (this.#reader !== 'none') throw new TurnloopError('already-consumed', text)
    this.#reader = reader
  }

  /** Leaving a view cancels, and waits for the turn's own end. */
  async #leave(): Promise<void> {
    this.cancel(new DOMException('The reader of the turn left.', 'AbortError'))
    await this.#drain()
  }

  async #drain(): Promise<void> {
    while (await this.#pull());
  }

  /** Advance by one step, one at a time; resolves with whether there is more. Never rejects. */
  #pull(): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false)
    this.#pulling ??= this.#advance()
    return this.#pulling
  }

  async #advance(): Promise<boolean> {
    this.#hasStarted = true
    const step = await this.#steps.next().catch((error: unknown): IteratorResult<undefined, void> => {
      this.#breakage = { kind: 'failed', error: toErrorRecord(error, 'internal') }
      return { done: true, value: undefined }
    })
    this.#pulling = undefined
    this.#isOver = step.done === true
    if (this.#isOver) this.#finish(this.#result())
    this.#events.wake()
    return !this.#isOver
  }

  #result(): TurnResult {
    const { fold, answer } = this.#turn
    const isAnswered = this.outcome !== undefined && hasAnswer(this.outcome)
    return createResult({
      turnId: this.turnId,
      outcome: this.outcome ?? NO_OUTCOME,
      reply: fold.lastReply,
      messages: this.#turn.messages,
      usage: fold.usage,
      iterations: fold.iteration,
      hookErrors: this.#turn.hookErrors,
      evals: this.#turn.evals,
      state: this.#turn.committedState,
      ...(isAnswered && answer !== undefined && { output: answer.value }),
      ...(this.outcome?.kind === 'awaiting' && { resume: (decisions) => this.#resume(decisions) }),
    })
  }

  /** The same turn, gone on with in another run. */
  #resume(decisions: readonly Decision[]): ToolRunner<Output> {
    const { parts, entries, fold } = this.#turn
    const pending = fold.outcome?.kind === 'awaiting' ? fold.outcome.pending : []
    const decided = toEntries(decisions, pending, fold.decidedIds).map((entry) => ({ turnId: this.turnId, ...entry }))
    const { entries: news } = parts.append(...decided)
    for (const entry of news) this.#turn.restore(entry)
    return new ToolRunner<Output>(parts, undefined, this.#options, { log: entries, news })
  }

  #deliver(event: TurnEvent): void {
    const isEnd = event.type === 'turn-ended' && !isNested(event)
    if (
      event.type === 'message' &&
      !isNested(event) &&
      event.message.role === 'assistant' &&
      this.#reader === 'messages'
    ) {
      this.#messages.push(event.message)
    }
    // Nothing follows the end, so what its listener throws is told before it.
    if (isEnd) this.#tell(event)
    if (this.#reader === 'events') this.#events.push(event)
    if (!isEnd) this.#tell(event)
  }

  #tell(event: TurnEvent): void {
    const complain = (error: unknown): void => {
      if (this.#hasWarned) return
      // First, since it hears of its own warning too.
      this.#hasWarned = true
      this.#turn.warn('onEvent threw', error)
    }
    try {
      const told: unknown = this.#options.onEvent?.(event)
      // An async listener is not waited for, but what it rejects with must not be nobody's.
      if (told instanceof Promise) told.catch((error: unknown) => this.outcome === undefined && complain(error))
    } catch (error) {
      complain(error)
    }
  }
}
