import type { Clock } from './clock.ts'

/** Does something some time after it was asked for, once, however often that was. */
export class SaveSoon {
  readonly #clock: Clock
  readonly #delayMs: number
  readonly #save: () => void
  #stop: (() => void) | undefined

  constructor(clock: Clock, delayMs: number, save: () => void) {
    this.#clock = clock
    this.#delayMs = delayMs
    this.#save = save
  }

  request(): void {
    this.#stop ??= this.#clock.setTimer(() => {
      this.#stop = undefined
      this.#save()
    }, this.#delayMs)
  }

  cancel(): void {
    this.#stop?.()
    this.#stop = undefined
  }
}
