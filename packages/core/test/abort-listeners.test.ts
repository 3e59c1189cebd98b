import { manualClock } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { linkedController, onAbort, settleWithin } from '../src/abort.ts'
import { countListeners } from './listener-count.ts'

test('any number of those who wait share one listener', () => {
  const { signal } = new AbortController()
  const count = countListeners(signal)
  const stops = Array.from({ length: 50 }, () => onAbort(signal, () => {}))
  expect(count).toEqual({ now: 1, most: 1 })
  for (const stop of stops) stop()
  expect(count.now).toBe(0)
})

test('taking a callback back twice takes nothing else back', () => {
  const controller = new AbortController()
  const heard: string[] = []
  const stop = onAbort(controller.signal, () => heard.push('first'))
  onAbort(controller.signal, () => heard.push('second'))
  stop()
  stop()
  controller.abort()
  expect(heard).toEqual(['second'])
})

test('each that waits is called once, in order, also when one takes the next back', () => {
  const controller = new AbortController()
  const heard: string[] = []
  let stopThird = (): void => {}
  onAbort(controller.signal, () => heard.push('first'))
  onAbort(controller.signal, () => stopThird())
  stopThird = onAbort(controller.signal, () => heard.push('third'))
  onAbort(controller.signal, () => heard.push('fourth'))
  controller.abort()
  expect(heard).toEqual(['first', 'fourth'])
})

test('a signal that has aborted calls back at once', () => {
  const heard: string[] = []
  onAbort(AbortSignal.abort(), () => heard.push('now'))
  expect(heard).toEqual(['now'])
})

test('what has settled and what is unlinked leave no listener behind', async () => {
  const { signal } = new AbortController()
  const count = countListeners(signal)
  const { unlink } = linkedController(signal)
  await settleWithin(Promise.resolve(1), { signal, graceMs: 0, clock: manualClock() })
  unlink()
  expect(count).toEqual({ now: 0, most: 1 })
})
