import type { Clock } from './clock.ts'
import { isEntry } from './entries.ts'
import { EventQueue } from './event-queue.ts'
import type { LiveEvent, LiveEventBody, TurnEvent } from './events.ts'
import { randomId } from './random-id.ts'
import type { SessionMessageBody, Shown, Term } from './session-protocol.ts'
import type { SessionView } from './session-view.ts'
import type { Snapshot } from './snapshot.ts'

/** How long deltas are gathered before they go out: one frame. */
const BATCH_MS = 16

/** What a mirror works with. */
export interface SessionMirrorOptions {
  readonly view: SessionView
  readonly clock: Clock
  /** Throws for what cannot be copied. */
  post(body: SessionMessageBody): void
}

/**
 * Shows the followers what the driver does, in batches: as long as nobody follows, a delta costs one look.
 *
 * Facts go out at once. Deltas wait for the frame to be over; as a hidden page's timers are slow, one that comes later than
 * that sends what waits itself.
 */
export class SessionMirror {
  readonly #options: SessionMirrorOptions
  readonly #followers = new Set<string>()
  #term: Term | undefined
  #events = new EventQueue()
  /** Where the log stood before the first event that waits. */
  #after: number | undefined
  #shown: Shown | undefined
  #sentAt = Number.NEGATIVE_INFINITY
  #stopTimer: (() => void) | undefined
  #isFlushing = false

  constructor(options: SessionMirrorOptions) {
    this.#options = options
    options.view.addReader({ push: (event) => this.#push(event), wake: () => {} })
  }

  /** This page drives from now on. Whoever wants to follow says so. */
  start(fence: number, base: number): void {
    const term: Term = { term: randomId(), fence, base }
    this.#term = term
    this.#options.post({ kind: 'driving', ...term })
  }

  /** This page drives no longer. `isClean`: nothing is left to do. */
  stop(isClean: boolean): void {
    if (this.#term === undefined) return
    if (isClean) {
      this.flush()
      this.#options.post({ kind: 'released', last: this.#options.view.lastSequence, ...this.#term })
    }
    this.#term = undefined
    // Nobody follows: what an overtaken run still says, or another page, is neither kept nor continued by the next term.
    this.#followers.clear()
    this.#forget()
  }

  /** Let a page follow that knows the log up to `after`. */
  add(follower: string, after: number): void {
    if (this.#term === undefined) return
    // What waits is part of what it is told now.
    this.flush()
    this.#followers.add(follower)
    const { view, clock } = this.#options
    this.#shown = shownOf(view.snapshot)
    const entries = view.log.after(after)
    const base = { at: clock.now(), after: view.lastSequence, turnId: view.openTurnId ?? '' }
    const live = replayOpen(view.snapshot).map((body): LiveEvent => ({ ...base, ...body }))
    this.#post({ kind: 'state', to: follower, events: [...entries, ...live], shown: this.#shown, ...this.#term })
  }

  remove(follower: string): void {
    this.#followers.delete(follower)
    if (this.#followers.size === 0) this.#forget()
  }

  /** What is shown may have changed. */
  noteShown(): void {
    if (this.#followers.size > 0 && !isSameShown(this.#shown, this.#options.view.snapshot)) this.#flushSoon()
  }

  /** Send what waits, now; returns where the log stands. */
  flush(): number {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    if (this.#followers.size > 0 && this.#term !== undefined) this.#send(this.#term)
    return this.#options.view.lastSequence
  }

  #send(term: Term): void {
    const { view, clock } = this.#options
    const shown = isSameShown(this.#shown, view.snapshot) ? undefined : shownOf(view.snapshot)
    const events = this.#take()
    if (events.length === 0 && shown === undefined) return
    this.#shown = shown ?? this.#shown
    this.#sentAt = clock.now()
    const after = this.#after ?? view.lastSequence
    this.#after = undefined
    this.#post({ kind: 'news', after, events, ...(shown && { shown }), ...term })
  }

  #push(event: TurnEvent): void {
    if (this.#followers.size === 0) return
    const { view, clock } = this.#options
    this.#after ??= isEntry(event) ? event.sequence - 1 : view.lastSequence
    this.#events.push(event)
    if (isEntry(event)) this.#flushSoon()
    else if (clock.now() - this.#sentAt >= BATCH_MS) this.flush()
    else this.#stopTimer ??= clock.setTimer(() => this.flush(), BATCH_MS)
  }

  /** Together with all that happens in this very moment. */
  #flushSoon(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    queueMicrotask(() => {
      this.#isFlushing = false
      this.flush()
    })
  }

  #take(): TurnEvent[] {
    const events: TurnEvent[] = []
    for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) events.push(event)
    return events
  }

  #forget(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    this.#events = new EventQueue()
    this.#after = undefined
    this.#shown = undefined
  }

  #post(body: Extract<SessionMessageBody, { events: unknown }>): void {
    try {
      this.#options.post(body)
    } catch {
      // A live event that cannot be copied. Facts can, or they could not be stored; a follower that misses them asks.
      this.#options.post({ ...body, events: body.events.filter(isEntry) })
    }
  }
}

function shownOf({ status, queue, storage, activity }: Snapshot): Shown {
  return { status, queue, storage, activity }
}

function isSameShown(shown: Shown | undefined, snapshot: Snapshot): boolean {
  return (
    shown?.status === snapshot.status &&
    shown.queue === snapshot.queue &&
    shown.storage === snapshot.storage &&
    shown.activity === snapshot.activity
  )
}

/** The live events that lead to what is growing now: text, arguments, and the progress of calls. */
function replayOpen({ open, turn, calls }: Snapshot): LiveEventBody[] {
  const events: LiveEventBody[] = []
  for (const callId of turn?.openCalls ?? []) {
    const progress = calls.get(callId)?.progress
    if (progress !== undefined) events.push({ type: 'tool-progress', callId, update: progress })
  }
  if (open === undefined) return events
  const messageId = open.id
  events.push({ type: 'model-started', messageId, modelId: open.modelId ?? '' })
  for (const [partIndex, part] of open.content.entries()) {
    const at = { messageId, partIndex }
    if (part.type === 'text') events.push({ type: 'text-delta', ...at, delta: part.text })
    if (part.type === 'reasoning') events.push({ type: 'reasoning-delta', ...at, delta: part.text })
    if (part.type !== 'tool-call') continue
    const { callId, toolName, inputText, providerExecuted } = part
    const provider = providerExecuted && { providerExecuted }
    events.push({ type: 'tool-input-delta', ...at, callId, toolName, delta: inputText, ...provider })
  }
  return events
}
