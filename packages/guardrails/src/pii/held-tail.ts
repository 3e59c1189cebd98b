import type { Span } from '../text-map.ts'

/** Longer than anything that is found. */
const LONGEST = 512
const WORD = /^[\p{L}\p{N}\p{M}._%+'&@-]$/u
const NUMBER = /^[\d +().\-/\tX]$/i
const IBAN = /[a-z]{2}\d{2}(?:[ .-]{0,2}[a-z\d]){0,30}[ .-]{0,2}$/i
const LONGEST_IBAN = 106

/** Where the end of a growing text begins that may still become part of a finding, or change one. */
export function heldFrom(text: string, findings: readonly Span[], hasPatterns: boolean): number {
  const end = text.length
  const start = hasPatterns ? 0 : Math.min(runStart(text, end, WORD), runStart(text, end, NUMBER), ibanStart(text))
  // What touches a word from behind can change what is found in the word.
  const whole = Math.max(end - LONGEST, hasPatterns ? 0 : runStart(text, start, WORD))
  return findings.reduce(
    (first, finding) => (finding.end > whole ? Math.min(first, finding.start) : first),
    Math.max(0, whole),
  )
}

function runStart(text: string, end: number, kind: RegExp): number {
  let start = end
  while (start > 0 && end - start < LONGEST && kind.test(text[start - 1] ?? '')) start -= 1
  return start
}

function ibanStart(text: string): number {
  const found = IBAN.exec(text.slice(-LONGEST_IBAN))?.[0] ?? ''
  return text.length - found.length
}
