/**
 * Where tokens, client registrations and sign-ins that are under way are kept: text by key.
 *
 * Whoever can read it can act as the person. Tabs that share one sign in once, and refresh once between them.
 */
export interface TokenVault {
  get(key: string): string | undefined | Promise<string | undefined>
  set(key: string, value: string): void | Promise<void>
  remove(key: string): void | Promise<void>
}

/**
 * A vault in `localStorage`, which all tabs share and which outlives the browser, or in `sessionStorage`.
 *
 * Any script of the page can read both. What does not fit is kept in memory.
 */
export function storageVault(storage: Storage): TokenVault {
  const spilt = new Map<string, string>()
  return {
    get: (key) => spilt.get(key) ?? storage.getItem(key) ?? undefined,
    set: (key, value) => {
      try {
        storage.setItem(key, value)
        spilt.delete(key)
      } catch {
        spilt.set(key, value)
      }
    },
    remove: (key) => {
      spilt.delete(key)
      storage.removeItem(key)
    },
  }
}

/** A vault that is gone with the page. */
export function memoryVault(): TokenVault {
  const values = new Map<string, string>()
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    remove: (key) => void values.delete(key),
  }
}
