/** Resolves when a condition holds, looked at after each change. */
export function until(holds: () => boolean, subscribe: (listener: () => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!holds()) return
      stop()
      resolve()
    }
    const stop = subscribe(look)
    look()
  })
}
