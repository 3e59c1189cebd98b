const chains = new Map<string, Promise<unknown>>()

/**
 * Run something while nobody else does who uses the same name: in this page, and in all tabs where there are Web Locks.
 */
export async function runLocked<T>(name: string, run: () => Promise<T>): Promise<T> {
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
  if (locks !== undefined) return locks.request(name, run)
  const before = chains.get(name) ?? Promise.resolve()
  const mine = before.then(run, run)
  chains.set(name, mine)
  try {
    return await mine
  } finally {
    if (chains.get(name) === mine) chains.delete(name)
  }
}
