import type { Agent } from './agent.ts'
import { checkOptions, isCount } from './check-options.ts'
import { type Checkpoint, checkpointsOf } from './checkpoint.ts'
import type { Clock } from './clock.ts'
import { closeSession } from './close-session.ts'
import { messagesOfTurn } from './command-ends.ts'
import type { Entry } from './entries.ts'
import type { CompactionReport, TurnEvent } from './events.ts'
import { MemoryStore } from './memory-store.ts'
import { randomId } from './random-id.ts'
import type { EditOptions, OpenSessionOptions, SendOptions, Session, SessionInput } from './session.ts'
import { SessionActions } from './session-actions.ts'
import { SessionBlobs } from './session-blobs.ts'
import { type CommandOrigin, SessionCommands } from './session-commands.ts'
import { previewSession } from './session-compaction.ts'
import { SessionDriver } from './session-driver.ts'
import { nothingToResume, sessionBusy, sessionClosed } from './session-errors.ts'
import type { ExportOptions, SessionFile } from './session-file.ts'
import { readSend } from './session-input.ts'
import { placeBefore, placeOfQuestion } from './session-places.ts'
import type { Command, CommandResult } from './session-protocol.ts'
import { CLOSE_RULES, type CloseOptions, EARLIER, OPEN_RULES } from './session-rules.ts'
import { SessionStorage } from './session-storage.ts'
import { SessionTabs } from './session-tabs.ts'
import { exportSession, forkSession } from './session-travel.ts'
import { SessionView } from './session-view.ts'
import type { SessionStatus, Snapshot } from './snapshot.ts'
import { storageAtStart } from './storage-report.ts'
import type { SessionTabsOptions } from './tabs-options.ts'
import { type RejectOn, type TurnResult, toRejection } from './turn-result.ts'
import { askOutcome } from './unknown-outcome.ts'

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

class LiveSession extends SessionActions implements Session {
  readonly id: string
  readonly #view: SessionView
  readonly #storage: SessionStorage
  readonly #driver: SessionDriver
  readonly #commands: SessionCommands
  /** What the session is shared by with other pages; `undefined` where nothing is there to share it by. */
  readonly #tabs: SessionTabs | undefined
  protected readonly ready: Promise<void>
  readonly #given: OpenSessionOptions
  readonly #clock: Clock
  readonly #saveTimeoutMs: number
  #agent: Agent
  #closing: Promise<void> | undefined

  constructor(options: OpenSessionOptions) {
    super()
    const { store, lock = store?.lock, channel = store?.channel, resume = 'auto' } = options
    this.#given = options
    this.id = options.id ?? randomId()
    this.#agent = options.agent
    this.#clock = options.agent.clock
    this.#saveTimeoutMs = options.saveTimeoutMs ?? 5000
    const isUnshared = store !== undefined && (lock === undefined || channel === undefined)
    this.#view = new SessionView({
      start: { status: 'loading', storage: storageAtStart(store !== undefined, isUnshared) },
      now: () => this.#clock.now(),
      busyStatus: () => this.#driver.busyStatus ?? (this.#tabs?.calls.asks.isBusy ? 'running' : undefined),
    })
    const blobs = new SessionBlobs({
      sessionId: this.id,
      store: store ?? {},
      clock: this.#clock,
      saveTimeoutMs: this.#saveTimeoutMs,
    })
    this.#storage = new SessionStorage({
      blobs,
      makeRoom: options.makeRoom,
      sessionId: this.id,
      store: store ?? new MemoryStore(),
      clock: this.#clock,
      saveTimeoutMs: this.#saveTimeoutMs,
      view: this.#view,
      isUnshared,
      queue: () => this.#driver.unlogged,
      keepsOpen: () => !this.#agent.judgesLater,
      onQueue: (inputs) => this.#driver.restore(inputs),
      // Owned here: what it shows in the end, or why it cannot, is in the snapshot.
      onStale: () => void (this.#tabs?.noteStale() ?? this.#driver.becomeStale()).catch(() => {}),
    })
    const driving = {
      ...{ sessionId: this.id, storage: this.#storage, view: this.#view, agent: () => this.#agent },
      inDoubt: options.onUnknownOutcome === 'ask' ? askOutcome : undefined,
    }
    this.#driver = new SessionDriver(driving)
    this.#commands = new SessionCommands({ ...driving, driver: this.#driver })
    const shared = { ...driving, driver: this.#driver, clock: this.#clock, isManual: resume === 'manual' }
    if (store !== undefined && lock !== undefined && channel !== undefined) {
      const perform: SessionTabsOptions['perform'] = (command, origin) => this.#commands.perform(command, origin)
      this.#tabs = new SessionTabs({ ...shared, lock, channel, perform })
    }
    this.ready = this.#load(resume)
  }

  get status(): SessionStatus {
    return this.#view.status
  }

  readonly getSnapshot = (): Snapshot => this.#view.snapshot
  readonly subscribe = (listener: () => void): (() => void) => this.#view.subscribe(listener)

  events(): AsyncIterable<TurnEvent> {
    return this.#view.events()
  }

  getEntries(): readonly Entry[] {
    return this.#view.entries
  }

  async loadEarlier(limit: number = EARLIER): Promise<void> {
    await this.opened()
    checkOptions({ limit }, { limit: isCount(1) }, { where: 'loadEarlier' })
    await this.#storage.earlier.show(limit)
  }

  async send(given: SessionInput, options: SendOptions = {}): Promise<TurnResult> {
    this.checkOpen()
    const { command, origin } = readSend(given, options, { where: 'send', createdAt: this.now() })
    // Before it is loaded nobody knows what runs.
    if (command.isSteering) await this.opened()
    const { turnId } = command.input
    // By what a caller can see: the last save of an ended turn keeps nobody from sending.
    const { status } = this.#view.snapshot
    const isBusy = (status !== 'idle' && status !== 'awaiting') || !this.#driver.queue.isEmpty
    if (isBusy && options.whenBusy === 'reject' && !(await this.#isKnown(turnId))) throw sessionBusy(this.id)
    return this.#runTurn(command, origin, options.reject)
  }

  async edit(messageId: string, given: SessionInput, options: EditOptions = {}): Promise<TurnResult> {
    await this.opened()
    await this.#readAll()
    const goesBackTo = placeBefore(this.#view, messageId)
    const send = readSend(given, options, { where: 'edit', createdAt: this.now(), goesBackTo })
    return this.#runTurn(send.command, send.origin, options.reject)
  }

  async regenerate(messageId?: string): Promise<TurnResult> {
    await this.opened()
    await this.#readAll()
    const to = placeOfQuestion(this.#view, messageId, this.id)
    return this.#runTurn({ name: 'retry', turnId: randomId(), to })
  }

  async cancel(reason?: unknown): Promise<void> {
    const why = reason ?? new DOMException('The turn was cancelled.', 'AbortError')
    this.#tabs?.calls.asks.giveUpUnheard(why)
    // Where nothing goes on, and no other page is asked for anything, there is nothing to stop.
    if (this.#tabs?.isIdle) return
    await this.run({ name: 'cancel', turnId: this.#view.openTurnId, reason: why })
  }

  async resume(): Promise<TurnResult> {
    await this.opened()
    const turnId = this.#view.openTurnId
    if (turnId === undefined) throw nothingToResume(this.id)
    return this.#runTurn({ name: 'resume', turnId })
  }

  async retry(): Promise<TurnResult> {
    this.checkOpen()
    return this.#runTurn({ name: 'retry', turnId: randomId() })
  }

  async compact({ focus }: { focus?: string } = {}): Promise<CompactionReport> {
    this.checkOpen()
    const { report } = await this.run({ name: 'compact', focus })
    return report ?? previewSession(this.#where)
  }

  async previewCompaction(): Promise<CompactionReport> {
    await this.opened()
    const { report } = this.#tabs?.isElsewhere ? await this.run({ name: 'preview-compaction' }) : {}
    if (report !== undefined) return report
    await this.#readAll()
    return previewSession(this.#where)
  }

  async checkpoints(): Promise<readonly Checkpoint[]> {
    await this.#readAll()
    return checkpointsOf(this.#view.entries, this.#view.snapshot.source.rewinds)
  }

  async rewind(checkpoint: Checkpoint): Promise<void> {
    this.checkOpen()
    await this.cancel('rewound')
    await this.run({ name: 'rewind', checkpoint })
  }

  async fork(checkpoint: Checkpoint): Promise<Session> {
    await this.opened()
    await this.#readAll()
    const { store } = this.#storage
    const id = await forkSession(checkpoint, { ...this.#where, store })
    return openSession({ ...this.#given, agent: this.#agent, store, id, resume: 'manual' })
  }

  async export(options: ExportOptions = {}): Promise<SessionFile> {
    await this.#readAll()
    return exportSession(this.#where, options)
  }

  async readBlob(hash: string): Promise<Uint8Array | undefined> {
    return this.#storage.blobs.read(hash)
  }

  setAgent(agent: Agent): void {
    checkOptions({ agent }, { agent: OPEN_RULES.agent }, { where: 'setAgent', required: ['agent'] })
    this.#agent = agent
  }

  saveNow(): void {
    this.#storage.log.saveNow()
    // What could be handed over is: the rest is tried as ever. It never rejects.
    this.flush().catch(() => {})
  }

  async flush(): Promise<void> {
    await this.ready
    await this.#storage.flush()
  }

  close(options: CloseOptions = {}): Promise<void> {
    try {
      checkOptions(options, CLOSE_RULES, { where: 'close' })
    } catch (error) {
      return Promise.reject(error)
    }
    this.#closing ??= closeSession(options.running ?? 'finish', {
      ...this.#where,
      driver: this.#driver,
      tabs: this.#tabs,
      ready: this.ready,
      saveTimeoutMs: this.#saveTimeoutMs,
    })
    return this.#closing
  }

  get #where(): Parameters<typeof previewSession>[0] {
    return { sessionId: this.id, agent: this.#agent, storage: this.#storage, view: this.#view }
  }

  /** By whoever drives: this page, where it does or is alone. */
  protected run(command: Command, origin?: CommandOrigin): Promise<CommandResult> {
    return this.#tabs?.calls.run(command, origin) ?? this.#commands.perform(command, origin)
  }

  async #runTurn(command: Command, origin?: CommandOrigin, reject: RejectOn = 'never'): Promise<TurnResult> {
    const { turn, isPart } = await this.run(command, origin)
    if (turn === undefined) throw sessionClosed(this.id)
    const failure = toRejection(turn.outcome, reject)
    if (failure !== undefined) throw failure
    if (isPart !== true) return turn
    await this.#readAll().catch(() => {})
    return { ...turn, messages: messagesOfTurn(this.#view, turn) }
  }

  async #load(resume: 'auto' | 'manual'): Promise<void> {
    await this.#storage.load()
    if (this.#tabs !== undefined) return this.#tabs.join()
    const cut = this.#view.openTurnId
    const isHeld = this.#storage.isReadOnly || (resume === 'manual' && cut !== undefined)
    this.#view.together(() => this.#driver.begin(cut, isHeld))
  }

  /** Whether there is, or was, a turn of this id. */
  async #isKnown(turnId: string): Promise<boolean> {
    const isKnown = (): boolean => this.#view.hasTurn(turnId) || this.#driver.find(turnId) !== undefined
    return isKnown() || this.#readAll().then(isKnown, isKnown)
  }

  /** Know the whole log. Throws what the store throws. */
  async #readAll(): Promise<void> {
    await this.ready
    await this.#storage.earlier.all()
  }

  protected now(): number {
    return this.#clock.now()
  }

  protected checkOpen(): void {
    if (this.#closing !== undefined) throw sessionClosed(this.id)
  }
}
