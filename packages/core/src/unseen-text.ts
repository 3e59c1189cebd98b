import { isNested } from './entries.ts'
import type { LiveEvent, TurnEvent } from './events.ts'

type TextDelta = Extract<LiveEvent, { type: 'text-delta' | 'reasoning-delta' }>

/**
 * Text of a growing reply that nobody has looked at yet.
 *
 * Several deltas come in the time of one frame: they are put together here, and the snapshot is made once for all of them,
 * when somebody looks.
 */
export class UnseenText {
  #first: TextDelta | undefined
  #text = ''

  /** Keep a delta of the reply `openId` for later. `false` if it cannot be kept: then what is kept has to be taken first. */
  keep(event: TurnEvent, openId: string | undefined): boolean {
    if ((event.type !== 'text-delta' && event.type !== 'reasoning-delta') || isNested(event)) return false
    const { type, messageId, partIndex, delta } = event
    if (messageId !== openId) return false
    if (this.#first !== undefined && (this.#first.type !== type || this.#first.partIndex !== partIndex)) return false
    this.#first ??= event
    this.#text += delta
    return true
  }

  /** What is kept, as one delta; it is kept no longer. */
  take(): TextDelta | undefined {
    const all = this.#first && { ...this.#first, delta: this.#text }
    this.#first = undefined
    this.#text = ''
    return all
  }
}
