import type { Clock } from './clock.ts'

/**
 * An `AbortController` that follows a host signal and can let go of it.
 *
 * One listener on the host, none after `unlink`. (`AbortSignal.any` keeps its listeners as long as the host lives, which
 * on a signal that outlives many turns adds up.)
 */
export function linkedController(host: AbortSignal | undefined): { controller: AbortController; unlink(): void } {
  const controller = new AbortController()
  const unlink = host === undefined ? (): void => {} : onAbort(host, () => controller.abort(host.reason))
  return { controller, unlink }
}

/**
 * Call back once when a signal aborts, at once if it has; the returned function takes it back.
 *
 * All that wait for one signal share one listener: adding one is dear, and Node warns of more than ten. It is taken off
 * with the last of them.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback()
    return () => {}
  }
  const waiting = waitersOf(signal)
  if (waiting.callbacks.size === 0) signal.addEventListener('abort', waiting.call, { once: true })
  waiting.callbacks.add(callback)
  return () => {
    if (waiting.callbacks.delete(callback) && waiting.callbacks.size === 0)
      signal.removeEventListener('abort', waiting.call)
  }
}

interface Waiters {
  readonly callbacks: Set<() => void>
  call(): void
}

const waiters = new WeakMap<AbortSignal, Waiters>()

function waitersOf(signal: AbortSignal): Waiters {
  const known = waiters.get(signal)
  if (known !== undefined) return known
  const callbacks = new Set<() => void>()
  const call = (): void => {
    for (const callback of callbacks) {
      callbacks.delete(callback)
      callback()
    }
  }
  const added = { callbacks, call }
  waiters.set(signal, added)
  return added
}

/** Marks that waiting was given up. */
export const ABANDONED: unique symbol = Symbol('abandoned')

/**
 * Wait for a promise, but once `signal` aborts no longer than `graceMs`: then resolve with `ABANDONED`.
 *
 * What the abandoned promise does later is not heard, and never an unhandled rejection.
 */
export function settleWithin<T>(
  promise: Promise<T>,
  options: { signal: AbortSignal; graceMs: number; clock: Clock },
): Promise<T | typeof ABANDONED> {
  return new Promise((resolve, reject) => {
    let stopTimer: (() => void) | undefined
    const stopListening = onAbort(options.signal, () => {
      stopTimer = options.clock.setTimer(() => resolve(ABANDONED), options.graceMs)
    })
    const release = (): void => {
      stopListening()
      stopTimer?.()
    }
    promise.then(
      (value) => {
        release()
        resolve(value)
      },
      (error: unknown) => {
        release()
        reject(error)
      },
    )
  })
}

/** Wait for a promise at most `limitMs`; resolves with `ABANDONED` when the time is over. */
export function settleBefore<T>(promise: Promise<T>, limitMs: number, clock: Clock): Promise<T | typeof ABANDONED> {
  return new Promise((resolve, reject) => {
    const stopTimer = clock.setTimer(() => resolve(ABANDONED), limitMs)
    promise.then(
      (value) => {
        stopTimer()
        resolve(value)
      },
      (error: unknown) => {
        stopTimer()
        reject(error)
      },
    )
  })
}

/** Tell a foreign iterator that nobody reads on, without waiting for it: its clean-up may never end, or fail. */
export function leaveStream(stream: AsyncIterator<unknown>): void {
  const leave = async (): Promise<unknown> => stream.return?.()
  leave().catch(() => {})
}

/** The abort reason of a turn that is closed because its page went away, not because somebody stopped it. */
export const INTERRUPTED: unique symbol = Symbol('interrupted')

/** The abort reason of a turn that took longer than it may: nobody stopped it. */
export class TurnTimeLimit extends Error {
  override readonly name = 'TimeoutError'
  readonly ms: number

  constructor(ms: number) {
    super(`The turn took longer than turnMs: ${ms} allows.`)
    this.ms = ms
  }
}
