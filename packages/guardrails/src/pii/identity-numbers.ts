import type { Span } from '../text-map.ts'
import { isDigit, isWordCharacter, standsAlone } from './borders.ts'

const SSN = /(?!000|666|9)\d{3}([- ]{1,3})(?!00)\d{2}\1(?!0000)\d{4}/g
const NAMED_SSN =
  /(?:\bssn\b(?!\])|social security)(?:[^\p{L}\d\n]{0,4}(?:number|no|nr|is)){0,3}[^\p{L}\d\n]{0,4}(?!000|666|9)\d{3}[ -]?(?!00)\d{2}[ -]?(?!0000)\d{4}(?!\d)/giu
const NUMBER_AT_END = /\d{3}[ -]?\d{2}[ -]?\d{4}$/

/** US social security numbers: 3-2-4 digits that can have been issued; without separators only where they are named. */
export function* findSsns(text: string): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(SSN)) {
    const end = index + found.length
    if (standsAlone(text, index, { end, joiners: ' -.' })) yield { start: index, end }
  }
  for (const { 0: found, index } of text.matchAll(NAMED_SSN)) {
    yield { start: index + found.search(NUMBER_AT_END), end: index + found.length }
  }
}

const CN_ID =
  /[1-9]\d{5}[ -]{0,3}((?:19|20)\d{2}[ -]?(?:0[1-9]|1[0-2])[ -]?(?:0[1-9]|[12]\d|3[01]))[ -]{0,3}\d{3} ?[\dX]/gi
const CN_ID_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]

/** Identity numbers of the People's Republic of China: a date in the middle, a right check character at the end. */
export function* findCnIds(text: string): Generator<Span> {
  for (const { 0: found, index } of text.matchAll(CN_ID)) {
    const end = index + found.length
    const isPart = isDigit(text[index - 1]) || isWordCharacter(text[end])
    if (!isPart && isCnId(found.replace(/[ -]/g, ''))) yield { start: index, end }
  }
}

/** Whether the check character is right: modulo 11, as in GB 11643. */
function isCnId(id: string): boolean {
  const sum = CN_ID_WEIGHTS.reduce((total, weight, i) => total + weight * Number(id[i]), 0)
  return '10X98765432'[sum % 11] === id[17]?.toUpperCase()
}
