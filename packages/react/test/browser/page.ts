/** Resolves in the next animation frame, after the callbacks that were registered before. */
export function nextFrame(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => resolve()))
}

/** Wait, frame by frame, until something is true. Rejects after some seconds, naming it. */
export async function until(condition: () => boolean, limitMs = 5000): Promise<void> {
  const started = performance.now()
  while (!condition()) {
    if (performance.now() - started > limitMs) throw new Error(`Never became true: ${condition}`)
    await nextFrame()
  }
}

/** Pretend that the page was hidden or shown. */
export function setVisibility(state: 'hidden' | 'visible'): void {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state })
  document.dispatchEvent(new Event('visibilitychange'))
}

/** Resolves in a later task; frames and events get their turn in between. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}

/** Count animation frames from now on, until the count is asked for. */
export function countFrames(): () => number {
  let frames = 0
  const count = (): void => {
    frames += 1
    next = requestAnimationFrame(count)
  }
  let next = requestAnimationFrame(count)
  return () => {
    cancelAnimationFrame(next)
    return frames
  }
}
