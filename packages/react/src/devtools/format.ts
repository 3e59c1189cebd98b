/** A length of time as it stands beside a bar. */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`
  const seconds = Math.round(ms / 1_000)
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

/** The time of day, to the millisecond. */
export function formatTime(at: number): string {
  const date = new Date(at)
  const pad = (value: number, length = 2): string => String(value).padStart(length, '0')
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`
}

/** A whole number with its thousands apart. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** A count with its word: `1 entry`, `1,204 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
