/** A set of listeners in which one that throws never starves the others. */
export interface Subscribers<T> {
  /** Add a listener; the returned function removes it. The same function may be added twice. */
  add(listener: (value: T) => void): () => void
  /** Call all of them, in the order they came. What they throw goes to `onError`. */
  notify(value: T): void
  readonly size: number
}

/** Create an empty set of listeners. */
export function createSubscribers<T>(onError: (error: unknown) => void = () => {}): Subscribers<T> {
  const listeners = new Map<symbol, (value: T) => void>()
  return {
    add(listener) {
      const key = Symbol()
      listeners.set(key, listener)
      return () => void listeners.delete(key)
    },
    notify(value) {
      for (const listener of [...listeners.values()]) {
        try {
          listener(value)
        } catch (error) {
          onError(error)
        }
      }
    },
    get size() {
      return listeners.size
    },
  }
}
