import { StorageError, type TurnloopErrorCode } from '@turnloop/core'

/**
 * What a store does in place of a call. `go` makes the call; `goHalf` stores the first half of an append's entries, and
 * no records, which a store must never do.
 */
export type StoreFault = <T>(go: () => Promise<T>, goHalf?: () => Promise<void>) => Promise<T>

/** The ways in which a store can go wrong, for `faultyStore`. */
export const storeFaults: {
  /** Refuse with this code, having done nothing. */
  refuse(code: TurnloopErrorCode): StoreFault
  /** Do it, and lose the answer: `disconnected`. */
  readonly loseAnswer: StoreFault
  /** Do it, and throw something that is no error of a store. */
  readonly throwForeign: StoreFault
  /** Never do it and never answer. */
  readonly hang: StoreFault
  /** Do it, and never answer. */
  readonly hangAfter: StoreFault
  /** Do it once `gate` has resolved. */
  waitFor(gate: Promise<unknown>): StoreFault
  /** Do half of an append and lose the connection: a store that breaks its promise of all or nothing. */
  readonly tear: StoreFault
} = {
  refuse: (code) => async () => {
    throw new StorageError(code, `refused: ${code}`)
  },
  loseAnswer: async (go) => {
    await go()
    throw new StorageError('disconnected', 'the answer was lost')
  },
  throwForeign: async (go) => {
    await go()
    throw new TypeError('not of this port')
  },
  hang: () => new Promise(() => {}),
  hangAfter: async (go) => {
    await go()
    return new Promise(() => {})
  },
  waitFor: (gate) => async (go) => {
    await gate
    return go()
  },
  tear: async (_go, goHalf) => {
    await goHalf?.()
    throw new StorageError('disconnected', 'the connection was lost in the middle of the write')
  },
}
