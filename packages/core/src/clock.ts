/** Time and timers. Tests bring a manual one. */
export interface Clock {
  /** Epoch ms, for showing and for durations. Never used for order. */
  now(): number
  /** Call back once after `delayMs`; the returned function takes it back. */
  setTimer(callback: () => void, delayMs: number): () => void
}

/** The longest delay a timer can have: platforms keep it in 32 bits, and fire a longer one at once. */
export const LONGEST_DELAY_MS: number = 2 ** 31 - 1

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
