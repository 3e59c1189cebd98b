import { afterEach, expect } from 'vitest'

// Anything on the console is a failure: a warning that nobody reads is a fault that nobody mends.
const seen: string[] = []
for (const level of ['error', 'warn'] as const) {
  console[level] = (...parts: unknown[]): void => {
    seen.push(`console.${level}: ${parts.map(String).join(' ')}`)
  }
}

afterEach(() => {
  expect(seen.splice(0)).toEqual([])
})
