import { describe, expect, test } from 'vitest'
import { StreamTries } from '../src/stream-tries.ts'

describe('streams that break', () => {
  test('one that breaks at once is opened ever more slowly, then no more (H11)', () => {
    const tries = new StreamTries()
    const pauses: (number | undefined)[] = []
    for (let opened = 0; opened < 50; opened += 1) {
      pauses.push(tries.pauseBefore('notices'))
      tries.ended('notices', 20)
    }

    expect(pauses.slice(0, 7)).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, undefined])
    expect(pauses.at(-1)).toBeUndefined()
  })

  test('one that lived for a while is opened at once', () => {
    const tries = new StreamTries()
    for (let opened = 0; opened < 50; opened += 1) tries.ended('notices', 60_000)

    expect(tries.pauseBefore('notices')).toBe(0)
  })

  test('streams are counted apart', () => {
    const tries = new StreamTries()
    for (let opened = 0; opened < 6; opened += 1) tries.ended('call 1', 0)

    expect(tries.pauseBefore('call 1')).toBeUndefined()
    expect(tries.pauseBefore('notices')).toBe(0)
  })
})
