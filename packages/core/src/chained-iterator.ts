/**
 * An async iterator by hand: calls of `next` are answered in order, and leaving it waits for `leave`.
 *
 * `read` resolves with the next item, with `undefined` at the end. After `return()` or `throw()` there is no further item;
 * `throw()` then rejects with what it was given, as a generator does that catches nothing. (A generator's own `return()`
 * waits for a step that may never end.)
 */
export function chainedIterator<T>(read: () => Promise<T | undefined>, leave: () => Promise<void>): AsyncIterator<T> {
  let tail: Promise<unknown> = Promise.resolve()
  let hasLeft = false
  const next = (): Promise<IteratorResult<T>> => {
    const result = tail.then(async (): Promise<IteratorResult<T>> => {
      const value = hasLeft ? undefined : await read()
      return value === undefined || hasLeft ? { done: true, value: undefined } : { done: false, value }
    })
    tail = result.catch(() => {})
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
