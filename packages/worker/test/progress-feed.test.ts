import type { JsonValue } from '@turnloop/core'
import { type ManualClock, manualClock } from '@turnloop/testing'
import { expect, it } from 'vitest'
import { type ProgressFeed, progressFeed } from '../src/progress-feed.ts'

function feedWith(clock: ManualClock): { feed: ProgressFeed; sent: JsonValue[] } {
  const sent: JsonValue[] = []
  return { feed: progressFeed((update) => void sent.push(update), clock), sent }
}

/** Use up what a call may send at once. */
function burst(feed: ProgressFeed): void {
  for (let n = 0; n < 20; n += 1) feed.push(n)
}

it('sends the first twenty updates at once', () => {
  const { feed, sent } = feedWith(manualClock())
  burst(feed)
  expect(sent).toHaveLength(20)
})

it('then sends the newest of each twenty milliseconds', async () => {
  const clock = manualClock()
  const { feed, sent } = feedWith(clock)
  burst(feed)
  for (let n = 20; n < 1000; n += 1) feed.push(n)
  await clock.advance(20)
  expect(sent.slice(20)).toEqual([999])
})

it('hears a loop that never yields', () => {
  let now = 0
  const sent: JsonValue[] = []
  const feed = progressFeed((update) => void sent.push(update), { now: () => now, setTimer: () => () => {} })
  for (; now < 400; now += 1) feed.push(now)
  expect(sent.length).toBeGreaterThan(30)
  expect(sent.length).toBeLessThan(50)
})

it('flush sends what is held and leaves no timer', () => {
  const clock = manualClock()
  const { feed, sent } = feedWith(clock)
  burst(feed)
  feed.push('held')
  feed.flush()
  expect(sent.at(-1)).toBe('held')
  expect(clock.pending).toBe(0)
})

it('a held update is not changed by what the tool does later', () => {
  const { feed, sent } = feedWith(manualClock())
  burst(feed)
  const update = { row: 1 }
  feed.push(update)
  update.row = 2
  feed.flush()
  expect(sent.at(-1)).toEqual({ row: 1 })
})

it('goes on when the clock was set back', () => {
  let now = 1_000_000
  const sent: JsonValue[] = []
  const feed = progressFeed((update) => void sent.push(update), { now: () => now, setTimer: () => () => {} })
  burst(feed)
  now = 0
  feed.push('after')
  expect(sent.at(-1)).toBe('after')
})
