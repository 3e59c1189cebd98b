import { type Clock, systemClock } from '@turnloop/core'

/** Runs one callback at the page's own pace, however often it is asked to. */
export interface FrameScheduler {
  /** Run the callback soon. Asking again before it ran changes nothing. */
  request(): void
  /** Forget what was asked for. */
  cancel(): void
}

/** While the page is hidden there are no frames. (A browser may stretch this to a second or more.) */
const HIDDEN_INTERVAL_MS = 250
const ONE_FRAME_MS = 16

/**
 * Create a scheduler that runs `callback` at most once per animation frame, and by a timer while the page is hidden.
 *
 * Where there are no animation frames at all (Node, workers) a timer of one frame's length takes their place. A page that
 * is hidden or shown in between changes over, so nothing that was asked for is left lying.
 */
export function createFrameScheduler(callback: () => void, clock: Clock = systemClock): FrameScheduler {
  let disarm: (() => void) | undefined
  const page = globalThis.document

  const run = (): void => {
    cancel()
    callback()
  }
  const arm = (): void => {
    disarm?.()
    disarm = page?.visibilityState === 'hidden' ? clock.setTimer(run, HIDDEN_INTERVAL_MS) : onNextFrame(run, clock)
  }
  const cancel = (): void => {
    if (disarm === undefined) return
    disarm()
    disarm = undefined
    page?.removeEventListener('visibilitychange', arm)
  }
  const request = (): void => {
    if (disarm !== undefined) return
    page?.addEventListener('visibilitychange', arm)
    arm()
  }
  return { request, cancel }
}

function onNextFrame(run: () => void, clock: Clock): () => void {
  if (typeof requestAnimationFrame !== 'function') return clock.setTimer(run, ONE_FRAME_MS)
  const frame = requestAnimationFrame(run)
  return () => cancelAnimationFrame(frame)
}
