import { type Entry, isEntry } from './entries.ts'
import type { TurnEvent } from './events.ts'
import type { DriverMessage, SessionMessageBody, Shown, Term } from './session-protocol.ts'
import type { SessionView } from './session-view.ts'

/** What a follower works with. */
export interface SessionFollowerOptions {
  /** The id of this page. */
  readonly page: string
  readonly view: SessionView
  post(body: SessionMessageBody): void
  /** Another page drives from now on. */
  onDriver(): void
  /** Show nothing beyond this sequence: it was never stored. */
  forget(base: number): void
  /** Read what is stored and not shown; tells whether there was something. */
  look(): Promise<boolean>
  /** The log has come further, or the driver has let go. */
  onProgress(): void
}

/** Shows what another page does: takes what the driver says, in order, and asks for what it missed. */
export class SessionFollower {
  readonly #options: SessionFollowerOptions
  #term: Term | undefined
  #fence = 0
  #isReleased = false
  /** Whether what comes next continues what is shown. */
  #isSynced = false
  /** Whether the driver that was followed last may be gone. */
  #hasParted = false

  constructor(options: SessionFollowerOptions) {
    this.#options = options
  }

  /** Whether the page that drove last has said that nothing was left to do. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  /** The highest fence that is known of: who has a lower one has been overtaken, and may not know it yet. */
  get fence(): number {
    return this.#fence
  }

  noteFence(fence: number): void {
    this.#fence = Math.max(this.#fence, fence)
  }

  /** Take what a driver says. */
  take(message: DriverMessage): void {
    if (message.fence < this.#fence) return
    if (message.term !== this.#term?.term) this.#meet(message)
    else if (this.#hasParted) this.#options.onDriver()
    this.#hasParted = false
    switch (message.kind) {
      case 'driving':
        return
      case 'released':
        this.#release(message.last)
        return
      case 'state':
        if (message.to === this.#options.page) this.#takeState(message)
        return
      case 'news':
        this.#takeNews(message)
    }
  }

  /** This page drives now, or has just lost that: what others say does not continue what is shown. */
  desync(): void {
    this.#isSynced = false
    this.#isReleased = false
  }

  /** Read what was missed of a driver that has let go. Owned here: a store that is down shows nothing new. */
  look(): void {
    const { look, onProgress } = this.#options
    look()
      .then((isShown) => isShown && onProgress())
      .catch(() => {})
  }

  /** Ask whoever drives for all that is not known here. */
  hello(): void {
    this.#isSynced = false
    this.#options.post({ kind: 'hello', after: this.#options.view.lastSequence })
  }

  /** Whoever drove may be gone: whatever still drives says so. */
  part(): void {
    this.#isReleased = false
    this.#hasParted = true
    this.hello()
  }

  #meet({ term, fence, base }: Term): void {
    const { view, forget, onDriver } = this.#options
    this.#term = { term, fence, base }
    this.noteFence(fence)
    this.desync()
    onDriver()
    if (view.lastSequence > base) forget(base)
    this.hello()
  }

  #release(last: number): void {
    const { view, onProgress } = this.#options
    this.#isReleased = true
    this.#isSynced = false
    view.patch({ status: 'idle', activity: undefined, open: undefined, role: 'driver' })
    if (view.lastSequence < last) this.look()
    onProgress()
  }

  #takeState({ events, shown }: Extract<DriverMessage, { kind: 'state' }>): void {
    const { view, onProgress } = this.#options
    const entries = events.filter(isEntry).filter(({ sequence }) => sequence > view.lastSequence)
    if (!continues(entries, view.lastSequence)) return
    view.together(() => {
      view.load(entries, { resumable: undefined, open: undefined })
      for (const event of events) if (!isEntry(event)) view.apply(this.#beyondKnown(event))
      this.#show(shown)
    })
    this.#isSynced = true
    onProgress()
  }

  #takeNews({ after, events, shown }: Extract<DriverMessage, { kind: 'news' }>): void {
    const { view, onProgress } = this.#options
    if (!this.#isSynced) return
    if (after !== view.lastSequence) {
      this.hello()
      return
    }
    view.together(() => {
      for (const event of events) view.apply(event)
      if (shown !== undefined) this.#show(shown)
    })
    onProgress()
  }

  /** Arguments grow where they stand: what is repeated of them is left out. */
  #beyondKnown(event: TurnEvent): TurnEvent {
    if (event.type !== 'tool-input-delta') return event
    const known = this.#options.view.snapshot.calls.get(event.callId)?.inputText ?? ''
    return event.delta.startsWith(known) ? { ...event, delta: event.delta.slice(known.length) } : event
  }

  #show({ status, queue, storage, activity }: Shown): void {
    this.#options.view.patch({ status, queue, storage, activity, role: 'follower' })
  }
}

function continues(entries: readonly Entry[], last: number): boolean {
  return entries.every(({ sequence }, index) => sequence === last + 1 + index)
}
