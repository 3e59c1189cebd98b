import { settleBefore } from './abort.ts'
import type { Agent } from './agent.ts'
import type { Clock } from './clock.ts'
import type { Entry } from './entries.ts'
import { TurnloopError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import { MemoryStore } from './memory-store.ts'
import type { UserPart } from './messages.ts'
import type { OpenSessionOptions, SendOptions, Session, SessionInput } from './session.ts'
import { SessionDriver } from './session-driver.ts'
import { nothingToResume, sessionBusy, sessionClosed, sessionTooNew } from './session-errors.ts'
import { createJob } from './session-queue.ts'
import { SessionStorage } from './session-storage.ts'
import { SessionView } from './session-view.ts'
import type { Snapshot } from './snapshot.ts'
import { userMessage } from './turn-input.ts'
import type { TurnResult } from './turn-result.ts'

/**
 * Open a conversation, new or stored.
 *
 * Returns at once with `status: 'loading'`; commands given meanwhile wait. A store that cannot be read does not stop the
 * conversation: it goes on in memory and `snapshot.storage` says why.
 */
export function openSession(options: OpenSessionOptions): Session {
  return new LiveSession(options)
}

class LiveSession implements Session {
  readonly id: string
  readonly #view: SessionView
  readonly #storage: SessionStorage
  readonly #driver: SessionDriver
  readonly #ready: Promise<void>
  readonly #clock: Clock
  readonly #saveTimeoutMs: number
  #agent: Agent
  #closing: Promise<void> | undefined

  constructor(options: OpenSessionOptions) {
    this.id = options.id ?? crypto.randomUUID()
    this.#agent = options.agent
    this.#clock = options.agent.clock
    this.#saveTimeoutMs = options.saveTimeoutMs ?? 5000
    const storage = { state: options.store === undefined ? 'memory' : 'ready', waiting: 0 } as const
    this.#view = new SessionView({
      start: { status: 'loading', storage },
      now: () => this.#clock.now(),
      busyStatus: () => this.#driver.busyStatus,
    })
    this.#storage = new SessionStorage({
      sessionId: this.id,
      store: options.store ?? new MemoryStore(),
      clock: this.#clock,
      saveTimeoutMs: this.#saveTimeoutMs,
      view: this.#view,
      queue: () => this.#driver.unlogged,
      onQueue: (inputs) => this.#driver.restore(inputs),
      // Owned here: what it shows in the end, or why it cannot, is in the snapshot.
      onStale: () => void this.#driver.becomeStale().catch(() => {}),
    })
    this.#driver = new SessionDriver({
      sessionId: this.id,
      storage: this.#storage,
      view: this.#view,
      agent: () => this.#agent,
    })
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
    const id = crypto.randomUUID()
    const createdAt = this.#clock.now()
    const content = copyContent(input)
    const known = options.turnId === undefined ? undefined : this.#driver.findTurn(options.turnId)
    if (known !== undefined) return known
    const isReplacing = options.whenBusy === 'replace'
    // By what a caller can see: the last save of an ended turn keeps nobody from sending.
    const isBusy = this.#view.snapshot.status !== 'idle' || !this.#driver.queue.isEmpty
    if (isBusy && options.whenBusy === 'reject') throw sessionBusy(this.id)
    const turnId = options.turnId ?? crypto.randomUUID()
    const job = createJob('send', { id, turnId, createdAt, content }, options.signal)
    if (isReplacing) this.#driver.stopCurrent('replaced by a newer input')
    return this.#driver.start(job, isReplacing ? 'first' : 'last')
  }

  async cancel(reason?: unknown): Promise<void> {
    await this.#driver.cancel(reason ?? new DOMException('The turn was cancelled.', 'AbortError'))
  }

  async resume(): Promise<TurnResult> {
    this.#checkOpen()
    await this.#ready
    this.#checkOpen()
    const turnId = this.#view.openTurnId
    const { current } = this.#driver
    if (turnId === undefined || (current !== undefined && current.kind !== 'resume')) throw nothingToResume(this.id)
    return this.#driver.resume(turnId)
  }

  async retry(): Promise<TurnResult> {
    this.#checkOpen()
    return this.#driver.start(this.#driver.createPlainJob('retry', crypto.randomUUID()))
  }

  setAgent(agent: Agent): void {
    this.#agent = agent
  }

  async rename(title: string): Promise<void> {
    this.#checkOpen()
    await this.#ready
    // A run has caught up already; becoming the writer once more would only make it wait.
    if (this.#driver.current === undefined) await this.#storage.catchUp()
    else await this.#storage.caughtUp()
    this.#checkOpen()
    if (this.#storage.isReadOnly) throw sessionTooNew(this.id)
    await this.#storage.append({ type: 'session-changed', title }).saved
  }

  async editQueued(id: string, input: SessionInput): Promise<void> {
    const content = copyContent(input)
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

  close(options: { running?: 'finish' | 'cancel' | 'leave' } = {}): Promise<void> {
    this.#closing ??= this.#close(options.running ?? 'finish')
    return this.#closing
  }

  async #close(running: 'finish' | 'cancel' | 'leave'): Promise<void> {
    const { queue } = this.#driver
    this.#driver.hold()
    // A store that never answers keeps nobody from leaving.
    await settleBefore(this.#ready, this.#saveTimeoutMs, this.#clock)
    if (!queue.isEmpty) this.#storage.saveRecords()
    if (running === 'leave') this.#storage.seal()
    if (running !== 'finish') this.#driver.stopCurrent('the session was closed')
    await this.#driver.current?.done.catch(() => {})
    await this.#storage.flush()
    this.#storage.close()
    // What is stored starts when the session is opened again, and must not be sent once more by whoever gets it back.
    const isKept = this.#view.snapshot.storage.state === 'ready'
    const keptFor = isKept ? 'the session was closed; this input waits until it is opened again' : undefined
    for (const job of queue.clear()) job.settle({ result: this.#driver.neverStarted(job, keptFor) })
    this.#view.close()
  }

  async #load(resume: 'auto' | 'manual'): Promise<void> {
    await this.#storage.load()
    const cut = this.#view.openTurnId
    if (this.#storage.isReadOnly || (cut !== undefined && resume === 'manual')) this.#driver.hold()
    this.#view.together(() => this.#driver.begin(cut))
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw sessionClosed(this.id)
  }
}

/** The caller's own copy stays theirs: what is logged is frozen. Throws `bad-input`. */
function copyContent(input: SessionInput): readonly UserPart[] {
  const { content } = userMessage(input, { id: '', createdAt: 0 })
  try {
    return structuredClone(content)
  } catch (cause) {
    throw new TurnloopError('bad-input', 'The input holds something that cannot be stored. Keep to plain data.', {
      cause,
    })
  }
}
