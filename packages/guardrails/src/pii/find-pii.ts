import type { Span } from '../text-map.ts'
import { findIbans } from './bank-accounts.ts'
import { findCards } from './card-numbers.ts'
import { findEmails } from './email-addresses.ts'
import { findCnIds, findSsns } from './identity-numbers.ts'
import { findCnMobiles, findPhones } from './phone-numbers.ts'

/** What `pii` finds by itself. */
export type PiiKind = 'email' | 'card' | 'iban' | 'ssn' | 'cn-id' | 'cn-mobile' | 'phone'

/** Finds stretches of one kind in a text that is ready for matching. */
export type Detector = (text: string) => Iterable<Span>

/** A stretch that holds personal data, and of which kind. */
export interface Finding extends Span {
  readonly kind: string
}

/** How each kind is found. Of two kinds that fit the same stretch, the first counts. */
export const DETECTORS: Readonly<Record<PiiKind, Detector>> = {
  email: findEmails,
  'cn-id': findCnIds,
  card: findCards,
  iban: findIbans,
  ssn: findSsns,
  'cn-mobile': findCnMobiles,
  phone: findPhones,
}

const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi
/** Stands in for what was found: no letter, no digit, no separator. */
const BLANK = '\ufffc'

/**
 * Find personal data in a text that is ready for matching: in order, none overlapping.
 *
 * Where findings overlap they become one, of the kind of the longest. What only shows once its neighbours are gone is
 * found too, so that nothing is left in the redacted text.
 */
export function findPii(text: string, detectors: ReadonlyMap<string, Detector>): readonly Finding[] {
  const findings: Finding[] = []
  let rest = text
  for (;;) {
    rest = rest.replace(UUID, (uuid) => BLANK.repeat(uuid.length))
    const found = merge(candidatesIn(rest, detectors))
    if (found.length === 0) break
    findings.push(...found)
    rest = blankOut(rest, found)
  }
  return findings.sort((a, b) => a.start - b.start)
}

function candidatesIn(text: string, detectors: ReadonlyMap<string, Detector>): Finding[] {
  return Array.from(detectors).flatMap(([kind, detect]) =>
    Array.from(detect(text), ({ start, end }) => ({ kind, start, end })),
  )
}

function merge(candidates: readonly Finding[]): Finding[] {
  const merged: Finding[] = []
  let longest = 0
  // Sorting is stable, so the first kind stays first among equals.
  for (const next of [...candidates].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    const length = next.end - next.start
    if (last === undefined || next.start >= last.end) {
      merged.push(next)
      longest = length
      continue
    }
    merged[merged.length - 1] = {
      kind: length > longest ? next.kind : last.kind,
      start: last.start,
      end: Math.max(last.end, next.end),
    }
    longest = Math.max(longest, length)
  }
  return merged
}

function blankOut(text: string, findings: readonly Span[]): string {
  let result = ''
  let at = 0
  for (const { start, end } of findings) {
    result += text.slice(at, start) + BLANK.repeat(end - start)
    at = end
  }
  return result + text.slice(at)
}
