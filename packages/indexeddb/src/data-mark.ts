/** Remembers, apart from the database, that there was something in it. Neither method may throw. */
export interface DataMark {
  get(): boolean
  set(hasData: boolean): void
}

/**
 * A mark in `localStorage`. Where there is none, as in a worker, nothing is remembered.
 *
 * Some browsers delete it together with the database; a page that wants to know all the same keeps a mark on its server.
 */
export function localMark(database: string): DataMark {
  const key = `turnloop:${database}`
  return {
    get: () => attempt((storage) => storage.getItem(key) !== null) ?? false,
    set: (hasData) =>
      void attempt((storage) => {
        if (!hasData) storage.removeItem(key)
        else if (storage.getItem(key) === null) storage.setItem(key, '1')
      }),
  }
}

/** Finds out that a database with a mark was not there any more. `onFound` is called once. */
export function watchEviction(mark: DataMark, onFound: () => void): { onCreated(): void; isFound(): boolean } {
  let isFound = false
  return {
    onCreated() {
      if (isFound || !mark.get()) return
      isFound = true
      onFound()
    },
    isFound: () => isFound,
  }
}

function attempt<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return work(localStorage)
  } catch {
    // Forbidden, full, or not there.
    return undefined
  }
}
