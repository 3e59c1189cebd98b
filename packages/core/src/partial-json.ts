import type { JsonValue } from './json.ts'
import { readJson } from './read-json.ts'

/**
 * The value that an incomplete JSON text amounts to: the longest one that more text would not take back.
 *
 * Open strings are given as far as they are, open lists and objects closed; a key without its value and an unfinished
 * number or word are left out. A byte order mark, white space and the first line of a code fence before the value are
 * skipped, what follows it is ignored. `undefined` where there is no value yet. Never throws; linear time.
 */
export function parsePartialJson(text: string): JsonValue | undefined {
  return readJson(text, OPENING.exec(text)?.[0].length).value
}

const OPENING = /^\s*(?:```[^\n`]*\n)?/

/** An answer that is being written, as text that comes bit by bit. */
export class PartialOutput {
  #text = ''
  #nextLength = 16
  #last: string | undefined

  /**
   * Take in more text; the new value where there is one to show, else `undefined`.
   *
   * The text is read again only once it has grown by a sixteenth, and by 16 characters at least, so that an answer of n
   * characters costs some 17 n however small its bits are. Its last bits may thus never show: the answer itself follows.
   */
  add(delta: string): JsonValue | undefined {
    this.#text += delta
    const { length } = this.#text
    if (length < this.#nextLength) return undefined
    this.#nextLength = length + Math.max(16, length / 16)
    const value = parsePartialJson(this.#text)
    const json = JSON.stringify(value)
    if (json === this.#last) return undefined
    this.#last = json
    return value
  }
}
