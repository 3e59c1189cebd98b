import { toErrorRecord } from './errors.ts'
import type { SessionCalls } from './session-calls.ts'
import type { DriverMessage } from './session-protocol.ts'
import { TAKEN_OVER } from './session-runs.ts'
import type { Role, SessionTabsOptions } from './tabs-options.ts'
import { type TabsOwner, TabsParts } from './tabs-parts.ts'

/**
 * Shares a session between the pages that have it open.
 *
 * Whoever has something to do drives, one at a time, as long as there is something; the others follow: they show what it does,
 * ask it to do what is asked of them, and wait in line to go on where it ends before its time.
 */
export class SessionTabs {
  readonly #options: SessionTabsOptions
  readonly #parts: TabsParts
  #role: Role = 'away'
  #isClosing = false
  /** Whether a driver has said something while nobody listened here, and whether another page drives, as far as is known. */
  #hasMissed = false
  #hasDriver = false
  /** Whoever should drive for this page cannot: only what is asked here has that tried again. */
  #isBroken = false

  constructor(options: SessionTabsOptions) {
    this.#options = options
    options.storage.isShared = true
    const owner = this.#asOwner()
    this.#parts = new TabsParts(options, owner)
    this.#parts.open(options, owner)
  }

  /** By which things are done, wherever that is. */
  get calls(): SessionCalls {
    return this.#parts.calls
  }

  get isDriving(): boolean {
    return this.#role === 'driving' || this.#role === 'alone'
  }

  /** Whether this page never drives. */
  get isElsewhere(): boolean {
    return this.#options.lock.isElsewhere === true
  }

  /** The session has been loaded: go on with what was found, or follow whoever does. */
  async join(): Promise<void> {
    const { view, driver, storage, isManual } = this.#options
    if (this.isElsewhere) return this.#joinElsewhere()
    this.#parts.follower.noteFence(storage.fence)
    const cut = view.openTurnId
    const hasWork = cut !== undefined || !driver.queue.isEmpty
    const isFree = this.#role === 'away' && hasWork && (await this.#parts.lease.tryNow())
    if (this.#now() === 'left') {
      this.#parts.lease.release()
      return
    }
    const isWaiting = view.snapshot.outcome?.kind === 'awaiting'
    const isHeld = storage.isReadOnly || (isManual && cut !== undefined)
    if (this.#role === 'alone') return view.together(() => driver.begin(cut, isHeld))
    if (isFree && !isHeld && !(isWaiting && driver.queue.isEmpty)) {
      await this.#drive()
      return
    }
    this.#parts.lease.release()
    if (hasWork && !isFree) this.#giveWay()
    else {
      this.#role = 'sharing'
      view.together(() => driver.begin(cut, true))
      this.#parts.follower.hello()
    }
    if (this.#hasMissed) this.#parts.follower.look()
    // Whoever holds it may be frozen: as long as nobody answers, this is a command like any other.
    const isOpen = cut !== undefined && !isFree && !isHeld && !isWaiting
    if (isOpen) this.calls.run({ name: 'resume', turnId: cut }).catch(() => {})
    if (!this.calls.asks.isEmpty || !this.#parts.wards.isEmpty) this.#parts.lease.request()
  }

  /** Whoever drives for this page goes on with what was found. */
  async #joinElsewhere(): Promise<void> {
    const { view, driver } = this.#options
    await this.#parts.lease.tryNow()
    if (this.#now() === 'left') return
    this.#role = 'sharing'
    view.together(() => driver.begin(view.openTurnId, true))
    this.#parts.follower.hello()
    if (this.#hasMissed) this.#parts.follower.look()
    this.#askAgain()
  }

  /** Whether nothing goes on here, and nobody else is known to drive. */
  get isIdle(): boolean {
    return this.#role === 'sharing' && !this.#hasDriver && this.#options.view.snapshot.status === 'idle'
  }

  /** Another page has written, by no lock. */
  async noteStale(): Promise<void> {
    if (this.#role !== 'driving') return this.#options.driver.becomeStale()
    this.#parts.lease.release()
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
    this.#parts.mirror.stop(false)
    this.#parts.link.close()
  }

  /** Let go of the session. `isDone`: nothing is left that another page could go on with. */
  leave(isDone: boolean): void {
    if (this.#now() === 'left') return
    this.#parts.mirror.stop(isDone)
    this.#parts.wards.clear()
    this.#role = 'left'
    this.#parts.link.post({ kind: 'bye' })
    this.#parts.link.close()
    this.#parts.lease.stopWaiting()
    this.#parts.lease.release()
    this.calls.bringAll()
    this.#options.view.patch({ role: 'driver' })
  }

  readonly #now = (): Role => this.#role

  #asOwner(): TabsOwner {
    return {
      role: this.#now,
      isClosing: () => this.#isClosing,
      hasDriver: () => this.#hasDriver,
      // Owned here: what fails on the way is in the snapshot.
      onGranted: () => void this.#drive().catch(() => {}),
      onLost: () => void this.#lost().catch(() => {}),
      onBroken: (error) => (this.isElsewhere ? this.#part(error) : this.#stayAlone()),
      hear: (message) => this.#hear(message),
      onDriver: () => {
        // Whoever waits here asks that driver.
        this.#parts.wards.clear()
        this.#follow()
      },
      onProgress: () => this.#progressed(),
      onAsk: () => this.#ask(),
      onChange: () => this.#noteBusy(),
      onRest: () => this.#release(),
    }
  }

  /** Of two pages that think they drive, the lock says who does. */
  #hear(message: DriverMessage): void {
    if (this.#role === 'sharing') this.#parts.follower.take(message)
    else this.#hasMissed = true
  }

  /** What stands for idle depends on what is being asked. */
  #noteBusy(): void {
    const { view } = this.#options
    const isQuiet = this.#role === 'sharing' && !this.#hasDriver && view.snapshot.status !== 'loading'
    if (isQuiet) view.patch({ status: 'idle' })
  }

  /** Something waits for a driver. */
  #ask(): void {
    if (this.#isBroken) this.#options.view.patch({ error: undefined })
    this.#isBroken = false
    if (this.#role === 'sharing') this.#parts.lease.request()
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
    if (!this.#isBroken) this.#parts.lease.request()
  }

  #progressed(): void {
    this.calls.asks.settle()
    this.#options.storage.earlier.note()
    if (!this.#parts.follower.isReleased) return
    this.#hasDriver = false
    if (!this.#parts.isWanted) this.#parts.lease.stopWaiting()
  }

  /** This page has the session alone: go on with what is left to do. */
  async #drive(): Promise<void> {
    const { view, storage, driver, isManual } = this.#options
    if (this.#role === 'sharing' && this.#parts.follower.isReleased && !this.#parts.isWanted) {
      this.#parts.lease.release()
      return
    }
    const begin = await storage.takeOver()
    if (this.#now() === 'left') return
    if (!this.#parts.lease.isHeld) return this.#giveWay()
    this.#role = 'driving'
    this.#hasDriver = false
    this.#parts.follower.desync()
    const { fence, base } = begin()
    this.#parts.follower.noteFence(fence)
    this.#parts.mirror.start(this.#parts.follower.fence, base)
    const cut = view.openTurnId
    const isHeld = storage.isReadOnly || storage.isQueueHeld || (isManual && cut !== undefined)
    view.together(() => {
      view.patch({ role: 'driver', activity: undefined })
      driver.begin(cut, isHeld)
      this.calls.bringAll()
      for (const command of this.#parts.wards.takeAll()) this.calls.service.serve(command)
      // It looked busy as long as something was asked of others.
      if (driver.isIdle) view.patch({ status: 'idle' })
    })
    storage.isQueueHeld = false
    this.#parts.rest.note()
  }

  /** Nothing is left to do: let others drive. */
  #release(): void {
    this.#parts.mirror.stop(true)
    this.calls.park()
    this.#role = 'sharing'
    this.#options.storage.letGo()
    this.#parts.lease.release()
  }

  /** The lease was taken away: drop the run, write nothing, follow. */
  async #lost(): Promise<void> {
    const { storage, driver } = this.#options
    if (this.#role !== 'driving') return
    this.#role = 'away'
    this.#parts.mirror.stop(false)
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
    this.#parts.follower.hello()
  }

  /** Nothing can be locked, or nobody can be heard: do everything here. */
  #stayAlone(): void {
    if (this.#role === 'left') return
    const { storage } = this.#options
    this.#role = 'alone'
    this.#parts.link.close()
    this.#parts.lease.stopWaiting()
    this.#parts.lease.release()
    storage.isShared = false
    storage.status.noteUnshared()
    this.calls.bringAll()
  }

  /**
   * Nobody drives for this page any more; without an error another one does from now on. A driver of somebody else's that it
   * follows says so once more.
   */
  #part(error: unknown): void {
    if (this.#role === 'left') return
    const { view, driver } = this.#options
    this.#isBroken = error !== undefined
    this.#hasDriver = false
    view.together(() => {
      if (this.#isBroken) this.calls.asks.failAll(error)
      if (this.#role === 'sharing') driver.begin(view.openTurnId, true)
      const isCut = view.openTurnId !== undefined && view.snapshot.outcome?.kind !== 'awaiting'
      view.patch({ role: 'driver', open: undefined, resumable: isCut || undefined })
      if (this.#isBroken) view.patch({ error: toErrorRecord(error, 'internal') })
    })
    this.#parts.follower.part()
    this.#askAgain()
  }

  /** Somebody may hear now what nobody has heard yet. */
  #askAgain(): void {
    this.calls.asks.repeat()
    if (!this.calls.asks.isEmpty) this.#parts.lease.request()
  }
}
