import type { Clock } from '@turnloop/core'

/** How long a channel that nobody listens to stays open after a write: to open one costs as much as the write. */
const LINGER_MS = 1_000

/** Tells this tab and the others which session changed. */
export interface StoreNotices {
  post(sessionId: string): void
  /** Calls `listener` with each changed session; what it throws is reported as an uncaught error and harms nobody. */
  subscribe(listener: (sessionId: string) => void): () => void
}

/**
 * Create the notices of one database. Nothing is kept open for long while nobody listens.
 *
 * Without BroadcastChannel, or where the browser forbids it, only this store's own writes are told of.
 */
export function createNotices(database: string, clock: Clock): StoreNotices {
  const listeners = new Map<symbol, (sessionId: string) => void>()
  let channel: BroadcastChannel | undefined
  /** Cancels the timer that would close it. */
  let stopLingering: (() => void) | undefined
  let hasPosted = false

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
  const open = (): BroadcastChannel | undefined => {
    if (channel === undefined) {
      channel = openChannel(database)
      channel?.addEventListener('message', (event) => tell(String(event.data)))
    }
    return channel
  }
  const linger = (): void => {
    stopLingering ??= clock.setTimer(() => {
      stopLingering = undefined
      if (hasPosted) linger()
      else if (listeners.size === 0) close()
      hasPosted = false
    }, LINGER_MS)
  }
  const close = (): void => {
    channel?.close()
    channel = undefined
  }

  return {
    post(sessionId) {
      tell(sessionId)
      // A channel does not hear itself, so a listener hears of each change once.
      open()?.postMessage(sessionId)
      hasPosted = true
      linger()
    },
    subscribe(listener) {
      const key = Symbol()
      listeners.set(key, listener)
      open()
      return () => {
        listeners.delete(key)
        if (listeners.size === 0 && stopLingering === undefined) close()
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
