/** Wait for a promise until `signal` aborts, then reject with its reason; what the promise does later is not heard. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason))
    promise.then(resolve, reject).finally(stop)
  })
}

/** Call back once when a signal aborts, at once if it has; the returned function stops listening. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback()
  else signal.addEventListener('abort', callback, { once: true })
  return () => signal.removeEventListener('abort', callback)
}
