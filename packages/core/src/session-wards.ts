import type { Clock } from './clock.ts'
import { ACK_MS } from './session-asks.ts'
import type { SessionMessage } from './session-protocol.ts'

/** A command as it came over the channel. */
export type CommandMessage = Extract<SessionMessage, { kind: 'command' }>

/** What keeping commands works with. */
export interface SessionWardsOptions {
  readonly clock: Clock
  /** Whether this page drives for the one of this name. */
  drivesFor(page: string): boolean
  /** Something waits for this page to drive. */
  onKept(): void
  /** Nobody has said in time that it heard a command: once per time that passes so. */
  onSilent(): void
}

/** Commands of pages that never drive, kept by the one that does it for them until it drives, or another one has heard them. */
export class SessionWards {
  readonly #options: SessionWardsOptions
  readonly #kept = new Map<string, CommandMessage>()
  #stopTimer: (() => void) | undefined

  constructor(options: SessionWardsOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#kept.size === 0
  }

  keep(message: CommandMessage): void {
    if (!this.#options.drivesFor(message.from)) return
    this.#kept.set(message.id, message)
    this.#watch()
    this.#options.onKept()
  }

  /** Somebody has heard it. */
  forget(id: string): void {
    this.#kept.delete(id)
    if (this.isEmpty) this.clear()
  }

  /** Another page drives, and is asked by those who wait. */
  clear(): void {
    this.#kept.clear()
    this.#stopTimer?.()
    this.#stopTimer = undefined
  }

  /** This page drives: all that was kept, in order. */
  takeAll(): readonly CommandMessage[] {
    const all = [...this.#kept.values()]
    this.clear()
    return all
  }

  #watch(): void {
    const { clock, onSilent } = this.#options
    this.#stopTimer ??= clock.setTimer(() => {
      this.#stopTimer = undefined
      if (this.isEmpty) return
      this.#watch()
      onSilent()
    }, ACK_MS)
  }
}
