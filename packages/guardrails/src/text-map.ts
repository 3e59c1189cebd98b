/** A stretch of a text, in characters as JavaScript counts them; the end is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A text that is made for matching, and where each of its characters comes from. */
export class TextMap {
  readonly text: string
  readonly #from: readonly number[] | undefined
  readonly #to: readonly number[] | undefined

  /** Without the lists, every character is where it was. */
  constructor(text: string, from?: readonly number[], to?: readonly number[]) {
    this.text = text
    this.#from = from
    this.#to = to
  }

  /** Another text of the same length, with the same places. */
  withText(text: string): TextMap {
    return new TextMap(text, this.#from, this.#to)
  }

  /** The stretch of the original that a stretch of `text`, not an empty one, comes from. */
  original({ start, end }: Span): Span {
    return { start: this.#from?.[start] ?? start, end: this.#to?.[end - 1] ?? end }
  }
}

/** Builds a `TextMap` from left to right. */
export class TextMapBuilder {
  readonly #chunks: string[] = []
  readonly #from: number[] = []
  readonly #to: number[] = []
  /** The last character that was added. */
  last = ''

  /** Add characters that stand for the original's from `start` to `end`. */
  add(characters: string, start: number, end: number): void {
    if (characters === '') return
    this.#chunks.push(characters)
    for (let i = 0; i < characters.length; i += 1) {
      this.#from.push(start)
      this.#to.push(end)
    }
    this.last = characters.slice(-1)
  }

  /** Everything that was added. */
  build(): TextMap {
    return new TextMap(this.#chunks.join(''), this.#from, this.#to)
  }
}
