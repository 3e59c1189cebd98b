const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** A count with separators: 1,461. */
export function formatCount(count: number): string {
  return whole.format(count)
}

/** A length of time at the precision a person reads: 124 ms, 2.1 s, 1 min 5 s. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** A size in the unit a person reads: 812 kB, 1.4 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 1_000_000) return `${whole.format(bytes / 1000)} kB`
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}

/** A time of day: 14:03:05. */
export function formatClock(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB')
}

/** One thing or several: `plural(2, 'row')` is "2 rows". */
export function plural(count: number, noun: string, many: string = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : many}`
}

/** Words in a row: "a", "a and b", "a, b and c". */
export function joinWords(words: readonly string[]): string {
  if (words.length <= 1) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
