import type { Span } from '../text-map.ts'
import { standsAlone } from './borders.ts'

/** `+` or `00`, the code of a country, 9 to 15 digits in all. */
const INTERNATIONAL = /(?:\+|00(?=[1-9(]))[ ]?\(?[1-9](?:[ \-.()/]{0,3}\d){8,14}(?!\d)/g
/** North America: (415) 555-2671, 415-555-2671, 415.555.2671, with or without a 1 before; in dots, with a zero before, too. */
const NORTH_AMERICAN =
  /(?:1[ .-]{1,2})?(?:\([2-9]\d\d\)[ .-]{0,2}\d{3}[ .-]{0,2}\d{4}|[2-9]\d\d-\d{3}-\d{4}|[2-9]\d\d\.[2-9]\d\d\.\d{4}|0\d{1,2}\.\d{3,4}\.\d{4})/g
/** An area in brackets: (030) 1234567, (11) 91234-5678. */
const BRACKETED = /\((?!19|20)\d{2,4}\)[ -]{0,2}\d{3,5}[- ]?(?:\d{3,5}|\d\d-\d\d)/g
/** With a zero before, and split: 030 1234567, 0171/1234567, 020 7946 0958, 090-1234-5678. */
const TRUNK = /0[1-9]\d{0,3}[ /-]\d{3,8}(?:[ -]\d{2,5}){0,2}/g
const CN_MOBILE =
  /(?:(?:\+|00)?86[ -]{0,2})?1(?:3\d|4[5-9]|5[0-35-9]|6[2567]|7[0-8]|8\d|9[0-35-9])[ -]{0,2}\d{4}[ -]{0,2}\d{4}/g

const WORDS =
  'phone|telefon[oe]?|(?:ruf|fax|handy|mobil)nummer|t[ée]l[ée]phone|tel[ée]fono|celular|cellulare|m[óo]vil|kom[óo]rka|телефон|' +
  '电话|電話|手机|手機|携帯|전화|휴대폰|핸드폰'
/** The same where they are words by themselves: a hotel has none of them. */
const WHOLE_WORDS = 'tel|fax|mobile?|handy|my cell|whatsapp|(?:call|ring|text|reach) (?:me|us|him|her|them)|тел|моб'
const LINKS =
  'number|no|nr|num|is|at|on|to|me|us|nummer|číslo|číslem|numéro|número|numero|numer|ist|est|es|è|é|je|jest|unter|au|al|al|е|мой|номер|' +
  '号码|號碼|号|番号|번호|는|은|は|是|为'
/** Any digits that are said to be a phone number. `[phone]` is what stands for one already. */
const NAMED = new RegExp(
  `(?:(?<!\\p{L})(?:${WHOLE_WORDS})(?!\\p{L})|${WORDS})(?!\\])(?:[^\\p{L}\\d\\n]{0,4}(?:${LINKS})(?![a-z])){0,3}[^\\p{L}\\d\\n+(]{0,4}` +
    '([+(]{0,2}\\d(?:[ \\-.()/]{0,3}\\d){6,14})(?!\\d)',
  'giu',
)
/** Dates, addresses of machines, versions and fractions. */
const NO_PHONE =
  /^(?:(?:19|20)\d\d[-./ ]?[01]\d[-./ ]?[0-3]\d(?:\D.*)?|[0-3]?\d[-./][01]?\d[-./](?:19|20)\d\d|\d+(?:\.\d+){3}|\+?\d{1,3}\.\d+)$/
/** A great number in thousands. */
const THOUSANDS = /^\+?\d{1,3}(?:[ .]\d{3})*(?:[ .]000)$/

/**
 * Phone numbers: written so that they can be nothing else, or after a word that says so.
 *
 * Bare digits are none, nor are dates, versions, coordinates and sums.
 */
export function* findPhones(text: string): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(INTERNATIONAL)) {
    const end = index + found.length
    const isFree = found.startsWith('+')
      ? !/[\w)+]/.test(text[index - 1] ?? '')
      : /\D/.test(found) && standsAlone(text, index, { end, joiners: ' -.' })
    if (isFree && isPhone(found)) yield { start: index, end }
  }
  for (const pattern of [NORTH_AMERICAN, BRACKETED]) yield* alone(text, pattern, { joiners: '-.', least: 9, most: 11 })
  yield* alone(text, TRUNK, { joiners: ' -./', least: 9, most: 12 })
  for (const { 0: found, 1: number = '', index } of text.matchAll(NAMED)) {
    const end = index + found.length
    if (isPhone(number)) yield { start: end - number.length, end }
  }
}

/** Mobile numbers of mainland China, with the ranges in use. */
export function* findCnMobiles(text: string): Generator<Span> {
  yield* alone(text, CN_MOBILE, { joiners: '-.', least: 11, most: 15 })
}

function* alone(
  text: string,
  pattern: RegExp,
  { joiners, least, most }: { joiners: string; least: number; most: number },
): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const end = index + found.length
    const digits = found.replace(/\D/g, '').length
    if (digits >= least && digits <= most && standsAlone(text, index, { end, joiners })) yield { start: index, end }
  }
}

function isPhone(number: string): boolean {
  return !NO_PHONE.test(number) && !THOUSANDS.test(number)
}
