import { INTERRUPTED } from './abort.ts'
import type { Agent } from './agent.ts'
import { type Entry, isEntry } from './entries.ts'
import type { TurnEvent } from './events.ts'
import { MemoryStore } from './memory-store.ts'
import type { UserPart } from './messages.ts'
import type { OpenSessionOptions, SendOptions, Session, SessionInput } from './session.ts'
import { nothingToResume, sessionBusy, sessionClosed } from './session-errors.ts'
import { resultFromLog } from './session-head.ts'
import { createJob, type Job, SessionQueue } from './session-queue.ts'
import { neverStarted, runCutTurn, runNewTurn } from './session-runs.ts'
import { SessionStorage } from './session-storage.ts'
import { SessionView } from './session-view.ts'
import type { Snapshot } from './snapshot.ts'
import { findOpenTurn } from './turn-fold.ts'
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
  readonly #queue: SessionQueue
  readonly #storage: SessionStorage
  readonly #ready: Promise<void>
  #agent: Agent
  #current: Job | undefined
  #isDriving = false
  #isHeld = false
  #closing: Promise<void> | undefined

  constructor(options: OpenSessionOptions) {
    this.id = options.id ?? crypto.randomUUID()
    this.#agent = options.agent
    const storage = { state: options.store === undefined ? 'memory' : 'ready', waiting: 0 } as const
    this.#view = new SessionView({ status: 'loading', storage })
    this.#queue = new SessionQueue({
      onChange: () => this.#queueChanged(),
      onAborted: (job) => job.settle({ result: this.#neverStarted(job) }),
    })
    this.#storage = new SessionStorage({
      sessionId: this.id,
      store: options.store ?? new MemoryStore(),
      clock: options.agent.clock,
      saveTimeoutMs: options.saveTimeoutMs ?? 5000,
      view: this.#view,
      queue: () => this.#queue.inputs,
      onStale: () => this.#becomeStale(),
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
    const stamp = { id: crypto.randomUUID(), createdAt: this.#agent.clock.now() }
    const { content } = userMessage(input, stamp)
    const known = options.turnId === undefined ? undefined : await this.#findTurn(options.turnId)
    if (known !== undefined) return known.result
    // By what a caller can see: the last save of an ended turn keeps nobody from sending.
    const isBusy = this.#view.snapshot.status !== 'idle' || !this.#queue.isEmpty
    if (isBusy && options.whenBusy === 'reject') {
      throw sessionBusy(this.id)
    }
    const job = createJob({
      kind: 'send',
      turnId: options.turnId ?? crypto.randomUUID(),
      messageId: stamp.id,
      createdAt: stamp.createdAt,
      content,
      signal: options.signal,
    })
    if (options.whenBusy === 'replace' && this.#current !== undefined)
      this.#stop(this.#current, 'replaced by a newer input')
    return this.#start(job, options.whenBusy === 'replace' ? 'first' : 'last')
  }

  async cancel(reason?: unknown): Promise<void> {
    const isLoading = this.#view.snapshot.status === 'loading'
    // While loading, what would run first is what the person sees as running.
    const job = this.#current ?? (isLoading ? this.#queue.first : undefined)
    this.#isHeld ||= job !== undefined || isLoading
    if (job === undefined) return
    this.#stop(job, reason ?? new DOMException('The turn was cancelled.', 'AbortError'))
    await job.done.catch(() => {})
  }

  async resume(): Promise<TurnResult> {
    this.#checkOpen()
    await this.#ready
    if (this.#current?.kind === 'resume') return this.#current.done
    const open = findOpenTurn(this.#view.entries)
    if (this.#current !== undefined || open === undefined) {
      throw nothingToResume(this.id)
    }
    return this.#start(this.#createPlainJob('resume', open.turnId), 'first')
  }

  async retry(): Promise<TurnResult> {
    this.#checkOpen()
    return this.#start(this.#createPlainJob('retry', crypto.randomUUID()), 'last')
  }

  setAgent(agent: Agent): void {
    this.#agent = agent
  }

  async rename(title: string): Promise<void> {
    this.#checkOpen()
    await this.#ready
    if (this.#current === undefined) await this.#storage.catchUp()
    await this.#storage.append({ type: 'session-changed', title }).saved
  }

  async editQueued(id: string, input: SessionInput): Promise<void> {
    const { content } = userMessage(input, { id, createdAt: 0 })
    this.#queue.edit(id, content)
  }

  async removeQueued(id: string): Promise<void> {
    const job = this.#queue.remove(id)
    job?.settle({ result: this.#neverStarted(job) })
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
    this.#isHeld = true
    await this.#ready
    if (running === 'leave') this.#storage.close()
    if (running !== 'finish' && this.#current !== undefined) this.#stop(this.#current, 'the session was closed')
    await this.#current?.done.catch(() => {})
    await this.#storage.flush()
    this.#storage.close()
    for (const job of this.#queue.clear()) job.settle({ result: this.#neverStarted(job) })
    this.#view.close()
  }

  // --- loading ------------------------------------------------------------------------------------------------------

  async #load(resume: 'auto' | 'manual'): Promise<void> {
    const queued = await this.#storage.load()
    const cut = findOpenTurn(this.#view.entries)
    const restored = queued.map(({ id, turnId, createdAt, content }) => {
      this.#storage.touch(turnId)
      return createJob({ kind: 'send', messageId: id, turnId, createdAt, content })
    })
    if (cut !== undefined && resume === 'auto') restored.unshift(this.#createPlainJob('resume', cut.turnId))
    // What was there before goes before what was sent while loading.
    for (const job of restored.reverse()) this.#add(job, 'first')
    this.#isHeld ||= resume === 'manual' && cut !== undefined
    // Straight from loading to running: nobody sees a session idle that is about to go on.
    if (this.#isHeld || this.#queue.isEmpty) this.#view.patch({ status: 'idle' })
    else this.#drive()
  }

  /** Another page writes this session now: drop the run, write nothing, and show what is stored. */
  #becomeStale(): void {
    if (this.#current !== undefined) this.#stop(this.#current, 'another page has taken over this conversation')
    const ended = this.#current?.done.catch(() => {}) ?? Promise.resolve()
    ended.then(() => this.#storage.reload()).catch(() => {})
  }

  // --- driving ------------------------------------------------------------------------------------------------------

  #start(job: Job, place: 'first' | 'last'): Promise<TurnResult> {
    this.#isHeld = false
    this.#add(job, place)
    this.#drive()
    return job.done
  }

  #add(job: Job, place: 'first' | 'last' = 'last'): void {
    if (job.kind === 'send' && (this.#current !== undefined || !this.#queue.isEmpty)) this.#storage.touch(job.turnId)
    this.#queue.add(job, place)
  }

  #drive(): void {
    if (this.#isDriving) return
    this.#isDriving = true
    this.#work().catch(() => {})
  }

  /** Do the jobs in order until none is left. Never rejects. */
  async #work(): Promise<void> {
    if (this.#view.snapshot.status === 'loading') await this.#ready
    for (;;) {
      const job = this.#isHeld ? undefined : this.#queue.next()
      if (job === undefined) {
        // In the same breath as the last look, or an input that comes right now would find nobody at work.
        this.#isDriving = false
        return
      }
      this.#current = job
      this.#view.patch({ status: 'running', activity: { kind: 'starting', since: this.#agent.clock.now() } })
      const end = await this.#perform(job).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      )
      this.#current = undefined
      if (this.#view.snapshot.status !== 'idle') this.#view.patch({ status: 'idle', activity: undefined })
      job.settle(end)
    }
  }

  async #perform(job: Job): Promise<TurnResult> {
    await this.#storage.catchUp()
    const context = {
      sessionId: this.id,
      agent: this.#agent,
      storage: this.#storage,
      view: this.#view,
      onEvent: this.#onEvent,
    }
    const cut = findOpenTurn(this.#view.entries)
    if (job.kind === 'resume') {
      if (cut !== undefined) return runCutTurn(cut, job.controller.signal, context)
      throw nothingToResume(this.id)
    }
    // A signal that is aborted already only closes the cut turn, truthfully.
    if (cut !== undefined) await runCutTurn(cut, AbortSignal.abort(INTERRUPTED), context)
    return runNewTurn(job, context)
  }

  /** Entries reach the view when they are written; here come the live events. */
  readonly #onEvent = (event: TurnEvent): void => {
    if (isEntry(event)) return
    this.#view.apply(event)
    this.#storage.saveOpenSoon()
  }

  #stop(job: Job, reason: unknown): void {
    if (job.controller.signal.aborted) return
    if (job === this.#current) this.#view.patch({ status: 'cancelling' })
    job.controller.abort(reason)
  }

  // --- queue --------------------------------------------------------------------------------------------------------

  #queueChanged(): void {
    this.#view.patch({ queue: this.#queue.inputs })
    // An input that starts at once needs no place in the stored queue: it joins the log with its turn.
    if (this.#current !== undefined || this.#isHeld) this.#storage.saveRecords()
  }

  #createPlainJob(kind: 'resume' | 'retry', turnId: string): Job {
    const createdAt = this.#agent.clock.now()
    return createJob({ kind, turnId, messageId: crypto.randomUUID(), createdAt, content: [] as readonly UserPart[] })
  }

  /** The turn of this id, if there is one: a named input is never asked twice, whatever was lost in between. */
  async #findTurn(turnId: string): Promise<{ result: Promise<TurnResult> } | undefined> {
    await this.#ready
    const job = this.#current?.turnId === turnId ? this.#current : this.#queue.find(turnId)
    if (job !== undefined) return { result: job.done }
    if (findOpenTurn(this.#view.entries)?.turnId === turnId) return { result: this.resume() }
    const ended = resultFromLog(this.#view.entries, turnId)
    return ended === undefined ? undefined : { result: Promise.resolve(ended) }
  }

  #neverStarted(job: Job): TurnResult {
    return neverStarted(job, this.#view.snapshot.messages)
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw sessionClosed(this.id)
  }
}
