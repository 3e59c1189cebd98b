import { deferred } from '@turnloop/testing'

/** Holds a model's stream back until a test lets its next events through. */
export interface Valve {
  /** For `scriptedModel`'s `beforeEvent`. */
  pass(): Promise<void>
  /** Let so many events through, of whichever request comes. */
  release(count: number): void
}

export function valve(): Valve {
  let left = 0
  let released = deferred()
  return {
    async pass() {
      while (left === 0) await released.promise
      left -= 1
    },
    release(count) {
      left += count
      released.resolve()
      released = deferred()
    },
  }
}
