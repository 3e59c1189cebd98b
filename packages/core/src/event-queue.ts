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
      if (index >= 0) this.#events[index] = event
      return index >= 0
    }
    const last = this.#events.at(-1)
    if (last === undefined || !isDelta(event) || !isDelta(last)) return false
    if (last.type !== event.type || last.messageId !== event.messageId || last.partIndex !== event.partIndex)
      return false
    this.#events[this.#events.length - 1] = { ...event, delta: last.delta + event.delta }
    return true
  }
}

type Delta = Extract<LiveEvent, { delta: string }>

function isDelta(event: TurnEvent): event is Delta {
  return event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-input-delta'
}
