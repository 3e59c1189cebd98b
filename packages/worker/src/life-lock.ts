/** The part of `navigator.locks` that is used; absent in insecure contexts and old browsers. */
export type LifeLocks = Pick<LockManager, 'request'> | undefined

/** Hold a lock for as long as this page or worker lives: the browser frees it, however that ends. Never rejects. */
export function liveAs(name: string, locks: LifeLocks): Promise<void> {
  return new Promise((resolve) => {
    const held = locks?.request(name, () => {
      resolve()
      return new Promise<never>(() => {})
    })
    // Where it is refused, nobody hears of the end.
    if (held === undefined) resolve()
    else held.catch(() => resolve())
  })
}

/** Call back when whoever lives by a name is gone; the returned function takes it back. */
export function onDeath(name: string, locks: LifeLocks, callback: () => void): () => void {
  const watch = new AbortController()
  const { signal } = watch
  const over = (): void => {
    if (!signal.aborted) callback()
  }
  // Shared, so that all who watch are told at once.
  locks?.request(name, { mode: 'shared', signal }, over).catch(() => {})
  return () => watch.abort()
}
