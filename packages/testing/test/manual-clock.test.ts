import { manualClock } from '@turnloop/testing'
import { expect, test } from 'vitest'

test('time stands still until it is moved', async () => {
  const clock = manualClock(1000)
  expect(clock.now()).toBe(1000)
  await clock.advance(50)
  expect(clock.now()).toBe(1050)
})

test('timers fire in time order, equal ones as they were set', async () => {
  const clock = manualClock()
  const fired: string[] = []
  for (const [name, delay] of [
    ['late', 30],
    ['first', 10],
    ['second', 10],
  ] as const) {
    clock.setTimer(() => fired.push(name), delay)
  }
  await clock.advance(30)
  expect(fired).toEqual(['first', 'second', 'late'])
})

test('a timer sees its own time', async () => {
  const clock = manualClock(0)
  const seen: number[] = []
  clock.setTimer(() => seen.push(clock.now()), 10)
  await clock.advance(100)
  expect(seen).toEqual([10])
})

test('a timer that is not due stays set', async () => {
  const clock = manualClock(0)
  clock.setTimer(() => {}, 11)
  await clock.advance(10)
  expect([clock.pending, clock.next()]).toEqual([1, 11])
})

test('a timer set by a timer fires in the same advance', async () => {
  const clock = manualClock(0)
  const fired: number[] = []
  clock.setTimer(() => clock.setTimer(() => fired.push(clock.now()), 5), 5)
  await clock.advance(10)
  expect(fired).toEqual([10])
})

test('a timer that was taken back does not fire', async () => {
  const clock = manualClock()
  let fired = false
  const stop = clock.setTimer(() => {
    fired = true
  }, 5)
  stop()
  stop()
  await clock.advance(10)
  expect([fired, clock.pending, clock.next()]).toEqual([false, 0, undefined])
})

test('long promise chains run before the next timer fires', async () => {
  const clock = manualClock()
  const order: string[] = []
  const chain = async (): Promise<void> => {
    for (let step = 0; step < 200; step += 1) await undefined
    order.push('chain done')
  }
  clock.setTimer(() => void chain(), 1)
  clock.setTimer(() => order.push('second timer'), 2)
  await clock.advance(2)
  expect(order).toEqual(['chain done', 'second timer'])
})

test('a timer that waiting code is about to set counts', async () => {
  const clock = manualClock()
  let fired = false
  void Promise.resolve().then(() =>
    clock.setTimer(() => {
      fired = true
    }, 5),
  )
  await clock.advance(5)
  expect(fired).toBe(true)
})

test('runAll fires all that is set, however far away', async () => {
  const clock = manualClock(0)
  clock.setTimer(() => clock.setTimer(() => {}, 60_000), 1000)
  await clock.runAll()
  expect([clock.pending, clock.now()]).toEqual([0, 61_000])
})

test('runAll gives up on timers that never end', async () => {
  const clock = manualClock()
  const again = (): void => void clock.setTimer(again, 1)
  again()
  await expect(clock.runAll()).rejects.toMatchObject({ code: 'internal' })
})

test('what a timer throws rejects the advance', async () => {
  const clock = manualClock()
  clock.setTimer(() => {
    throw new Error('broken timer')
  }, 1)
  await expect(clock.advance(1)).rejects.toThrow('broken timer')
})

test.each([Number.POSITIVE_INFINITY, Number.NaN, 2 ** 31])('a delay of %d is refused', (delayMs) => {
  expect(() => manualClock().setTimer(() => {}, delayMs)).toThrow(expect.objectContaining({ code: 'bad-input' }))
})
