import { type Agent, type Clock, type Session, type SessionHost, type Snapshot, systemClock } from '@turnloop/core'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { createFrameScheduler, type FrameScheduler } from './frame-scheduler.ts'
import { onPageHide } from './page-hide.ts'
import { type AgentTurn, bindCommands, loadingSnapshot, type TurnCommands } from './turn-view.ts'
import type { Readable } from './use-selected.ts'

/** How long a session stays open that nobody shows and that has nothing to do. */
const LINGER_MS = 30_000

/**
 * One session as React shows it: a zustand store that is fed by the session and by nothing else.
 *
 * The session is opened by the first subscriber or command, never by a read. What is read changes at most once per
 * animation frame, but at once when a turn ends or pauses. A session stays open while it works, shown or not, and is
 * closed some time after the last subscriber has gone, when nothing of it would be lost.
 */
export class TurnStore implements Readable<AgentTurn> {
  readonly #open: (agent: Agent | SessionHost) => Session
  readonly #clock: Clock
  readonly #commands: TurnCommands = bindCommands(
    () => this.open(),
    () => this.#session,
  )
  readonly #view: StoreApi<AgentTurn> = createStore(() => ({ ...loadingSnapshot, ...this.#commands }))
  readonly getSnapshot: () => AgentTurn = this.#view.getState
  /** Loading, with nothing in it. */
  readonly getServerSnapshot: () => AgentTurn = this.#view.getInitialState
  readonly #frame: FrameScheduler
  #agent: Agent | SessionHost
  #session: Session | undefined
  #shown: Snapshot | undefined
  #detach = (): void => {}
  #users = 0
  #stopLingering: (() => void) | undefined

  /** `open` is called again if the session is needed after it was closed. */
  constructor(agent: Agent | SessionHost, open: (agent: Agent | SessionHost) => Session, clock: Clock = systemClock) {
    this.#agent = agent
    this.#open = open
    this.#clock = clock
    this.#frame = createFrameScheduler(() => this.#publish(), clock)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    // Opens the session; or shows what has changed since the last frame, while nobody was there.
    if (this.#users === 0) this.#publish()
    const unsubscribe = this.#view.subscribe(listener)
    this.#users += 1
    this.#stopLingering?.()
    this.#stopLingering = undefined
    return () => {
      unsubscribe()
      this.#users -= 1
      if (this.#users === 0) this.#linger()
    }
  }

  /** The session, opened if it is not. */
  open(): Session {
    if (this.#session === undefined) {
      const session = this.#open(this.#agent)
      this.#session = session
      const unsubscribe = session.subscribe(() => this.#changed(session))
      // The last chance to save: what it finds to do it does before the page is gone. It never throws.
      const stopWatching = onPageHide(() => session.saveNow())
      this.#detach = () => {
        unsubscribe()
        stopWatching()
      }
    }
    return this.#session
  }

  /** Let the next turn use another agent. */
  setAgent(agent: Agent | SessionHost): void {
    if (agent === this.#agent) return
    this.#agent = agent
    // A worker has an agent of its own.
    if (!('open' in agent)) this.#session?.setAgent(agent)
  }

  /** Stop what runs and close the session, because it is about to be removed. */
  async discard(): Promise<void> {
    // What it can no longer save is about to be removed anyway.
    await this.#session?.close({ running: 'cancel' }).catch(() => {})
  }

  #changed(session: Session): void {
    const { status } = session
    const isSettled = status === 'idle' || status === 'awaiting' || status === 'closed'
    if (isSettled && status !== this.getSnapshot().status) this.#publish()
    else this.#frame.request()
    if (this.#users === 0) this.#linger()
  }

  #publish(): void {
    this.#frame.cancel()
    const session = this.open()
    const snapshot = session.getSnapshot()
    const shown = this.#shown
    if (snapshot === shown) return
    this.#shown = snapshot
    const { messages: closed, open } = snapshot
    const isSame = closed === shown?.messages && open === shown.open
    const messages = isSame ? this.getSnapshot().messages : open === undefined ? closed : [...closed, open]
    this.#view.setState({ ...snapshot, ...this.#commands, messages, session }, true)
  }

  #linger(): void {
    if (this.#session?.status === 'closed') this.#forget()
    else this.#stopLingering ??= this.#clock.setTimer(() => this.#closeIfExpendable(), LINGER_MS)
  }

  #closeIfExpendable(): void {
    this.#stopLingering = undefined
    const session = this.#session
    if (session === undefined || !isExpendable(session.getSnapshot())) return
    this.#forget()
    // Everything is saved and nobody looks: what goes wrong now concerns no one.
    session.close({ running: 'finish' }).catch(() => {})
  }

  #forget(): void {
    this.#detach()
    this.#frame.cancel()
    this.#session = undefined
    this.#shown = undefined
    this.#view.setState(this.#view.getInitialState(), true)
  }
}

/** Whether a session can be closed and opened again, and nobody would see a difference. */
function isExpendable({ status, storage, queue }: Snapshot): boolean {
  const rests = (status === 'idle' || status === 'awaiting') && queue.length === 0
  return rests && storage.state === 'ready' && storage.waiting === 0
}
