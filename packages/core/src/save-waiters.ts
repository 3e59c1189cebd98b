/** Who waits to hear whether the entries up to a sequence are stored. */
export class SaveWaiters {
  #waiters: { readonly sequence: number; readonly settle: (isStored: boolean) => void }[] = []

  /** Resolves when `settle` reaches the sequence. */
  wait(sequence: number): Promise<boolean> {
    return new Promise((settle) => {
      this.#waiters.push({ sequence, settle })
    })
  }

  /** Answer all that wait for a sequence up to this one. */
  settle(upTo: number, isStored: boolean): void {
    const done = this.#waiters.filter((waiter) => waiter.sequence <= upTo)
    this.#waiters = this.#waiters.filter((waiter) => waiter.sequence > upTo)
    for (const waiter of done) waiter.settle(isStored)
  }
}
