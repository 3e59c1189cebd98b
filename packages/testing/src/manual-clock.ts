import { type Clock, TurnloopError } from '@turnloop/core'

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /**
   * Move time forward and fire the timers that come due, in the order of their time, those set on the way too.
   *
   * `now()` is each timer's own time while it fires. Everything that a timer sets off without waiting for the outside
   * (promises, async functions, generators) has run before the next one fires, and before this resolves. Rejects with
   * what a timer throws.
   */
  advance(ms: number): Promise<void>
  /** Fire all timers until none is left. Throws `internal` after 1,000: something keeps setting new ones. */
  runAll(): Promise<void>
  /** When the next timer is due, in epoch ms; `undefined` without one. */
  next(): number | undefined
  /** How many timers are set. */
  readonly pending: number
}

interface Timer {
  readonly due: number
  readonly callback: () => void
}

/** Create a clock for tests that starts at `start` (epoch ms; default 1 January 2026, UTC). */
export function manualClock(start: number = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start
  // Insertion order decides between timers of the same time, as the platform does it.
  const timers = new Set<Timer>()

  const fire = async (timer: Timer): Promise<void> => {
    timers.delete(timer)
    now = Math.max(now, timer.due)
    timer.callback()
    await settled()
  }

  return {
    now: () => now,
    setTimer(callback, delayMs) {
      checkDelay(delayMs)
      const timer = { due: now + Math.max(0, delayMs), callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    async advance(ms) {
      const until = now + ms
      await settled()
      for (let timer = earliest(timers); timer !== undefined && timer.due <= until; timer = earliest(timers)) {
        await fire(timer)
      }
      now = until
    },
    async runAll() {
      await settled()
      for (let fired = 0; timers.size > 0; fired += 1) {
        if (fired === RUN_ALL_LIMIT) throw new TurnloopError('internal', 'runAll(): timers keep setting new timers.')
        const timer = earliest(timers)
        if (timer !== undefined) await fire(timer)
      }
    },
    next: () => earliest(timers)?.due,
    get pending() {
      return timers.size
    },
  }
}

const RUN_ALL_LIMIT = 1000

/** The platform's timers keep their delay in 32 bits. */
const LONGEST_DELAY_MS = 2 ** 31 - 1

function checkDelay(delayMs: number): void {
  if (delayMs <= LONGEST_DELAY_MS) return
  throw new TurnloopError(
    'bad-input',
    `setTimer(…, ${delayMs}): a real timer would fire at once. Use at most 2^31 - 1.`,
  )
}

function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined
  for (const timer of timers) if (first === undefined || timer.due < first.due) first = timer
  return first
}

/**
 * Let everything that is ready run.
 *
 * A chain of promises may be any number of microtasks long, so counting some of them is a guess. The host runs all
 * microtasks, and those they queue, before its next task: one message to ourselves is such a task, and, unlike a
 * timer, the host never holds it back.
 */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
