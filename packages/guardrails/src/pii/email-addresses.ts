import type { Span } from '../text-map.ts'

const LOCAL = /^[\p{Lu}\p{Ll}\p{N}\p{M}._%+'&-]$/u
/** Letters of scripts without case; most of them without spaces, so they may belong to the sentence around. */
const UNCASED = /^[\p{Lo}\p{Lm}\p{N}]$/u
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?'
const DOMAIN = new RegExp(
  `(?:${LABEL}\\.){1,6}(?:xn--[a-z\\d-]{2,59}|[a-z]{2,24}|[\\p{Lo}\\p{M}]{2,24}|[\\p{Ll}\\p{Lu}]{2,24})(?![a-z])`,
  'iuy',
)
/** A version, as in `react@18.2.0-rc.next`; the size of a picture, as in `icon@2x.png`. */
const NO_DOMAIN = /^(?:\d+\.\d|\d+x\.)/i
const LONGEST_LOCAL = 64

/** E-mail addresses with a domain that has a dot, in any script. Names of packages with a version are none. */
export function* findEmails(text: string): Generator<Span> {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const start = localStart(text, at)
    DOMAIN.lastIndex = at + 1
    const domain = start < at ? DOMAIN.exec(text)?.[0] : undefined
    if (domain === undefined || NO_DOMAIN.test(domain)) continue
    const end = at + 1 + domain.length
    // The address of a repository: git@github.com:owner/name.
    if (text.slice(start, at) === 'git' && text[end] === ':') continue
    yield { start, end }
  }
}

function localStart(text: string, at: number): number {
  const cased = runStart(text, at, LOCAL)
  const start = cased < at ? cased : runStart(text, at, UNCASED)
  const signs = /^[._%+'&-]+/.exec(text.slice(start, at))?.[0].length ?? 0
  return start + signs
}

/** Where the characters before `at` that are of a kind begin. */
function runStart(text: string, at: number, kind: RegExp): number {
  let start = at
  while (start > 0 && at - start < LONGEST_LOCAL && kind.test(text[start - 1] ?? '')) start -= 1
  return start
}
