import type { JsonValue } from './json.ts'

/** What reading JSON from one place of a text on gave. */
export interface JsonReading {
  /** What was read, its open strings, lists and objects closed where reading stopped; `undefined`: nothing. */
  readonly value: JsonValue | undefined
  /** Where reading stopped: behind the value, at the first character that cannot go on, or at the end of the text. */
  readonly end: number
  /** The value is complete. What follows it was not looked at. */
  readonly isWhole: boolean
  /** What would close the lists and objects that are still open, outermost first. */
  readonly closers: string
}

/**
 * Read one JSON value from a place in a text on, as far as it goes.
 *
 * Strict, but for line breaks, tabs and other control characters inside strings, which stand for themselves. Nesting deeper
 * than 512 is not read. Looks at each character once and never throws.
 */
export function readJson(text: string, start = 0): JsonReading {
  return new JsonReader(text, start)
}

/** A list or object that is being read. */
interface Level {
  readonly into: JsonValue[] | Record<string, JsonValue>
  readonly closer: string
  /** In an object: the key whose value is next. */
  key: string
}

const MAX_DEPTH = 512

const LITERALS: readonly (readonly [string, JsonValue])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

/** Nothing here calls itself, so that no text is too deep for the stack. */
class JsonReader implements JsonReading {
  value: JsonValue | undefined
  end: number
  isWhole = false
  readonly #text: string
  /** Innermost last. */
  readonly #open: Level[] = []

  constructor(text: string, start: number) {
    this.#text = text
    this.end = start
    let goesOn = true
    while (goesOn) goesOn = this.#readValue() && this.#goOn()
  }

  get closers(): string {
    return this.#open.map(({ closer }) => closer).join('')
  }

  /** Read down to the next value that holds no other; false where reading stops. */
  #readValue(): boolean {
    for (;;) {
      this.#skipSpace()
      const opener = this.#text[this.end]
      if (opener !== '{' && opener !== '[') return this.#readScalar(opener)
      if (this.#open.length === MAX_DEPTH) return false
      this.end += 1
      const level: Level = opener === '{' ? { into: {}, closer: '}', key: '' } : { into: [], closer: ']', key: '' }
      this.#put(level.into)
      if (this.#take(level.closer)) return true
      this.#open.push(level)
      if (opener === '{' && !this.#readKey(level)) return false
    }
  }

  /** After a value: close what ends here and move on to the next value; false where reading stops. */
  #goOn(): boolean {
    for (;;) {
      const level = this.#open.at(-1)
      this.isWhole = level === undefined
      if (level === undefined) return false
      if (this.#take(',')) return level.closer === ']' || this.#readKey(level)
      if (!this.#take(level.closer)) return false
      this.#open.pop()
    }
  }

  #readKey(level: Level): boolean {
    this.#skipSpace()
    if (this.#text[this.end] !== '"') return false
    const [key, isClosed] = this.#readString()
    level.key = key
    return isClosed && this.#take(':')
  }

  #readScalar(first: string | undefined): boolean {
    if (first === '"') {
      const [string, isClosed] = this.#readString()
      this.#put(string)
      return isClosed
    }
    const [word, value] = LITERALS.find(([literal]) => this.#text.startsWith(literal, this.end)) ?? this.#readNumber()
    if (value === undefined) return false
    this.#put(value)
    this.end += word.length
    return true
  }

  #readNumber(): readonly [string, number | undefined] {
    NUMBER_CHARACTERS.lastIndex = this.end
    const word = NUMBER_CHARACTERS.exec(this.#text)?.[0] ?? ''
    // Inside a list or object a number is finished by what follows it.
    const isUnfinished = this.#open.length > 0 && this.end + word.length === this.#text.length
    return [word, NUMBER.test(word) && !isUnfinished ? Number(word) : undefined]
  }

  /** The string that begins here, decoded, and whether it is closed. */
  #readString(): readonly [string, boolean] {
    const text = this.#text
    const start = this.end + 1
    let isPlain = true
    let at = start
    for (let code = text.charCodeAt(at); code !== QUOTE && at < text.length; code = text.charCodeAt(at)) {
      let length = 1
      if (code === BACKSLASH) {
        ESCAPE.lastIndex = at
        length = ESCAPE.exec(text)?.[0].length ?? 0
        if (length === 0) break
      }
      if (code === BACKSLASH || code < SPACE) isPlain = false
      at += length
    }
    const isClosed = text[at] === '"'
    this.end = isClosed ? at + 1 : at
    const raw = text.slice(start, at)
    const string = isPlain ? raw : decode(raw)
    // Half a surrogate pair is no character yet.
    return [!isClosed && HIGH_SURROGATE.test(string.slice(-1)) ? string.slice(0, -1) : string, isClosed]
  }

  #put(value: JsonValue): void {
    const level = this.#open.at(-1)
    if (level === undefined) this.value = value
    else if (Array.isArray(level.into)) level.into.push(value)
    // Not by assignment, which would set the prototype.
    else if (level.key === '__proto__') Object.defineProperty(level.into, level.key, { value, ...ORDINARY })
    else level.into[level.key] = value
  }

  #take(character: string): boolean {
    this.#skipSpace()
    const isThere = this.#text[this.end] === character
    if (isThere) this.end += 1
    return isThere
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.end))) this.end += 1
  }
}

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
const HIGH_SURROGATE = /[\uD800-\uDBFF]/
const NUMBER_CHARACTERS = /[-+.\deE]+/y
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/
const ORDINARY = { writable: true, enumerable: true, configurable: true }

/** White space as JSON has it. */
function isSpace(code: number): boolean {
  return code === SPACE || code === 0x0a || code === 0x0d || code === 0x09
}

/** What is between the quotes, its escapes already known to be good. */
function decode(raw: string): string {
  const escaped = raw.replace(/[^ -\uFFFF]/g, (control) => JSON.stringify(control).slice(1, -1))
  // A quoted text can only be text.
  const text: string = JSON.parse(`"${escaped}"`)
  return text
}
