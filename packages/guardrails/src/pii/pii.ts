import type { Guardrail, GuardrailSubject, GuardrailVerdict } from '@turnloop/core'
import {
  checkOptions,
  type GuardrailSettings,
  isListOf,
  isOneOf,
  optional,
  withSettings,
} from '../guardrail-settings.ts'
import type { Span } from '../text-map.ts'
import { DETECTORS, type Detector, type Finding, findPii, type PiiKind } from './find-pii.ts'
import { heldFrom } from './held-tail.ts'
import { toMatchText, wholeCharacters } from './match-text.ts'
import { patternDetectors } from './pattern-detectors.ts'
import { type Pseudonyms, pseudonyms } from './pseudonyms.ts'
import { redactText } from './redact-text.ts'
import { type Scanned, scanText } from './scan-text.ts'

/** Options of `pii`. */
export interface PiiOptions extends GuardrailSettings {
  /**
   * What becomes of a text with personal data. `'block'` (default): refused. `'mask'`: asterisks, as many as there were
   * characters. `'label'`: `[email]`. `'hash'`: `[email:cnkpbadhom]`, the same letters for the same value.
   */
  mode?: 'block' | 'mask' | 'label' | 'hash'
  /** What is looked for. Default: all. */
  kinds?: readonly PiiKind[]
  /**
   * More to look for, by name: regular expressions, or their sources. They see the text as NFKC without invisible
   * characters. Keep them free of nested repetitions: hostile text can make those slow.
   */
  patterns?: Readonly<Record<string, RegExp | string>>
  /** For `'hash'`, which needs https or `localhost`: what makes the letters the same on other pages and days. A secret. Default: random for each page. */
  salt?: string
}

const NAMES: Readonly<Record<PiiKind, string>> = {
  email: 'an e-mail address',
  card: 'a card number',
  iban: 'an IBAN',
  ssn: 'a social security number',
  'cn-id': 'an identity number',
  'cn-mobile': 'a mobile number',
  phone: 'a phone number',
}
/** How many findings a verdict lists. */
const LISTED = 50

/**
 * A guardrail against personal data: e-mail addresses, phone, card and bank numbers, identity numbers of the US and China.
 *
 * Blocks with the trigger `pii_detected`, or puts something in the place of what it found; JSON stays JSON. `data` says
 * kinds and places (`text`: the index in `subject.texts`), never values. Of a text that still grows, what may become
 * something else is left alone: keep the last `holdLength(text)` characters back, as a turn with `outputMode: { window }`
 * does. Throws `bad-option`. Source: the guardrails guide.
 */
export function pii(options: PiiOptions = {}): Guardrail {
  checkOptions('pii', options, RULES)
  const { mode = 'block', kinds, patterns = {}, salt } = options
  const detectors = new Map<string, Detector>([
    ...patternDetectors(patterns),
    ...Object.entries(DETECTORS).filter(([kind]) => kinds === undefined || kinds.some((wanted) => wanted === kind)),
  ])
  const scan = (subject: GuardrailSubject): readonly Scanned[] =>
    subject.texts.map((text) =>
      scanText(text, {
        detectors,
        isPartial: subject.isPartial === true,
        hasPatterns: Object.keys(patterns).length > 0,
      }),
    )
  const words = mode === 'hash' ? pseudonyms(salt) : undefined
  return withSettings(options, {
    name: 'pii',
    holdLength: (text) => holdLength(text, { patterns }),
    check: (subject) => {
      const scanned = scan(subject)
      if (scanned.every(({ findings }) => findings.length === 0)) return undefined
      if (mode === 'block') return refusal(scanned)
      if (words !== undefined) return replaceByWords(scanned, words)
      return { replace: scanned.map((one) => redact(one, mode === 'mask' ? stars : label)) }
    },
  })
}

/**
 * How many characters at the end of a growing text may still become part of something `pii` looks for.
 *
 * Nothing of them must be shown yet. Of the text before them, `pii` gives its last word with `isPartial`. With patterns of
 * your own it is at least 512, and a pattern may match no more than that.
 */
export function holdLength(text: string, options: Pick<PiiOptions, 'patterns'> = {}): number {
  const patterns = patternDetectors(options.patterns ?? {})
  const detectors = new Map<string, Detector>([...patterns, ...Object.entries(DETECTORS)])
  const whole = wholeCharacters(text)
  const map = toMatchText(whole)
  const held = heldFrom(map.text, findPii(map.text, detectors), patterns.length > 0)
  return text.length - (held < map.text.length ? map.original({ start: held, end: held + 1 }).start : whole.length)
}

function redact(
  { text, isJson, findings }: Scanned,
  replacement: (found: Scanned['findings'][number], covered: Span) => string,
): string {
  return redactText(text, findings, { isJson, replacement })
}

const stars = (_: Finding, { start, end }: Span): string => '*'.repeat(end - start)

const label = ({ kind }: Finding): string => `[${kind}]`

async function replaceByWords(scanned: readonly Scanned[], words: Pseudonyms): Promise<GuardrailVerdict> {
  const all = scanned.flatMap(({ findings }) => findings)
  const known = new Map(
    await Promise.all(
      all.map(async (found) => [found, `[${found.kind}:${await words(found.kind, found.value)}]`] as const),
    ),
  )
  return { replace: scanned.map((one) => redact(one, (found) => known.get(found) ?? label(found))) }
}

function refusal(scanned: readonly Scanned[]): GuardrailVerdict {
  const findings = scanned.flatMap(({ findings: found }, text) =>
    found.map(({ kind, start, end }) => ({ kind, text, start, end })),
  )
  const kinds = [...new Set(findings.map(({ kind }) => kind))]
  const names = new Map<string, string>(Object.entries(NAMES))
  return {
    block: `The text holds personal data: ${kinds.map((kind) => names.get(kind) ?? kind).join(', ')}.`,
    trigger: 'pii_detected',
    data: { kinds, count: findings.length, findings: findings.slice(0, LISTED) },
  }
}

const RULES = {
  mode: optional(isOneOf('block', 'mask', 'label', 'hash')),
  kinds: optional(isListOf(...Object.keys(DETECTORS))),
  patterns: optional((value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((one) => typeof one === 'string' || one instanceof RegExp)
      ? undefined
      : 'must be an object of regular expressions',
  ),
  salt: optional((value) =>
    typeof value === 'string' && value.length >= 16 ? undefined : 'must be text of at least 16 characters',
  ),
}
