import type { Span } from '../text-map.ts'

/** A stretch of a text and what takes its place. */
export interface Edit extends Span {
  readonly text: string
}

/** How a text is redacted. */
export interface Redaction<Found extends Span> {
  readonly isJson: boolean
  /** What stands for a finding, or for one of its parts, `covered`. */
  replacement(found: Found, covered: Span): string
}

const BETWEEN_SIGNS = /[^[\]{},:\s][^[\]{},:\n]*/g
const BEFORE = /[-+.\w]{0,64}$/
const AFTER = /^[-+.\w]{0,64}/

/**
 * Put other texts in the place of findings, which are in order and do not overlap.
 *
 * The structure of JSON stays, and a number, `true` or `null` that is touched becomes a string.
 */
export function redactText<Found extends Span>(
  text: string,
  findings: readonly Found[],
  { isJson, replacement }: Redaction<Found>,
): string {
  const strings = isJson ? stringsOf(text) : []
  const edits = findings.flatMap((found) => {
    const put = (span: Span): Edit => ({ ...span, text: replacement(found, span) })
    return isJson ? piecesOf(text, found, strings).map((piece) => editOf(text, piece, put)) : [put(found)]
  })
  let result = ''
  let at = 0
  for (const edit of edits) {
    if (edit.start < at) continue
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}

/** What stands between the quotation marks of JSON, also of one that still grows. */
function stringsOf(text: string): Span[] {
  const strings: Span[] = []
  let start = text.indexOf('"') + 1
  while (start > 0) {
    let end = start
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
    strings.push({ start, end: Math.min(end, text.length) })
    start = text.indexOf('"', end + 1) + 1
  }
  return strings
}

interface Piece extends Span {
  readonly isInString: boolean
}

/** A finding, cut where the strings of JSON begin and end, and what is between them at its signs. */
function piecesOf(text: string, found: Span, strings: readonly Span[]): Piece[] {
  const pieces: Piece[] = []
  let at = found.start
  const addBetween = (end: number): void => {
    for (const { 0: piece, index } of text.slice(at, end).matchAll(BETWEEN_SIGNS)) {
      const value = piece.trimEnd().replace(/"$/, '')
      if (value !== '' && value !== '"')
        pieces.push({ start: at + index, end: at + index + value.length, isInString: false })
    }
  }
  for (let i = firstEndingAfter(strings, found.start); i < strings.length; i += 1) {
    const string = strings[i]
    if (string === undefined || string.start >= found.end) break
    if (string.start > at) addBetween(string.start)
    const piece = { start: Math.max(at, string.start), end: Math.min(found.end, string.end) }
    if (piece.end > piece.start) pieces.push({ ...piece, isInString: true })
    // Past the closing quotation mark, where the finding goes on.
    at = Math.max(at, Math.min(found.end, string.end + 1))
  }
  addBetween(found.end)
  return pieces
}

function firstEndingAfter(strings: readonly Span[], start: number): number {
  let [low, high] = [0, strings.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((strings[middle]?.end ?? 0) <= start) low = middle + 1
    else high = middle
  }
  return low
}

function editOf(text: string, piece: Piece, put: (span: Span) => Edit): Edit {
  if (piece.isInString) return put(piece)
  const start = piece.start - (BEFORE.exec(text.slice(Math.max(0, piece.start - 64), piece.start))?.[0].length ?? 0)
  const end = piece.end + (AFTER.exec(text.slice(piece.end, piece.end + 64))?.[0].length ?? 0)
  const isValue =
    /[[:,]\s{0,99}$/.test(text.slice(Math.max(0, start - 100), start)) && /^\s*[,\]}]/.test(text.slice(end, end + 100))
  if (!isValue) return put(piece)
  const edit = put({ start, end })
  return { ...edit, text: `"${edit.text}"` }
}
