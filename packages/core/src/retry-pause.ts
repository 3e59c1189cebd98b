import type { Clock } from './clock.ts'

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000

/** The pause before something that failed is tried again: twice as long each time, until it succeeds. */
export class RetryPause {
  readonly #clock: Clock
  #failures = 0
  #stop: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isRunning(): boolean {
    return this.#stop !== undefined
  }

  /** It failed: call back when the pause is over. */
  start(callback: () => void): void {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS)
    this.#failures += 1
    this.stop()
    this.#stop = this.#clock.setTimer(() => {
      this.#stop = undefined
      callback()
    }, pauseMs)
  }

  /** End the pause without a call; the next one is longer all the same. */
  stop(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  /** It succeeded: the next pause is the first one again. */
  reset(): void {
    this.stop()
    this.#failures = 0
  }
}
