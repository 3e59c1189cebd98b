import { type ConversationPart, keyOf } from './conversation-parts.ts'

/** Finds pieces of a conversation that grows by their keys. One that stands where it stood is found at once. */
export class RowFinder {
  readonly #known = new Map<string, number>()

  /** The place of a piece, from 0; `undefined` where it is not shown. */
  find(parts: readonly ConversationPart[], key: string): number | undefined {
    const known = parts[this.#known.get(key) ?? -1]
    if (known !== undefined && keyOf(known) === key) return this.#known.get(key)
    const index = parts.findLastIndex((part) => keyOf(part) === key)
    if (index < 0) return undefined
    this.#known.set(key, index)
    return index
  }
}
