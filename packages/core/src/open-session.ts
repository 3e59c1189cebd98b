import { settleBefore } from './abort.ts'
import type { Agent } from './agent.ts'
import { checkDecision } from './approvals.ts'
import { checkOptions, isText } from './check-options.ts'
import { type Checkpoint, checkpointsOf } from './checkpoint.ts'
import type { Clock } from './clock.ts'
import type { Entry } from './entries.ts'
import type { CompactionReport, TurnEvent } from './events.ts'
import type { JsonObject } from './json.ts'
import { MemoryStore } from './memory-store.ts'
import type { Decision } from './outcome.ts'
import type { OpenSessionOptions, SendOptions, Session, SessionInput } from './session.ts'
import { compactSession, previewSession, undoCompaction } from './session-compaction.ts'
import { decideInSession, stopWaiting } from './session-decisions.ts'
import { SessionDriver, type SessionDriverOptions } from './session-driver.ts'
import { decisionMissing, nothingToResume, sessionBusy, sessionClosed, sessionTooNew } from './session-errors.ts'
import { type ExportOptions, type SessionFile, toSessionFile } from './session-file.ts'
import { createJob } from './session-queue.ts'
import { ANSWER_BYTES, CLOSE_RULES, type CloseOptions, OPEN_RULES, SEND_RULES } from './session-rules.ts'
import { changeState } from './session-state.ts'
import { SessionStorage } from './session-storage.ts'
import type { SessionStore } from './session-store.ts'
import { performTask } from './session-tasks.ts'
import { copySession, rewindSession } from './session-travel.ts'
import { SessionView } from './session-view.ts'
import type { Snapshot } from './snapshot.ts'
import { toCallToolResult } from './tool-result.ts'
import { userMessage } from './turn-input.ts'
import type { TurnResult } from './turn-result.ts'

/**
 * Open a conversation, new or stored.
 *
 * Returns at once with `status: 'loading'`; commands given meanwhile wait. A store that cannot be read does not stop the
 * conversation: it goes on in memory and `snapshot.storage` says why. Throws `bad-option` naming the option.
 */
export function openSession<Output>(options: OpenSessionOptions<Output>): Session<Output> {
  checkOptions(options, OPEN_RULES, { where: 'openSession', required: ['agent'] })
  // Its results carry what the agent's schema makes, and `Output` stands for that.
  return new LiveSession(options) as Session<Output>
}

class LiveSession implements Session {
  readonly id: string
  readonly #view: SessionView
  readonly #storage: SessionStorage
  readonly #driving: SessionDriverOptions
  readonly #driver: SessionDriver
  readonly #ready: Promise<void>
  readonly #clock: Clock
  readonly #store: SessionStore
  readonly #saveTimeoutMs: number
  #agent: Agent
  #closing: Promise<void> | undefined

  constructor(options: OpenSessionOptions) {
    this.id = options.id ?? crypto.randomUUID()
    this.#agent = options.agent
    this.#clock = options.agent.clock
    this.#store = options.store ?? new MemoryStore()
    this.#saveTimeoutMs = options.saveTimeoutMs ?? 5000
    const storage = { state: options.store === undefined ? 'memory' : 'ready', waiting: 0 } as const
    this.#view = new SessionView({
      start: { status: 'loading', storage },
      now: () => this.#clock.now(),
      busyStatus: () => this.#driver.busyStatus,
    })
    this.#storage = new SessionStorage({
      sessionId: this.id,
      store: this.#store,
      clock: this.#clock,
      saveTimeoutMs: this.#saveTimeoutMs,
      view: this.#view,
      queue: () => this.#driver.unlogged,
      keepsOpen: () => !this.#agent.judgesLater,
      onQueue: (inputs) => this.#driver.restore(inputs),
      // Owned here: what it shows in the end, or why it cannot, is in the snapshot.
      onStale: () => void this.#driver.becomeStale().catch(() => {}),
    })
    this.#driving = {
      sessionId: this.id,
      storage: this.#storage,
      view: this.#view,
      agent: () => this.#agent,
    }
    this.#driver = new SessionDriver(this.#driving)
    this.#ready = this.#load(options.resume ?? 'auto')
  }

  readonly getSnapshot = (): Snapshot => this.#view.snapshot

  readonly subscribe = (listener: () => void): (() => void) => this.#view.subscribe(listener)

  events(): AsyncIterable<TurnEvent> {
    return this.#view.events()
  }

  getEntries(): readonly Entry[] {
    return this.#view.entries
  }

  async send(input: SessionInput, options: SendOptions = {}): Promise<TurnResult> {
    this.#checkOpen()
    checkOptions(options, SEND_RULES, { where: 'send' })
    const id = crypto.randomUUID()
    const createdAt = this.#clock.now()
    const { content } = userMessage(input, { id, createdAt })
    const known = options.turnId === undefined ? undefined : this.#driver.findTurn(options.turnId)
    if (known !== undefined) return known
    const isReplacing = options.whenBusy === 'replace'
    // By what a caller can see: the last save of an ended turn keeps nobody from sending.
    const { status } = this.#view.snapshot
    const isBusy = (status !== 'idle' && status !== 'awaiting') || !this.#driver.queue.isEmpty
    if (isBusy && options.whenBusy === 'reject') throw sessionBusy(this.id)
    const turnId = options.turnId ?? crypto.randomUUID()
    const job = createJob('send', { id, turnId, createdAt, content }, options.signal)
    const { signal: _signal, whenBusy: _whenBusy, turnId: _turnId, ...facts } = options
    job.facts = facts
    if (isReplacing) this.#driver.stopCurrent('replaced by a newer input')
    return this.#driver.start(job, isReplacing ? 'first' : 'last')
  }

  async cancel(reason?: unknown): Promise<void> {
    const why = reason ?? new DOMException('The turn was cancelled.', 'AbortError')
    const isWaiting = (): boolean => this.#view.snapshot.status === 'awaiting'
    if (this.#driver.current !== undefined || !isWaiting()) await this.#driver.cancel(why)
    // Also what paused in this very moment.
    if (isWaiting()) await stopWaiting(why, { view: this.#view, driver: this.#driver })
  }

  async resume(): Promise<TurnResult> {
    this.#checkOpen()
    await this.#ready
    this.#checkOpen()
    const turnId = this.#view.openTurnId
    const { current } = this.#driver
    if (turnId !== undefined && this.#view.snapshot.status === 'awaiting') throw decisionMissing(this.id)
    if (turnId === undefined || (current !== undefined && current.kind !== 'resume')) throw nothingToResume(this.id)
    return this.#driver.resume(turnId)
  }

  async approve(id: string, { input }: { input?: JsonObject } = {}): Promise<void> {
    await this.#decide({ id, allow: true, ...(input !== undefined && { input }) })
  }

  async deny(id: string, note?: string): Promise<void> {
    await this.#decide({ id, allow: false, ...(note !== undefined && { note }) })
  }

  async answer(id: string, result: unknown): Promise<void> {
    await this.#decide({ id, allow: true, result: await toCallToolResult(result, ANSWER_BYTES) })
  }

  #perform<T>(task: Parameters<typeof performTask<T>>[2]): Promise<T> {
    return performTask(this.#driver, this.#driving, task)
  }

  async #decide(decision: Decision): Promise<void> {
    this.#checkOpen()
    await this.#ready
    this.#checkOpen()
    const asked = this.#view.snapshot.pending.find(({ id }) => id === decision.id)
    if (asked !== undefined) checkDecision(decision, asked)
    await decideInSession(decision, { ...this.#driving, driver: this.#driver })
  }

  async retry(): Promise<TurnResult> {
    this.#checkOpen()
    return this.#driver.start(this.#driver.createPlainJob('retry', crypto.randomUUID()))
  }

  async compact({ focus }: { focus?: string } = {}): Promise<CompactionReport> {
    this.#checkOpen()
    return this.#perform((job, context) => compactSession(job, focus, context))
  }

  async previewCompaction(): Promise<CompactionReport> {
    this.#checkOpen()
    await this.#ready
    return previewSession({ sessionId: this.id, agent: this.#agent, storage: this.#storage, view: this.#view })
  }

  async setState(patch: JsonObject): Promise<void> {
    this.#checkOpen()
    await this.#perform(changeState(patch))
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    await this.#ready
    return checkpointsOf(this.#view.entries, this.#view.snapshot.source.rewinds)
  }

  async rewind(checkpoint: Checkpoint): Promise<void> {
    this.#checkOpen()
    await this.cancel('rewound')
    await this.#perform((job, context) => rewindSession(job, checkpoint, context))
  }

  async fork(checkpoint: Checkpoint): Promise<Session> {
    this.#checkOpen()
    await this.#ready
    const { entries, snapshot } = this.#view
    const id = crypto.randomUUID()
    const title = snapshot.title !== undefined && { title: snapshot.title }
    const to = { id, store: this.#store, now: this.#clock.now(), ...title }
    await copySession({ id: this.id, entries, checkpoint }, to)
    return openSession({ agent: this.#agent, store: this.#store, id, resume: 'manual' })
  }

  async export(options: ExportOptions = {}): Promise<SessionFile> {
    await this.#ready
    const { entries, snapshot } = this.#view
    return toSessionFile({ id: this.id, title: snapshot.title, entries, now: this.#clock.now() }, options)
  }

  async undoCompaction(): Promise<void> {
    this.#checkOpen()
    await this.#perform(undoCompaction)
  }

  setAgent(agent: Agent): void {
    checkOptions({ agent }, { agent: OPEN_RULES.agent }, { where: 'setAgent', required: ['agent'] })
    this.#agent = agent
  }

  async rename(title: string): Promise<void> {
    this.#checkOpen()
    checkOptions({ title }, { title: isText }, { where: 'rename', required: ['title'] })
    await this.#ready
    // A run has caught up already; becoming the writer once more would only make it wait.
    if (this.#driver.current === undefined) await this.#storage.catchUp()
    else await this.#storage.caughtUp()
    this.#checkOpen()
    if (this.#storage.isReadOnly) throw sessionTooNew(this.id)
    await this.#storage.append({ type: 'session-changed', title }).saved
  }

  async editQueued(id: string, input: SessionInput): Promise<void> {
    const { content } = userMessage(input, { id, createdAt: 0 })
    await this.#ready
    this.#driver.queue.edit(id, content)
  }

  async removeQueued(id: string): Promise<void> {
    await this.#ready
    const job = this.#driver.queue.remove(id)
    job?.settle({ result: this.#driver.neverStarted(job) })
  }

  async flush(): Promise<void> {
    await this.#ready
    await this.#storage.flush()
  }

  close(options: CloseOptions = {}): Promise<void> {
    try {
      checkOptions(options, CLOSE_RULES, { where: 'close' })
    } catch (error) {
      return Promise.reject(error)
    }
    this.#closing ??= this.#close(options.running ?? 'finish')
    return this.#closing
  }

  async #close(running: NonNullable<CloseOptions['running']>): Promise<void> {
    const { queue } = this.#driver
    const isLoading = this.#view.snapshot.status === 'loading'
    this.#driver.hold()
    const stop = (): void => {
      if (running === 'leave') this.#storage.seal()
      if (running !== 'finish') this.#driver.stopCurrent('the session was closed')
    }
    // At once: not one more request goes out.
    if (!isLoading) stop()
    // A store that never answers keeps nobody from leaving.
    await settleBefore(this.#ready, this.#saveTimeoutMs, this.#clock)
    // What was sent while loading has not been stored yet, as what waits behind a turn is.
    if (isLoading && !queue.isEmpty) this.#storage.saveRecords()
    if (isLoading) stop()
    await this.#driver.current?.done.catch(() => {})
    await this.#storage.flush()
    this.#storage.close()
    // What is stored starts when the session is opened again, and must not be sent once more by whoever gets it back.
    const isKept = this.#view.snapshot.storage.state === 'ready'
    const reason = isKept
      ? 'the session was closed; this input waits until it is opened again'
      : 'the session was closed'
    for (const job of queue.clear()) job.settle({ result: this.#driver.neverStarted(job, { reason, isKept }) })
    this.#view.close()
  }

  async #load(resume: 'auto' | 'manual'): Promise<void> {
    await this.#storage.load()
    const cut = this.#view.openTurnId
    const isHeld = this.#storage.isReadOnly || (resume === 'manual' && cut !== undefined)
    this.#view.together(() => this.#driver.begin(cut, isHeld))
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw sessionClosed(this.id)
  }
}
