// Says when each delta is due, whether or not the page keeps up: all at once, or one every `paceMs`.

// Never notified: waiting on it sleeps without spinning.
const cell = new Int32Array(new SharedArrayBuffer(4))

self.onmessage = ({ data: { deltas, paceMs } }) => {
  const start = performance.now()
  for (let index = 0; index < deltas; index++) {
    const waitMs = paceMs > 0 ? start + index * paceMs - performance.now() : 0
    if (waitMs > 0) Atomics.wait(cell, 0, 0, waitMs)
    self.postMessage(performance.timeOrigin + performance.now())
  }
}
