import { isEntry } from './entries.ts'
import type { LiveEvent, TurnEvent } from './events.ts'

/**
 * Events on their way to one reader.
 *
 * Facts all stay. Undelivered deltas of the same part become one, and of a call's progress only the newest is kept, so a
 * slow reader holds at most the text itself.
 */
export class EventQueue {
  readonly #events: TurnEvent[] = []
  #wake: (() => void) | undefined

  push(event: TurnEvent): void {
    const merged = this.#merge(event)
    if (!merged) this.#events.push(event)
    this.wake()
  }

  shift(): TurnEvent | undefined {
    return this.#events.shift()
  }

  /** Let a waiting reader look again, also when nothing came: it may be the end. */
  wake(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  /** Resolves at the next `wake`. One reader at a time. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #merge(event: TurnEvent): boolean {
    if (event.type === 'tool-progress') {
      const index = this.#events.findLastIndex(
        (queued) => queued.type === 'tool-progress' && queued.callId === event.callId,
      )
      // The newest stands where it came, or it would be told before what it follows.
      if (index >= 0) this.#events.splice(index, 1)
      return false
    }
    if (!isDelta(event)) return false
    const index = this.#findGrowing(event)
    const before = this.#events[index]
    if (before === undefined || !isDelta(before)) return false
    this.#events[index] = { ...event, delta: before.delta + event.delta }
    return true
  }

  /** The undelivered delta of the same part, also where parts grow in turns; -1 if there is none since the last fact. */
  #findGrowing(delta: Delta): number {
    for (let index = this.#events.length - 1; index >= 0; index -= 1) {
      const queued = this.#events[index]
      if (queued === undefined || isEntry(queued)) return -1
      if (!isDelta(queued) || queued.type !== delta.type) continue
      if (queued.messageId === delta.messageId && queued.partIndex === delta.partIndex) return index
    }
    return -1
  }
}

type Delta = Extract<LiveEvent, { delta: string }>

function isDelta(event: TurnEvent): event is Delta {
  return event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-input-delta'
}
