interface Scheduling {
  readonly scheduler?: { yield?(): Promise<void> }
  readonly setImmediate?: (callback: () => void) => void
}

/**
 * Let the host paint, take input and run other tasks, then go on.
 *
 * Not a timer where it can be helped: a hidden page slows timers down to one a second.
 */
export function yieldToHost(): Promise<void> {
  // None of these is in the library types of every host that core runs in.
  const host = globalThis as Scheduling
  if (host.scheduler?.yield !== undefined) return host.scheduler.yield()
  return new Promise((resolve) => {
    if (host.setImmediate !== undefined) return host.setImmediate(resolve)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
