import type { Clock } from './clock.ts'
import { SessionCalls } from './session-calls.ts'
import type { SessionChannel } from './session-channel.ts'
import type { CommandOrigin } from './session-commands.ts'
import { SessionFollower } from './session-follower.ts'
import { SessionLease } from './session-lease.ts'
import { SessionLink } from './session-link.ts'
import type { SessionLock } from './session-lock.ts'
import { SessionMirror } from './session-mirror.ts'
import type { Command, CommandResult, DriverMessage, SessionMessageBody } from './session-protocol.ts'
import { SessionRest, type SessionRestOptions } from './session-rest.ts'
import { TAKEN_OVER } from './session-runs.ts'

/** What the pages of a session share it by. */
export interface SessionTabsOptions extends Pick<SessionRestOptions, 'view' | 'storage' | 'driver'> {
  readonly sessionId: string
  readonly lock: SessionLock
  readonly channel: SessionChannel
  readonly clock: Clock
  /** A turn that was cut waits until somebody says that it goes on. */
  readonly isManual: boolean
  perform(command: Command, origin: CommandOrigin): Promise<CommandResult>
}

/**
 * Shares a session between the pages that have it open.
 *
 * Whoever has something to do drives, one at a time, as long as there is something; the others follow: they show what it does,
 * ask it to do what is asked of them, and wait in line to go on where it ends before its time.
 */
export class SessionTabs {
  /** By which things are done, wherever that is. */
  readonly calls: SessionCalls
  readonly #options: SessionTabsOptions
  readonly #link = new SessionLink()
  readonly #lease: SessionLease
  readonly #mirror: SessionMirror
  readonly #follower: SessionFollower
  readonly #rest: SessionRest
  /**
   * `away`: the session is being loaded, or a run that was overtaken is being dropped, and what others say is not heard.
   * `sharing`: another page drives, or nobody does.
   */
  #role: Role = 'away'
  #isClosing = false
  /** Whether a driver has said something while nobody listened here, and whether another page drives, as far as is known. */
  #hasMissed = false
  #hasDriver = false

  constructor(options: SessionTabsOptions) {
    this.#options = options
    options.storage.isShared = true
    const { sessionId, lock, channel, clock, view, storage } = options
    const post = (body: SessionMessageBody): void => this.#link.post(body)
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
      page: this.#link.page,
      view,
      post,
      onDriver: () => this.#follow(),
      look: () => storage.look(),
      forget: (base) => storage.forget(base),
      onProgress: () => this.#progressed(),
    })
    this.calls = new SessionCalls({
      sessionId,
      clock,
      post,
      view,
      perform: options.perform,
      place: () => PLACES[this.#role],
      hasDriver: () => this.#hasDriver,
      term: () => this.#lease.term,
      flush: () => this.#mirror.flush(),
      onAsk: () => this.#role === 'sharing' && this.#lease.request(),
      onChange: () => this.#noteBusy(),
      onEnd: () => this.#rest.note(),
      onSilent: () => this.#lease.steal(() => this.calls.asks.isUnheard && this.#role === 'sharing'),
    })
    this.#rest = new SessionRest({
      view,
      storage,
      driver: options.driver,
      isFree: () => this.#role === 'driving' && !this.#isClosing && this.calls.service.running === 0,
      onRest: () => this.#release(),
    })
    try {
      const isServing = (): boolean => this.#role === 'driving' && !this.#isClosing
      const hearers = { mirror: this.#mirror, calls: this.calls, isServing }
      this.#link.open(sessionId, channel, { ...hearers, onDriver: (message) => this.#hear(message) })
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

  /** The session has been loaded: go on with what was found, or follow whoever does. */
  async join(): Promise<void> {
    const { view, driver, storage, isManual } = this.#options
    this.#follower.noteFence(storage.fence)
    const cut = view.openTurnId
    const hasWork = cut !== undefined || !driver.queue.isEmpty
    const isFree = this.#role === 'away' && hasWork && (await this.#lease.tryNow())
    if (this.#now() === 'left') {
      this.#lease.release()
      return
    }
    const isWaiting = view.snapshot.outcome?.kind === 'awaiting'
    const isHeld = storage.isReadOnly || (isManual && cut !== undefined)
    if (this.#role === 'alone') return view.together(() => driver.begin(cut, isHeld))
    if (isFree && !isHeld && !(isWaiting && driver.queue.isEmpty)) {
      await this.#drive()
      return
    }
    this.#lease.release()
    if (hasWork && !isFree) this.#giveWay()
    else {
      this.#role = 'sharing'
      view.together(() => driver.begin(cut, true))
      this.#follower.hello()
    }
    if (this.#hasMissed) this.#follower.look()
    // Whoever holds it may be frozen: as long as nobody answers, this is a command like any other.
    const isOpen = cut !== undefined && !isFree && !isHeld && !isWaiting
    if (isOpen) this.calls.run({ name: 'resume', turnId: cut }).catch(() => {})
    if (!this.calls.asks.isEmpty) this.#lease.request()
  }

  /** Whether nothing goes on here, and nobody else is known to drive. */
  get isIdle(): boolean {
    return this.#role === 'sharing' && !this.#hasDriver && this.#options.view.snapshot.status === 'idle'
  }

  /** Another page has written, by no lock. */
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
    this.#link.close()
  }

  /** Let go of the session. `isDone`: nothing is left that another page could go on with. */
  leave(isDone: boolean): void {
    if (this.#now() === 'left') return
    this.#mirror.stop(isDone)
    this.#role = 'left'
    this.#link.post({ kind: 'bye' })
    this.#link.close()
    this.#lease.stopWaiting()
    this.#lease.release()
    this.calls.bringAll()
    this.#options.view.patch({ role: 'driver' })
  }

  readonly #now = (): Role => this.#role

  /** Of two pages that think they drive, the lock says who does. */
  #hear(message: DriverMessage): void {
    if (this.#role === 'sharing') this.#follower.take(message)
    else this.#hasMissed = true
  }

  /** What stands for idle depends on what is being asked. */
  #noteBusy(): void {
    const { view } = this.#options
    const isQuiet = this.#role === 'sharing' && !this.#hasDriver && view.snapshot.status !== 'loading'
    if (isQuiet) view.patch({ status: 'idle' })
  }

  /** Another page drives. */
  #follow(): void {
    const { view, driver } = this.#options
    const why = { reason: TAKEN_OVER }
    this.#hasDriver = true
    view.together(() => {
      // What waits here that driver has, or is asked for once more.
      for (const job of driver.queue.clear()) job.settle({ result: driver.neverStarted(job, why) })
      const isOpen = view.openTurnId !== undefined && view.snapshot.outcome?.kind !== 'awaiting'
      view.patch({ role: 'follower', ...(isOpen && { resumable: undefined, status: 'running' }) })
    })
    this.calls.asks.repeat()
    this.#lease.request()
  }

  #progressed(): void {
    this.calls.asks.settle()
    if (!this.#follower.isReleased) return
    this.#hasDriver = false
    if (!this.calls.asks.isUnheard) this.#lease.stopWaiting()
  }

  /** This page has the session alone: go on with what is left to do. */
  async #drive(): Promise<void> {
    const { view, storage, driver, isManual } = this.#options
    if (this.#role === 'sharing' && this.#follower.isReleased && !this.calls.asks.isUnheard) {
      this.#lease.release()
      return
    }
    const { fence, base } = await storage.takeOver()
    if (this.#now() === 'left') return
    if (!this.#lease.isHeld) {
      this.#giveWay()
      return
    }
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
      this.calls.bringAll()
      // It looked busy as long as something was asked of others.
      if (driver.isIdle) view.patch({ status: 'idle' })
    })
    storage.isQueueHeld = false
    this.#rest.note()
  }

  /** Nothing is left to do: let others drive. */
  #release(): void {
    this.#mirror.stop(true)
    this.calls.park()
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
    if (this.#now() !== 'left') this.#giveWay()
  }

  /** Another page has the lease: follow it, once it is known what is stored. */
  #giveWay(): void {
    const { view, storage, driver } = this.#options
    storage.letGo()
    this.#role = 'sharing'
    view.together(() => {
      driver.begin(view.openTurnId, true)
      this.#follow()
    })
    this.#follower.hello()
  }

  /** Nothing can be locked, or nobody can be heard: do everything here. */
  #stayAlone(): void {
    if (this.#role === 'left') return
    const { storage } = this.#options
    this.#role = 'alone'
    this.#link.close()
    this.#lease.stopWaiting()
    this.#lease.release()
    storage.isShared = false
    storage.status.noteUnshared()
    this.calls.bringAll()
  }
}

type Role = keyof typeof PLACES

const PLACES = { away: 'elsewhere', sharing: 'elsewhere', driving: 'here', alone: 'alone', left: 'nowhere' } as const
