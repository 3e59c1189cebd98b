/** Tells this tab and the others which session changed. */
export interface StoreNotices {
  post(sessionId: string): void
  /** Calls `listener` with each changed session; what it throws is reported as an uncaught error and harms nobody. */
  subscribe(listener: (sessionId: string) => void): () => void
}

/**
 * Create the notices of one database. Nothing is kept open while nobody listens.
 *
 * Without BroadcastChannel, or where the browser forbids it, only this store's own writes are told of.
 */
export function createNotices(database: string): StoreNotices {
  const listeners = new Map<symbol, (sessionId: string) => void>()
  let channel: BroadcastChannel | undefined

  const tell = (sessionId: string): void => {
    for (const listener of [...listeners.values()]) {
      try {
        listener(sessionId)
      } catch (error) {
        // Node has no `reportError`.
        globalThis.reportError?.(error)
      }
    }
  }
  const listen = (): void => {
    channel ??= openChannel(database)
    channel?.addEventListener('message', (event) => tell(String(event.data)))
  }

  return {
    post(sessionId) {
      tell(sessionId)
      // A channel does not hear itself, so a listener hears of each change once.
      const sender = channel ?? openChannel(database)
      sender?.postMessage(sessionId)
      if (sender !== channel) sender?.close()
    },
    subscribe(listener) {
      const key = Symbol()
      listeners.set(key, listener)
      if (listeners.size === 1) listen()
      return () => {
        listeners.delete(key)
        if (listeners.size > 0) return
        channel?.close()
        channel = undefined
      }
    },
  }
}

function openChannel(database: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(`turnloop:${database}`)
  } catch {
    return undefined
  }
}
