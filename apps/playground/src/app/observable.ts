import { useSyncExternalStore } from 'react'

/** One value that can be watched. What is set is compared by identity; an unchanged value tells nobody. */
export interface Observable<T> {
  get(): T
  set(value: T): void
  subscribe(listener: () => void): () => void
}

/** Hold a value outside React, for what several parts of the page share. */
export function observable<T>(initial: T): Observable<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Read a watched value and render again when it changes. */
export function useObservable<T>(source: Observable<T>): T {
  return useSyncExternalStore(source.subscribe, source.get)
}
