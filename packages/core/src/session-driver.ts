import { ABANDONED, INTERRUPTED, onAbort, settleWithin } from './abort.ts'
import type { Agent, PartsOptions } from './agent.ts'
import { isEntry } from './entries.ts'
import type { TurnEvent } from './events.ts'
import { findOpenTurn } from './open-turn.ts'
import { randomId } from './random-id.ts'
import { nothingToResume, sessionClosed, sessionTooNew } from './session-errors.ts'
import { createJob, type Job, type Place, SessionQueue } from './session-queue.ts'
import {
  endedTurn,
  neverStarted,
  type RunContext,
  runCutTurn,
  runNewTurn,
  settleRun,
  supersedeTurn,
  TAKEN_OVER,
} from './session-runs.ts'
import { steerable } from './session-steering.ts'
import type { SessionStorage } from './session-storage.ts'
import type { QueuedInput } from './session-store.ts'
import type { SessionView } from './session-view.ts'
import type { ToolRunner } from './tool-runner.ts'
import type { TurnResult } from './turn-result.ts'
import { UnreadInput } from './unread-input.ts'

/** What a driver works with. */
export interface SessionDriverOptions {
  readonly sessionId: string
  readonly storage: SessionStorage
  readonly view: SessionView
  agent(): Agent
  readonly inDoubt: PartsOptions['inDoubt'] | undefined
}

/** Does what a session has to do, one thing at a time and in order: starts turns, goes on with cut ones, stops them. */
export class SessionDriver {
  readonly queue: SessionQueue
  readonly #options: SessionDriverOptions
  current: Job | undefined
  /** The runner of the turn that runs. */
  runner: ToolRunner | undefined
  /** From the moment a job is taken until its own turn runs. */
  #isStarting = false
  #isReady = false
  #isWorking = false
  readonly #unread: UnreadInput
  /** Whether what waits is held back; `undefined` as long as nobody has asked for either. */
  #isHeld: boolean | undefined
  /** Something was sent since the turn paused, in the moment before its run is over. */
  #isAsked = false

  constructor(options: SessionDriverOptions) {
    this.#options = options
    this.#unread = new UnreadInput(options.view)
    const onAborted = (job: Job): void => job.settle({ result: this.neverStarted(job) })
    this.queue = new SessionQueue({ onChange: () => this.#queueChanged(), onAborted })
  }

  get isIdle(): boolean {
    return this.#isReady && !this.#isWorking && (this.#isHeld ? this.queue.unheld === undefined : this.queue.isEmpty)
  }

  /** What stands for `idle` while there is more to do. */
  get busyStatus(): 'running' | 'cancelling' | undefined {
    if (this.#isStarting && this.current?.controller.signal.aborted) return 'cancelling'
    return this.#isStarting || (this.#isReady && !this.#isHeld && !this.queue.isEmpty) ? 'running' : undefined
  }

  /** The inputs that are not in the log yet: those that wait, and one whose turn is about to start. */
  get unlogged(): readonly QueuedInput[] {
    return this.#unread.before(this.queue.inputs, this.current?.kind === 'send' ? this.current.input : undefined)
  }

  /** The turn of this id, if there is one: a named input is never asked twice, whatever was lost in between. */
  findTurn(turnId: string): Promise<TurnResult> | undefined {
    const job = this.find(turnId)
    if (job === undefined) {
      const ended = endedTurn(this.#options.view, turnId)
      if (ended !== undefined) return Promise.resolve(ended)
      return this.#options.view.openTurnId === turnId ? this.resume(turnId) : undefined
    }
    if (job !== this.current) this.#go()
    return job.done
  }

  start(job: Job, place: Place = 'last'): Promise<TurnResult> {
    this.#options.view.together(() => {
      this.#isHeld = false
      this.#isAsked ||= this.#isWaiting
      this.queue.add(job, place)
      this.#go()
    })
    return job.done
  }

  /** Go on with a cut turn; with the same one, if somebody has asked for that already. */
  resume(turnId: string): Promise<TurnResult> {
    const job = this.find(turnId)
    if (job?.kind !== 'resume') return this.start(this.createPlainJob('resume', turnId), 'first')
    if (job !== this.current) this.#go()
    return job.done
  }

  /** Put inputs that were found in the store before everything that was sent since. */
  restore(inputs: readonly QueuedInput[]): void {
    for (const input of inputs.toReversed()) {
      if (this.#unread.keep(input)) continue
      // The same turn may have been sent again while the session was loading: one job, with the input that was kept.
      const again = this.find(input.turnId)
      if (again === this.current && again !== undefined) continue
      if (again !== undefined) this.queue.remove(again.input.id)
      const job = again ?? createJob('send', input)
      job.input = input
      this.queue.add(job, 'first')
    }
  }

  /**
   * The session has been loaded: begin, with the turn that was cut before anything else. With `isHeld` that turn waits to
   * be resumed, and so does the queue unless something was sent meanwhile.
   *
   * Straight from `loading`, so that nobody sees a session idle that is about to go on. Once more where another page left off.
   */
  begin(cutTurnId: string | undefined, isHeld: boolean): void {
    const { view } = this.#options
    if (this.#isReady) this.#isHeld = undefined
    if (this.#isWaiting) view.patch({ resumable: undefined })
    if (isHeld || this.#isWaiting) this.#isHeld ??= true
    else if (cutTurnId !== undefined && !this.#isHeld) this.queue.add(this.createPlainJob('resume', cutTurnId), 'first')
    this.#isReady = true
    this.#work()
  }

  /** Start nothing more until something is sent, resumed or retried. All that waits and is no input is given up. */
  hold(reason: unknown = sessionClosed(this.#options.sessionId)): void {
    this.#isHeld = true
    for (const job of this.queue.passing) job.controller.abort(reason)
  }

  /** Stop what runs, or while loading what would run first, and hold the rest. Resolves when it has ended. */
  async cancel(reason: unknown): Promise<void> {
    const job = this.current ?? (this.#isReady ? undefined : this.queue.first)
    // Between two jobs nothing is current, and the next one is about to start.
    if (job !== undefined || this.#isWorking || !this.#isReady) this.hold(reason)
    job?.controller.abort(reason)
    await job?.done.catch(() => {})
  }

  /** Stop what runs; what waits goes on. */
  stopCurrent(reason: unknown): void {
    this.current?.controller.abort(reason)
  }

  /** Another page writes this session now: drop the run, write nothing, and show what is stored. */
  async becomeStale(): Promise<void> {
    // The other page has the stored queue as well: whatever runs here by itself would take the session back from it.
    this.hold(TAKEN_OVER)
    this.stopCurrent(TAKEN_OVER)
    await this.current?.done.catch(() => {})
    await this.#options.storage.reload()
  }

  neverStarted(job: Job, why?: { readonly reason: string; readonly isKept?: boolean }): TurnResult {
    return neverStarted(job, this.#options.view.snapshot.messages, why)
  }

  /** Put a task in the queue, or what is done like one: between two turns, also while what waits is held back. */
  addTask(job: Job, place: Place = 'last'): void {
    this.#options.view.together(() => {
      this.queue.add(job, place)
      if (this.#isReady) this.#work()
    })
  }

  createPlainJob(kind: 'resume' | 'retry' | 'task', turnId: string): Job {
    return createJob(kind, { id: randomId(), turnId, createdAt: this.#options.agent().clock.now(), content: [] })
  }

  find(turnId: string): Job | undefined {
    return this.current?.turnId === turnId ? this.current : this.queue.find(turnId)
  }

  #go(): void {
    this.#isHeld = false
    // Before the session is loaded, nobody knows what comes first.
    if (this.#isReady) this.#work()
  }

  /** Do the jobs in order until none is left. */
  #work(): void {
    if (this.#isWorking) return
    const first = this.#isHeld ? this.queue.unheld : this.queue.first
    const job = first && this.queue.remove(first.input.id)
    const { view } = this.#options
    if (job === undefined) {
      view.patch({ status: 'idle', activity: undefined })
      return
    }
    this.#isWorking = true
    this.#do(job).then((end) => {
      this.#isWorking = false
      // The next one in the same breath: an input that comes right now must not overtake it.
      view.together(() => this.#work())
      job.settle(end)
    })
  }

  /** Never rejects. */
  async #do(job: Job): Promise<Parameters<Job['settle']>[0]> {
    const { view, agent, storage } = this.#options
    this.current = job
    this.#isStarting = true
    this.#isAsked = false
    view.patch({ status: 'running', activity: { kind: 'starting', since: agent().clock.now() } })
    const unlink = onAbort(job.controller.signal, () => {
      // After its end, while its last save goes on, there is nothing left to see.
      if (view.snapshot.status === 'running') view.patch({ status: 'cancelling' })
    })
    try {
      return { result: await this.#perform(job) }
    } catch (error) {
      return { error }
    } finally {
      unlink()
      this.#isStarting = false
      this.current = undefined
      this.runner = undefined
      this.queue.unclaim()
      // Decisions that were given meanwhile are not held back.
      if (this.#isWaiting && !this.#isAsked && this.queue.first?.kind !== 'resume') this.#isHeld = true
      // Stored as one that waits, and never begun: whoever sent it has it back. Not where another page writes now: there it
      // may wait still.
      const { aborted, reason } = job.controller.signal
      const isHandedBack = aborted && reason !== TAKEN_OVER && !view.hasTurn(job.turnId)
      if (isHandedBack && storage.mayHold(job.turnId)) storage.saveRecords()
    }
  }

  async #perform(job: Job): Promise<TurnResult> {
    const { storage, view, sessionId, agent } = this.#options
    const { signal } = job.controller
    const caughtUp = await settleWithin(storage.catchUp(), { signal, graceMs: 0, clock: agent().clock })
    if (caughtUp === ABANDONED || (signal.aborted && job.kind !== 'resume')) return this.neverStarted(job)
    if (storage.isReadOnly) throw sessionTooNew(sessionId)
    if (job.run !== undefined) return job.run(job).then(() => this.neverStarted(job))
    // What steered may have joined another turn, in a page that had the stored queue as well.
    const turnId = view.log.turnOfInput(job.input.id) ?? job.turnId
    const ended = endedTurn(view, turnId)
    if (ended !== undefined) return ended
    const on = { onEvent: this.#onEvent, onRunner: this.#onRunner, steer: this.#steer }
    const context: RunContext = { ...this.#options, agent: agent(), ...on }
    if (view.openTurnId === turnId) job.prepare?.()
    const open = view.openTurnId === undefined ? undefined : findOpenTurn(view.entries)
    const cut = open && { ...open, ...this.#unread.of(open.turnId) }
    if (cut !== undefined && cut.turnId !== turnId) {
      if (job.kind === 'resume') throw nothingToResume(sessionId)
      // A signal that is aborted already only closes the cut turn, truthfully.
      if (this.#isWaiting) await supersedeTurn(cut, context)
      else await runCutTurn(cut, AbortSignal.abort(INTERRUPTED), context)
    }
    this.#isStarting = false
    if (cut?.turnId === turnId) return settleRun(job, await runCutTurn(cut, signal, context), context)
    if (job.kind === 'resume') throw nothingToResume(sessionId)
    return signal.aborted ? this.neverStarted(job) : settleRun(job, await runNewTurn(job, context), context)
  }

  /** Whether a turn has paused for people, and nothing has been decided since. */
  get #isWaiting(): boolean {
    return this.#options.view.snapshot.outcome?.kind === 'awaiting'
  }

  /** Entries reach the view when they are written; here come the live events. */
  readonly #onEvent = (event: TurnEvent): void => {
    if (isEntry(event)) return
    const { view, storage } = this.#options
    view.apply(event)
    storage.saveOpenSoon()
  }

  readonly #steer: RunContext['steer'] = (parts, turnId) =>
    steerable(parts, turnId, {
      queue: this.queue,
      view: this.#options.view,
      blobs: this.#options.storage.blobs,
      current: () => this.current,
    })

  readonly #onRunner = (runner: ToolRunner): void => {
    this.runner = runner
  }

  #queueChanged(): void {
    const { view, storage } = this.#options
    view.patch({ queue: this.queue.inputs })
    // An input that starts at once needs no place in the stored queue: it joins the log with its turn.
    if (this.current !== undefined || this.#isHeld) storage.saveRecords()
  }
}
