/**
 * An async iterator by hand: calls of `next` are answered in order, and leaving it waits for `leave`.
 *
 * `ready` gives the next item if it is there, at once: most are, and a delta must cost little. `read` resolves with it once
 * it is, with `undefined` at the end. After `return()` or `throw()` there is no further item; `throw()` then rejects with
 * what it was given, as a generator does that catches nothing. (A generator's own `return()` waits for a step that may
 * never end.)
 */
export function chainedIterator<T>(
  read: () => Promise<T | undefined>,
  leave: () => Promise<void>,
  ready: () => T | undefined,
): AsyncIterator<T> {
  let last: Promise<unknown> | undefined
  let waiting = 0
  let hasLeft = false
  const wait = async (): Promise<IteratorResult<T>> => {
    try {
      const value = hasLeft ? undefined : await read()
      return value === undefined || hasLeft ? { done: true, value: undefined } : { done: false, value }
    } finally {
      waiting -= 1
    }
  }
  const next = (): Promise<IteratorResult<T>> => {
    const value = waiting > 0 || hasLeft ? undefined : ready()
    if (value !== undefined) return Promise.resolve({ done: false, value })
    waiting += 1
    const result = last === undefined || waiting === 1 ? wait() : last.then(wait, wait)
    last = result
    return result
  }
  const end = async (): Promise<IteratorResult<T>> => {
    hasLeft = true
    await leave()
    return { done: true, value: undefined }
  }
  const throwIn = async (error: unknown): Promise<never> => {
    await end()
    throw error
  }
  return { next, return: end, throw: throwIn }
}
