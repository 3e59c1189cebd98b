import { onAbort } from './on-abort.ts'
import { STREAM_WINDOW } from './protocol.ts'

/** Lets the chunks of one streamed result through, at most a window of them ahead of the page. */
export interface ChunkGate {
  /** Resolves when another chunk may be sent. Rejects with the signal's reason. */
  pass(): Promise<void>
  /** The page has read that many more. */
  ack(count: number): void
}

/** A gate for one call. */
export function chunkGate(signal: AbortSignal): ChunkGate {
  let onTheWay = 0
  let wake = (): void => {}
  return {
    async pass() {
      signal.throwIfAborted()
      if (onTheWay >= STREAM_WINDOW) {
        let release = (): void => {}
        await new Promise<void>((resolve) => {
          wake = resolve
          release = onAbort(signal, resolve)
        })
        release()
        signal.throwIfAborted()
      }
      onTheWay += 1
    },
    ack(count) {
      onTheWay -= count
      wake()
    },
  }
}
