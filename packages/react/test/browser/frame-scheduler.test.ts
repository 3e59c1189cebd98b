import { manualClock } from '@turnloop/testing'
import { afterEach, expect, test } from 'vitest'
import { createFrameScheduler } from '../../src/frame-scheduler.ts'
import { nextFrame, setVisibility } from './page.ts'

afterEach(() => setVisibility('visible'))

function setUp() {
  const clock = manualClock()
  const runs: number[] = []
  const frames = createFrameScheduler(() => runs.push(performance.now()), clock)
  return { clock, runs, frames }
}

test('many requests run once, in the next frame', async () => {
  const { frames, runs } = setUp()

  for (let index = 0; index < 100; index += 1) frames.request()

  expect(runs).toHaveLength(0)
  await nextFrame()
  expect(runs).toHaveLength(1)
  await nextFrame()
  expect(runs).toHaveLength(1)
})

test('a request that is made while running waits for the frame after', async () => {
  const runs: string[] = []
  const frames = createFrameScheduler(() => {
    runs.push('run')
    if (runs.length < 3) frames.request()
  })

  frames.request()
  await nextFrame()
  expect(runs).toHaveLength(1)
  await nextFrame()
  expect(runs).toHaveLength(2)
})

test('what was cancelled does not run', async () => {
  const { frames, runs } = setUp()
  frames.request()

  frames.cancel()
  await nextFrame()

  expect(runs).toHaveLength(0)
})

test('a hidden page runs by the clock', async () => {
  const { frames, runs, clock } = setUp()
  setVisibility('hidden')

  frames.request()
  await nextFrame()
  expect(runs).toHaveLength(0)
  await clock.advance(250)

  expect(runs).toHaveLength(1)
})

test('a page hidden before its frame came runs by the clock', async () => {
  const { frames, runs, clock } = setUp()
  frames.request()

  setVisibility('hidden')
  await nextFrame()
  expect(runs).toHaveLength(0)
  await clock.advance(250)

  expect(runs).toHaveLength(1)
})

test('a page that is shown again runs once, in a frame', async () => {
  const { frames, runs, clock } = setUp()
  setVisibility('hidden')
  frames.request()

  setVisibility('visible')
  await nextFrame()
  await clock.advance(1000)

  expect(runs).toHaveLength(1)
  expect(clock.pending).toBe(0)
})
