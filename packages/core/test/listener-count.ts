/** Counts the abort listeners a signal has from now on, and the most it ever had. */
export function countListeners(signal: AbortSignal): { now: number; most: number } {
  const count = { now: 0, most: 0 }
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener = (...args: Parameters<AbortSignal['addEventListener']>): void => {
    count.now += 1
    count.most = Math.max(count.most, count.now)
    addEventListener.apply(signal, args)
  }
  signal.removeEventListener = (...args: Parameters<AbortSignal['removeEventListener']>): void => {
    count.now -= 1
    removeEventListener.apply(signal, args)
  }
  return count
}
