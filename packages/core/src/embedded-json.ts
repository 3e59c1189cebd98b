import type { JsonValue } from './json.ts'
import { readJson } from './read-json.ts'

/** A list or object in a text, or the beginning of one. */
export interface EmbeddedJson {
  readonly value: JsonValue
  readonly start: number
  /** Where reading it stopped. */
  readonly end: number
}

/** What JSON there is in a text. */
export interface EmbeddedFinds {
  /** The outermost complete lists and objects, in order. */
  readonly whole: readonly EmbeddedJson[]
  /** The longest beginning of one that is not JSON, or breaks off. */
  readonly broken?: EmbeddedJson
}

/** A bracket of the text that is no complete JSON, and how much had been found when it opened. */
interface OpenBracket {
  readonly closer: string
  readonly count: number
  readonly isJson: boolean
}

/**
 * Find the outermost complete lists and objects in a text.
 *
 * A part of something bigger is never one of them, even if the bigger one has a fault or breaks off: what stands between
 * brackets that are not JSON is left out, and so is what follows the beginning of an object that never ends. A lone bracket
 * with words behind it is only a bracket. Reads each character once, whatever the text.
 */
export function findEmbeddedJson(text: string): EmbeddedFinds {
  const whole: EmbeddedJson[] = []
  const open: OpenBracket[] = []
  let broken: EmbeddedJson | undefined
  const brackets = /[[\]{}]/g
  for (let hit = brackets.exec(text); hit !== null; hit = brackets.exec(text)) {
    const start = hit.index
    if (hit[0] === '}' || hit[0] === ']') {
      if (open.at(-1)?.closer === hit[0]) whole.length = open.pop()?.count ?? 0
      continue
    }
    // There is a value, since there is a bracket.
    const { value = null, end, isWhole, closers } = readJson(text, start)
    const found = { value, start, end }
    brackets.lastIndex = end
    if (isWhole) whole.push(found)
    else {
      const isJson = text.slice(start + 1, end).trim() !== ''
      for (const closer of closers) open.push({ closer, count: whole.length, isJson })
      if (broken === undefined || end - start > broken.end - broken.start) broken = found
    }
  }
  whole.length = open.find(({ isJson }) => isJson)?.count ?? whole.length
  return { whole, ...(broken && { broken }) }
}
