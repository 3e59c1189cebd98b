import { SessionCalls } from './session-calls.ts'
import { SessionFollower } from './session-follower.ts'
import { SessionLease } from './session-lease.ts'
import { SessionLink } from './session-link.ts'
import { SessionMirror } from './session-mirror.ts'
import type { DriverMessage, SessionMessageBody } from './session-protocol.ts'
import { SessionRest } from './session-rest.ts'
import { SessionWards } from './session-wards.ts'
import { PLACES, type Role, type SessionTabsOptions } from './tabs-options.ts'

/** What the parts ask of a page's share in its session, and tell it. */
export interface TabsOwner {
  role(): Role
  isClosing(): boolean
  /** Another page drives, as far as is known. */
  hasDriver(): boolean
  onGranted(): void
  onLost(): void
  /** Nothing can be locked; or, without an error, whoever drives for this page has begun anew. */
  onBroken(error: unknown): void
  /** A driver speaks. */
  hear(message: DriverMessage): void
  /** It was not known before. */
  onDriver(): void
  onProgress(): void
  onAsk(): void
  onChange(): void
  onRest(): void
}

/** What a page's share in a session is made of, joined. */
export class TabsParts {
  readonly link: SessionLink = new SessionLink()
  readonly lease: SessionLease
  readonly mirror: SessionMirror
  readonly follower: SessionFollower
  /** By which things are done, wherever that is. */
  readonly calls: SessionCalls
  readonly rest: SessionRest
  readonly wards: SessionWards

  constructor(options: SessionTabsOptions, owner: TabsOwner) {
    const { lock, clock, view, storage, driver } = options
    const post = (body: SessionMessageBody): void => this.link.post(body)
    const stealIf = (isWanted: () => boolean): void => this.lease.steal(() => isWanted() && owner.role() === 'sharing')
    this.lease = new SessionLease({ ...options, ...owner })
    this.wards = new SessionWards({
      clock,
      drivesFor: (page) => lock.drivesFor?.(page) === true,
      onKept: () => owner.role() === 'sharing' && this.lease.request(),
      onSilent: () => stealIf(() => !this.wards.isEmpty),
    })
    this.mirror = new SessionMirror({ view, clock, post })
    this.follower = new SessionFollower({
      page: this.link.page,
      view,
      post,
      onDriver: owner.onDriver,
      look: () => storage.look(),
      forget: (base) => storage.status.forget(base),
      onProgress: owner.onProgress,
    })
    this.calls = new SessionCalls({
      ...options,
      post,
      place: () => PLACES[owner.role()],
      hasDriver: owner.hasDriver,
      term: () => this.lease.term,
      flush: () => this.mirror.flush(),
      onAsk: owner.onAsk,
      onChange: owner.onChange,
      onEnd: () => this.rest.note(),
      onSilent: () => stealIf(() => this.calls.asks.isUnheard),
    })
    this.rest = new SessionRest({
      view,
      storage,
      driver,
      isFree: () => owner.role() === 'driving' && !owner.isClosing() && this.calls.service.running === 0,
      onRest: owner.onRest,
    })
  }

  /** Whether something waits, here or at a page that never drives, that nobody has said to have heard. */
  get isWanted(): boolean {
    return this.calls.asks.isUnheard || !this.wards.isEmpty
  }

  /** Begin to hear. */
  open({ sessionId, channel, view }: SessionTabsOptions, owner: TabsOwner): void {
    const { mirror, calls, wards } = this
    view.subscribe(() => {
      mirror.noteShown()
      this.rest.note()
    })
    try {
      this.link.open(sessionId, channel, {
        mirror,
        calls,
        wards,
        isServing: () => owner.role() === 'driving' && !owner.isClosing(),
        onDriver: owner.hear,
      })
    } catch (error) {
      owner.onBroken(error)
    }
  }
}
