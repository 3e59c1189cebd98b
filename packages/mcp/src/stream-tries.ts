/** A stream that lived this long was worth opening: the count starts anew. */
const GOOD_LIFE_MS = 5_000
const MOST_TRIES = 6
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000

/**
 * Counts how often an event stream broke soon after it was opened: a bare connect is no success.
 *
 * The transport itself would open it again for ever, at one pace.
 */
export class StreamTries {
  readonly #broken = new Map<string, number>()

  /** How long to wait before opening the stream again, in ms; `undefined`: not any more. */
  pauseBefore(stream: string): number | undefined {
    const broken = this.#broken.get(stream) ?? 0
    if (broken >= MOST_TRIES) return undefined
    return broken < 2 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (broken - 2), LONGEST_PAUSE_MS)
  }

  /** The stream ended, or could not be opened: `livedMs` is 0 then. */
  ended(stream: string, livedMs: number): void {
    const before = livedMs >= GOOD_LIFE_MS ? 0 : (this.#broken.get(stream) ?? 0)
    this.#broken.set(stream, before + 1)
  }

  /** Nobody waits for this stream any more. */
  forget(stream: string): void {
    this.#broken.delete(stream)
  }
}
