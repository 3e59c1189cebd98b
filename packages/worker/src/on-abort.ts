/** Call back once when a signal aborts, at once if it has; the returned function stops listening. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback()
  else signal.addEventListener('abort', callback, { once: true })
  return () => signal.removeEventListener('abort', callback)
}
