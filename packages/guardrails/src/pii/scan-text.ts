import { type Detector, type Finding, findPii } from './find-pii.ts'
import { heldFrom } from './held-tail.ts'
import { toMatchText, wholeCharacters } from './match-text.ts'

/** A text and what was found in it. */
export interface Scanned {
  readonly text: string
  /** Its structure stays: it is JSON, or looks like the beginning of it. */
  readonly isJson: boolean
  /** In the characters of `text`, with where they are in what was matched. */
  readonly findings: readonly (Finding & { readonly value: string })[]
}

/** How a text is scanned. */
export interface ScanOptions {
  readonly detectors: ReadonlyMap<string, Detector>
  readonly isPartial: boolean
  /** Some of the detectors are the caller's. */
  readonly hasPatterns: boolean
}

/** Look for personal data in a text; in one that grows, without what may still change. */
export function scanText(text: string, { detectors, isPartial, hasPatterns }: ScanOptions): Scanned {
  const map = toMatchText(isPartial ? wholeCharacters(text) : text)
  const found = findPii(map.text, detectors)
  const end = isPartial ? heldFrom(map.text, found, hasPatterns) : map.text.length
  const findings = found
    .filter((finding) => finding.end <= end)
    .map(({ kind, ...span }) => ({ kind, value: map.text.slice(span.start, span.end), ...map.original(span) }))
  return { text, isJson: findings.length > 0 && isJson(text, isPartial), findings }
}

function isJson(text: string, isPartial: boolean): boolean {
  if (!/^\s*[[{"]/.test(text)) return false
  if (isPartial) return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
