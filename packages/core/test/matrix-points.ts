/// <reference types="node" />
import { getEventListeners } from 'node:events'
import { isDeepStrictEqual } from 'node:util'
import { promiseHooks } from 'node:v8'

/** A watch over everything that waits for a promise. */
export interface Watch {
  /** How many points have passed. */
  readonly count: number
  stop(): void
}

/**
 * Act just before whatever waits goes on for the nth time, from 1; a point is every place where promise code goes on.
 *
 * The engine itself reports them, each `await`, `then` and step of a generator anywhere, in the order in which they run: so
 * no list of them is kept by hand, and what happens at point n happens between two steps of the machine that nothing else
 * can come between. Without `act` the points are only counted.
 */
export function watchPoints(nth: number = Number.POSITIVE_INFINITY, act: () => void = () => {}): Watch {
  let count = 0
  let stop = (): void => {}
  const stopHook = promiseHooks.onBefore(() => {
    count += 1
    if (count !== nth) return
    stop()
    act()
  })
  let isWatching = true
  stop = () => {
    if (isWatching) stopHook()
    isWatching = false
  }
  return {
    get count() {
      return count
    },
    stop: () => stop(),
  }
}

/** Let everything that is ready run. Anything that waits for no clock and no outside has run afterwards. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Unhandled rejections from now on, until `stop`. */
export function watchRejections(): { readonly seen: readonly unknown[]; stop(): void } {
  const seen: unknown[] = []
  const note = (reason: unknown): void => void seen.push(reason)
  process.on('unhandledRejection', note)
  return { seen, stop: () => void process.off('unhandledRejection', note) }
}

/** How many listen to a signal. */
export function listenersOn(...signals: readonly AbortSignal[]): number {
  return signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0)
}

/** Whether two values say the same, to the last field. */
export function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b)
}
