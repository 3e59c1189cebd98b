import type { Span } from '../text-map.ts'

/** Digits with at most three separators between two of them. A run of fewer is left at once. */
const RUN = /\d(?:[ \t.-]{0,3}\d){13,}/g
const GROUP = /\d+/g

/** Lengths by issuer: Visa, Mastercard, Mir, JCB, American Express, Diners, Discover, UnionPay, Maestro. */
const ISSUED = new RegExp(
  '^(?:4\\d{15}(?:\\d{3})?' +
    '|(?:5[1-5]\\d\\d|222[1-9]|22[3-9]\\d|2[3-6]\\d\\d|27[01]\\d|2720|220[0-4]|35(?:2[89]|[3-8]\\d))\\d{12}' +
    '|3[47]\\d{13}|3(?:0[0-5]\\d|[689]\\d\\d)\\d{10}' +
    '|(?:6011|64[4-9]\\d|65\\d\\d)\\d{12}(?:\\d{3})?' +
    '|(?:62\\d\\d|5018|5020|5038|5893|6304|6759|676[1-3])\\d{12}\\d{0,3})$',
)

/** How the digits of a card are grouped where other numbers may stand beside it. */
const LAYOUT = /^(?:4-4-4-4(?:-[1-3])?|4-6-[45]|5-5-5|8-8|4-4-8|8-4-4|4-12|6-10|\d+)$/
/** A long number written in thousands. */
const THOUSANDS = /^[1-3](?:-3)+$/

interface Group extends Span {
  /** What stands between this group and the one before. */
  readonly gap: string
}

/**
 * Payment cards: numbers of a known issuer and its length that pass the Luhn check.
 *
 * Any grouping counts where nothing else is in the run, so digits may be split as one likes; the usual ones also beside
 * other numbers. A fraction, a hexadecimal word and a number in thousands are none.
 */
export function* findCards(text: string): Generator<Span> {
  for (const run of text.matchAll(RUN)) {
    const groups = groupsOf(run[0], run.index)
    let free = 0
    for (let first = 0; first < groups.length; first += 1) {
      for (const last of cardsFrom(text, groups, first)) {
        const [start, end] = [groups[first]?.start ?? 0, groups[last]?.end ?? 0]
        if (first === last ? isPartOfWord(text, groups[first]) : isInTable(text, groups, { first, last, free }))
          continue
        yield { start, end }
        free = last + 1
      }
    }
  }
}

function groupsOf(run: string, offset: number): Group[] {
  let end = 0
  return Array.from(run.matchAll(GROUP), ({ 0: digits, index }) => {
    const gap = run.slice(end, index)
    end = index + digits.length
    return { start: offset + index, end: offset + end, gap }
  })
}

/** The groups with which a card that begins with the group `first` can end. */
function* cardsFrom(text: string, groups: readonly Group[], first: number): Generator<number> {
  let digits = ''
  let layout = ''
  let gaps = ''
  for (let last = first; last < groups.length; last += 1) {
    const group = groups[last]
    if (group === undefined || digits.length + group.end - group.start > 19) return
    if (last > first) gaps += group.gap
    layout += `${last > first ? '-' : ''}${group.end - group.start}`
    digits += text.slice(group.start, group.end)
    const isWhole = first === 0 && last === groups.length - 1
    if (ISSUED.test(digits) && passesLuhn(digits) && isLayout(layout, gaps, isWhole)) yield last
  }
}

/** Whether groups go on as the columns of a table do. Other cards, an expiry date and a code may stand beside a card. */
function isInTable(
  text: string,
  groups: readonly Group[],
  { first, last, free }: { first: number; last: number; free: number },
): boolean {
  const before = first > free ? groups[first - 1] : undefined
  if (before !== undefined && before.end - before.start > 2 && /^[ \t]/.test(groups[first]?.gap ?? '')) return true
  const after = groups[last + 1]
  if (after === undefined || !cardsFrom(text, groups, last + 1).next().done) return false
  const isDate = /^(?:0[1-9]|1[0-2])/.test(text.slice(after.start, after.end))
  return groups.length - last > 4 || (after.end - after.start === 4 && !isDate)
}

function isLayout(layout: string, gaps: string, isWhole: boolean): boolean {
  const isMixed = gaps.includes('.') && /[^.]/.test(gaps)
  if (isMixed) return false
  return LAYOUT.test(layout) || (isWhole && !gaps.includes('.') && !THOUSANDS.test(layout))
}

/** Whether digits are a fraction, or part of a longer word of hexadecimal digits, as hashes are. */
function isPartOfWord(text: string, group: Group | undefined): boolean {
  const { start = 0, end = 0, gap = '' } = group ?? {}
  const before = /(?:0x)?[\da-f]{0,64}$/i.exec(text.slice(Math.max(0, start - 64), start))?.[0] ?? ''
  const after = /^[\da-f]{0,64}/i.exec(text.slice(end, end + 64))?.[0] ?? ''
  const isBounded = !/\w/.test((text[start - before.length - 1] ?? ' ') + (text[end + after.length] ?? ' '))
  return gap === '.' || (before.length + after.length > 0 && isBounded)
}

/** Whether digits pass the Luhn check of ISO/IEC 7812. */
function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i])
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
  }
  return sum % 10 === 0
}
