import { TextMap, TextMapBuilder } from '../text-map.ts'

const PLAIN = /^[\0-[\]-\x7f]*$/
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u
const MARK = /^[\p{Mn}\p{Me}]$/u
const DIGIT = /^\p{Nd}$/u
const DASH = /^[\p{Pd}\u2212]$/u
const SPACE = /^\p{Zs}$/u
/** An escape of JSON, also of JSON inside a string of JSON. */
const ESCAPE = /\\{1,8}(?:u[\da-f]{4}|["/bfnrt])/iy

/**
 * The text as it is matched: NFKC, without invisible characters, digits and dashes of all scripts as ASCII.
 *
 * The escapes of JSON are read wherever they are, so that `\n` before a value is no letter of it and `\u0040` is an `@`.
 */
export function toMatchText(text: string): TextMap {
  if (PLAIN.test(text)) return new TextMap(text)
  const map = new TextMapBuilder()
  for (let at = 0; at < text.length; ) {
    const escaped = text[at] === '\\' ? escapeAt(text, at) : undefined
    const size = escaped?.length ?? ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
    map.add(fold(escaped === undefined ? text.slice(at, at + size) : readEscape(escaped), map.last), at, at + size)
    at += size
  }
  return map.build()
}

/** A growing text without a last character or escape that is not whole yet. */
export function wholeCharacters(text: string): string {
  return text.replace(/(?:\\{1,8}(?:u[\da-f]{0,3})?|[\ud800-\udbff])$/i, '')
}

function escapeAt(text: string, at: number): string | undefined {
  ESCAPE.lastIndex = at
  return ESCAPE.exec(text)?.[0]
}

/** What an escape stands for; a line break for all control characters and for the quotation mark. */
function readEscape(written: string): string {
  const code = /u(.{4})$/i.exec(written)?.[1]
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  return written.endsWith('/') ? '/' : '\n'
}

/** One character as it is matched: nothing, itself, or several. */
function fold(character: string, before: string): string {
  if (character <= '\x7f') return character
  if (INVISIBLE.test(character)) return ''
  if (MARK.test(character)) return before >= '0' && before <= '9' ? '' : character
  const folded = character.normalize('NFKC')
  if (DIGIT.test(folded)) return String(digitValue(folded))
  if (DASH.test(folded)) return '-'
  return SPACE.test(folded) ? ' ' : folded
}

/** The value of a decimal digit of any script: in each, the ten stand in a row. */
function digitValue(digit: string): number {
  if (digit <= '9') return Number(digit)
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value += 1
  return value
}
