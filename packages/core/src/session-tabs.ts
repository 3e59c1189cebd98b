import type { Clock } from './clock.ts'
import { toGivenUp } from './command-ends.ts'
import { type Call, SessionAsks } from './session-asks.ts'
import type { SessionChannel, SessionLine } from './session-channel.ts'
import type { CommandOrigin } from './session-commands.ts'
import type { SessionDriver } from './session-driver.ts'
import { sessionClosed } from './session-errors.ts'
import { SessionFollower } from './session-follower.ts'
import { SessionLease } from './session-lease.ts'
import type { SessionLock } from './session-lock.ts'
import { SessionMirror } from './session-mirror.ts'
import {
  type Command,
  type CommandResult,
  isFromDriver,
  readMessage,
  type SessionMessage,
  type SessionMessageBody,
  toMessage,
} from './session-protocol.ts'
import { SessionRest } from './session-rest.ts'
import { TAKEN_OVER } from './session-runs.ts'
import { SessionService } from './session-service.ts'
import type { SessionStorage } from './session-storage.ts'
import type { SessionView } from './session-view.ts'

/** What the pages of a session share it by. */
export interface SessionTabsOptions {
  readonly sessionId: string
  readonly lock: SessionLock
  readonly channel: SessionChannel
  readonly clock: Clock
  readonly view: SessionView
  readonly storage: SessionStorage
  readonly driver: SessionDriver
  /** A turn that was cut waits until somebody says that it goes on. */
  readonly isManual: boolean
  perform(command: Command, origin: CommandOrigin): Promise<CommandResult>
}

/**
 * Shares a session between the pages that have it open.
 *
 * Whoever has something to do for it drives, one at a time, as long as there is something to do; the others follow: they show
 * what the driver does, ask it to do what is asked of them, and wait in line to go on where it ends before its time.
 */
export class SessionTabs {
  readonly #options: SessionTabsOptions
  readonly #page = crypto.randomUUID()
  readonly #lease: SessionLease
  readonly #mirror: SessionMirror
  readonly #follower: SessionFollower
  readonly #asks: SessionAsks
  readonly #service: SessionService
  readonly #rest: SessionRest
  #line: SessionLine | undefined
  /**
   * `away`: the session is being loaded, or a run that was overtaken is being dropped, and what others say is not heard.
   * `sharing`: another page drives, or nobody does.
   */
  #role: 'away' | 'sharing' | 'driving' | 'alone' | 'left' = 'away'
  #isClosing = false
  /** A driver has said something while nobody listened here. */
  #hasMissed = false
  /** Another page drives, as far as is known. */
  #hasDriver = false

  constructor(options: SessionTabsOptions) {
    this.#options = options
    const { sessionId, lock, channel, clock, view, storage } = options
    const post = (body: SessionMessageBody): void => this.#line?.post(toMessage(this.#page, body))
    this.#lease = new SessionLease({
      sessionId,
      lock,
      clock,
      // Owned here: what fails on the way is in the snapshot.
      onGranted: () => void this.#drive().catch(() => {}),
      onLost: () => void this.#lost().catch(() => {}),
      onBroken: () => this.#stayAlone(),
    })
    this.#mirror = new SessionMirror({ view, clock, post })
    this.#follower = new SessionFollower({
      page: this.#page,
      view,
      post,
      onDriver: () => this.#follow(),
      look: () => this.#look(),
      forget: (base) => storage.forget(base),
      onProgress: () => this.#progressed(),
    })
    this.#asks = new SessionAsks({
      clock,
      post,
      view,
      hasDriver: () => this.#hasDriver,
      onChange: () => this.#noteBusy(),
      onSilent: () => this.#lease.steal(() => this.#asks.isUnheard && this.#role === 'sharing'),
    })
    this.#service = new SessionService({
      perform: options.perform,
      term: () => this.#lease.term,
      post,
      flush: () => {
        this.#mirror.flush()
        return view.lastSequence
      },
      onEnd: () => this.#rest.note(),
    })
    this.#rest = new SessionRest({
      view,
      storage,
      driver: options.driver,
      isFree: () => this.#role === 'driving' && !this.#isClosing && this.#service.running === 0,
      onRest: () => this.#release(),
    })
    try {
      this.#line = channel.join(sessionId, (data) => this.#hear(readMessage(data)))
    } catch {
      this.#stayAlone()
    }
    view.subscribe(() => {
      this.#mirror.noteShown()
      this.#rest.note()
    })
  }

  get isDriving(): boolean {
    return this.#role === 'driving' || this.#role === 'alone'
  }

  /** Whether something that keeps the session busy is on its way to whoever drives. */
  get isAsking(): boolean {
    return this.#asks.isBusy
  }

  /** The session has been loaded: go on with what was found, or follow whoever does. */
  async join(): Promise<void> {
    const { view, driver, storage, isManual } = this.#options
    this.#follower.noteFence(storage.fence)
    const cut = view.openTurnId
    const hasWork = cut !== undefined || !driver.queue.isEmpty
    const isFree = this.#role === 'away' && hasWork && (await this.#lease.tryNow())
    if (this.#isLeft) {
      this.#lease.release()
      return
    }
    const isWaiting = view.snapshot.outcome?.kind === 'awaiting'
    const isHeld = storage.isReadOnly || (isManual && cut !== undefined)
    if (this.#role === 'alone') {
      view.together(() => driver.begin(cut, isHeld))
      return
    }
    if (isFree && !isHeld && !(isWaiting && driver.queue.isEmpty)) {
      await this.#drive()
      return
    }
    this.#lease.release()
    this.#role = 'sharing'
    if (!isFree) this.#handOver()
    view.together(() => {
      driver.begin(cut, true)
      if (hasWork && !isFree) this.#follow()
    })
    this.#follower.hello()
    if (this.#hasMissed) this.#look()
    // Whoever holds it may be frozen: as long as nobody answers, this is a command like any other.
    if (hasWork && !isFree && cut !== undefined && !isHeld && !isWaiting) {
      const resuming = this.run({ name: 'resume', turnId: cut })
      resuming.catch(() => {})
    } else if (!this.#asks.isEmpty) this.#lease.request()
  }

  /** Have something done: here, if this page drives or nobody does, else by whoever drives. */
  run(command: Command, origin: CommandOrigin = {}): Promise<CommandResult> {
    if (this.#role === 'alone') return this.#options.perform(command, origin)
    return new Promise((resolve, reject) => {
      const call: Call = { command, origin, resolve, reject }
      if (this.#role === 'driving') this.#carryOut(call)
      else this.#ask(call)
    })
  }

  /** Give up what nobody has heard yet. */
  giveUpUnheard(reason: unknown): void {
    this.#asks.giveUpUnheard(reason)
  }

  /** Whether nothing goes on here, and nobody else is known to drive. */
  get isIdle(): boolean {
    return this.#role === 'sharing' && !this.#hasDriver && this.#options.view.snapshot.status === 'idle'
  }

  /** The store says that another page has written: one that keeps to no lock. */
  async noteStale(): Promise<void> {
    if (this.#role !== 'driving') return this.#options.driver.becomeStale()
    this.#lease.release()
    await this.#lost()
  }

  /**
   * The session is being closed here: nobody is asked, nor asks for anything more. What runs comes to its end; with
   * `isLeaving`, to one that others neither see nor hear of, because it is theirs to go on with.
   */
  stopSharing(isLeaving: boolean): void {
    this.#isClosing = true
    if (!this.isDriving) this.leave(false)
    if (!isLeaving) return
    this.#mirror.stop(false)
    this.#line?.leave()
  }

  /** Let go of the session. `isDone`: nothing is left that another page could go on with. */
  leave(isDone: boolean): void {
    const { view, sessionId } = this.#options
    if (this.#isLeft) return
    this.#mirror.stop(isDone)
    this.#role = 'left'
    this.#line?.post(toMessage(this.#page, { kind: 'bye' }))
    this.#line?.leave()
    this.#lease.stopWaiting()
    this.#lease.release()
    for (const call of this.#asks.takeAll()) {
      if (call.command.name === 'send') call.resolve(toGivenUp(call.command, 'the session was closed', view))
      else call.reject(sessionClosed(sessionId))
    }
    view.patch({ role: 'driver' })
  }

  /** Asked again, where something was waited for in between. */
  get #isLeft(): boolean {
    return this.#role === 'left'
  }

  #hear(message: SessionMessage | undefined): void {
    if (message === undefined || this.#role === 'left' || this.#role === 'alone') return
    switch (message.kind) {
      case 'hello':
        this.#mirror.add(message.from, message.after)
        return
      case 'bye':
        this.#mirror.remove(message.from)
        return
      case 'command':
        if (this.#role === 'driving' && !this.#isClosing) this.#service.serve(message)
        return
      case 'ack':
        this.#asks.noteAck(message.id)
        return
      case 'done':
        this.#asks.noteDone(message.id, message.after, message.end)
        return
      default:
        // Of two that think they drive, the lock says who does.
        if (this.#role === 'sharing' && isFromDriver(message)) this.#follower.take(message)
        else this.#hasMissed = true
    }
  }

  #ask(call: Call): void {
    this.#asks.add(call)
    if (this.#role === 'sharing') this.#lease.request()
  }

  /** What stands for idle depends on what is being asked. */
  #noteBusy(): void {
    const { view } = this.#options
    const { status } = view.snapshot
    if (this.#role !== 'sharing' || this.#hasDriver || status === 'loading' || status === 'closed') return
    view.patch({ status: 'idle' })
  }

  /** Another page drives. */
  #follow(): void {
    const { view } = this.#options
    this.#hasDriver = true
    view.together(() => {
      this.#handOver()
      const isOpen = view.openTurnId !== undefined
      view.patch({ role: 'follower', ...(isOpen && { resumable: undefined, status: 'running' }) })
    })
    this.#asks.repeat()
    this.#lease.request()
  }

  /** Read what was missed, from a driver that has let go. Owned here: a store that is down shows nothing new. */
  #look(): void {
    this.#options.storage
      .look()
      .then((isShown) => isShown && this.#asks.settle())
      .catch(() => {})
  }

  /** Forget what waits here: the page that drives has it, or is asked for it once more. */
  #handOver(): void {
    const { driver } = this.#options
    const why = { reason: TAKEN_OVER }
    for (const job of driver.queue.clear()) job.settle({ result: driver.neverStarted(job, why) })
  }

  #progressed(): void {
    this.#asks.settle()
    if (!this.#follower.isReleased) return
    this.#hasDriver = false
    if (this.#asks.isEmpty) this.#lease.stopWaiting()
  }

  /** This page has the session alone: go on with what is left to do. */
  async #drive(): Promise<void> {
    const { view, storage, driver, isManual } = this.#options
    if (this.#role === 'sharing' && this.#follower.isReleased && this.#asks.isEmpty) {
      this.#lease.release()
      return
    }
    const { fence, base } = await storage.takeOver()
    if (!this.#lease.isHeld || this.#isLeft) return
    this.#role = 'driving'
    this.#hasDriver = false
    this.#follower.desync()
    this.#follower.noteFence(fence)
    this.#mirror.start({ term: crypto.randomUUID(), fence: this.#follower.fence, base })
    const cut = view.openTurnId
    const isHeld = storage.isReadOnly || storage.isQueueHeld || (isManual && cut !== undefined)
    view.together(() => {
      view.patch({ role: 'driver', activity: undefined })
      driver.begin(cut, isHeld)
      for (const call of this.#asks.takeAll()) this.#carryOut(call)
    })
    storage.isQueueHeld = false
    this.#rest.note()
  }

  #carryOut(call: Call): void {
    this.#service
      .perform(call.command, call.origin)
      .then((end) => ('lost' in end ? this.#askAgain(call) : call.resolve(end)), call.reject)
  }

  /** It was begun here and another page has taken over: that one has it now, or is told. */
  #askAgain(call: Call): void {
    call.origin.isAgain = true
    if (this.#role === 'driving') this.#carryOut(call)
    else if (this.#role === 'left') call.reject(sessionClosed(this.#options.sessionId))
    else this.#ask(call)
  }

  /** Nothing is left to do: let others drive. */
  #release(): void {
    this.#mirror.stop(true)
    this.#role = 'sharing'
    this.#options.storage.letGo()
    this.#lease.release()
  }

  /** The lease was taken away: drop the run, write nothing, follow. */
  async #lost(): Promise<void> {
    const { storage, driver } = this.#options
    if (this.#role !== 'driving') return
    this.#role = 'away'
    this.#mirror.stop(false)
    storage.drop()
    await driver.becomeStale().catch(() => {})
    // While that was waited for, the session may have been closed.
    if (this.#isLeft) return
    this.#role = 'sharing'
    this.#follow()
    this.#follower.hello()
  }

  /** Nothing can be locked, or nobody can be heard: do everything here. */
  #stayAlone(): void {
    if (this.#role === 'left') return
    const { storage } = this.#options
    this.#role = 'alone'
    this.#line?.leave()
    this.#lease.stopWaiting()
    this.#lease.release()
    storage.noteUnshared()
    for (const call of this.#asks.takeAll()) {
      this.#options.perform(call.command, call.origin).then(call.resolve, call.reject)
    }
  }
}
