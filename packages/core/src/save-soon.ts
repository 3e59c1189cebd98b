import type { Clock } from './clock.ts'

/** How often a growing reply is saved while it streams. */
const SOON_MS = 1000

/** Does something some time after it was asked for, once, however often that was. */
export class SaveSoon {
  readonly #clock: Clock
  readonly #save: () => void
  #stop: (() => void) | undefined

  constructor(clock: Clock, save: () => void) {
    this.#clock = clock
    this.#save = save
  }

  request(): void {
    this.#stop ??= this.#clock.setTimer(() => {
      this.#stop = undefined
      this.#save()
    }, SOON_MS)
  }

  cancel(): void {
    this.#stop?.()
    this.#stop = undefined
  }
}
