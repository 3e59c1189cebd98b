import type { Span } from '../text-map.ts'
import { isWordCharacter } from './borders.ts'

const START = /[a-z]{2}\d{2}/gi

/** How long the IBANs of each country are. Source: the SWIFT registry of IBANs. */
const LENGTHS =
  'AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27' +
  'GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28' +
  'PS29PT25QA29RO24RS22SA24SC31SD18SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20'

/** IBANs: of a known country, of its length, with the right check digits; spaces, dots and dashes may split them. */
export function* findIbans(text: string): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(START)) {
    if (isWordCharacter(text[index - 1])) continue
    const at = LENGTHS.indexOf(found.slice(0, 2).toUpperCase())
    const length = at % 4 === 0 ? Number(LENGTHS.slice(at + 2, at + 4)) : 0
    const end = endOf(text, index, length)
    if (end !== undefined) yield { start: index, end }
  }
}

/** Where an IBAN of this length that begins here ends, if it is one. */
function endOf(text: string, start: number, length: number): number | undefined {
  let characters = ''
  let gap = 0
  for (let at = start; characters.length < length && gap < 3 && at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (/[a-z\d]/i.test(character)) {
      characters += character
      gap = 0
      if (characters.length === length) return isWordCharacter(text[at + 1]) || !isIban(characters) ? undefined : at + 1
    } else if (' -.'.includes(character)) gap += 1
    else return undefined
  }
  return undefined
}

/** Whether the check digits are right: modulo 97, as in ISO 13616. */
function isIban(iban: string): boolean {
  let rest = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}
