import type { SessionChannel } from '@turnloop/core'

/** By which the tabs and workers that have a session of this database open talk; `undefined` where there is nothing like it. */
export function tabChannel(database: string): SessionChannel | undefined {
  if (typeof BroadcastChannel !== 'function') return undefined
  return {
    join(sessionId, onMessage) {
      const channel = new BroadcastChannel(shareName(database, sessionId))
      let hasLeft = false
      channel.addEventListener('message', (event) => {
        if (!hasLeft) onMessage(event.data)
      })
      return {
        post: (message) => {
          if (!hasLeft) channel.postMessage(message)
        },
        leave() {
          hasLeft = true
          channel.close()
        },
      }
    },
  }
}

/** What a session's lock and channel are called; no two sessions of an origin share it, whatever they are called. */
export function shareName(database: string, sessionId: string): string {
  return `turnloop:${JSON.stringify([database, sessionId])}`
}
