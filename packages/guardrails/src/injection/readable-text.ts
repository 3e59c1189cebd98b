import { type TextMap, TextMapBuilder } from '../text-map.ts'

const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u
const MARKS = /\p{M}/gu
const WORD = /^[\p{L}\p{N}]/u
const APOSTROPHE = /^['’‘ʼ`´]$/
/** Scripts whose words are not kept apart, or not reliably. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u
const SENTENCE_END = /^[.!?;…]$/
const WIDE_SENTENCE_END = /^[。！？；]$/
/** Signs and digits that are read as letters inside a word. */
const SIGNS: Readonly<Record<string, string>> = { '@': 'a', $: 's', '!': 'i', '|': 'l', '€': 'e' }
const LEET: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b', 9: 'g' }
const MIXED_WORD = /[a-z\d]{2,64}/g
const SPELLED_OUT = /(?<!\p{L})(?:\p{L} ){5,}\p{L}(?!\p{L})/gu

/** Letters that look like Latin ones, each before the letter it looks like. */
const LOOKALIKES =
  'аaеeоoрpсcуyхxіiјjѕsԁdһhӏlԛqԝwкkмmтtвbнhгrпnαaοoρpνvιiεeκkτtυuχxγyηnωwօoսuհhոnɑaɡgıiłlđdøoɩi' +
  'ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz'
const LIGATURES: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe' }

/**
 * Words alone, in lower case, one space between two, `.` between sentences; no invisible characters, marks or apostrophes.
 *
 * With `latin`, letters that look Latin are, and digits inside words are letters. Letters that are spelled out one by one
 * come as one word. Text that is hidden in tag characters is read.
 */
export function toReadable(text: string, latin: boolean): TextMap {
  const builder = new TextMapBuilder()
  const similar = latin ? lookalikes() : undefined
  let gap = ''
  let at = 0
  for (const character of text) {
    const start = at
    at += character.length
    const sign = latin && isInWord(text, start, at) ? SIGNS[character] : undefined
    const folded = sign ?? foldLetters(untagged(character), similar)
    // Nothing is left of marks and invisible characters.
    if (folded === '' || APOSTROPHE.test(character) || APOSTROPHE.test(folded)) continue
    if (!WORD.test(folded)) {
      gap = gapOf(folded, text[at] ?? ' ', gap)
      continue
    }
    if (gap === '.' || (gap === ' ' && builder.last !== '' && !UNSPACED.test(builder.last) && !UNSPACED.test(folded)))
      builder.add(gap, start, start)
    gap = ''
    builder.add(folded, start, at)
  }
  const map = builder.build()
  return joinLetters(latin ? withoutLeet(map) : map)
}

/** The same folding for the source of an expression that is written in lower case. */
export function foldSource(source: string): string {
  return source.normalize('NFKD').replace(MARKS, '')
}

function foldLetters(text: string, similar?: ReadonlyMap<string, string>): string {
  const folded = text.normalize('NFKD').replace(MARKS, '').toLowerCase().replace(MARKS, '')
  return similar === undefined ? folded : Array.from(folded, (letter) => similar.get(letter) ?? letter).join('')
}

/** How many characters of a text are tags: invisible, and letters all the same. Those of flags do not count. */
export function countTags(text: string): number {
  return Array.from(text.replace(/\u{1f3f4}[\u{e0020}-\u{e007f}]{1,8}/gu, '').matchAll(/[\u{e0020}-\u{e007e}]/gu))
    .length
}

function untagged(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code >= 0xe0020 && code <= 0xe007e) return String.fromCharCode(code - 0xe0000)
  return INVISIBLE.test(character) ? '' : character
}

function isInWord(text: string, start: number, end: number): boolean {
  return WORD.test(text[start - 1] ?? '') && WORD.test(text[end] ?? '')
}

/** What separates two words: a sentence's end stands for all white space around it. */
function gapOf(character: string, after: string, before: string): string {
  const isEnd = SENTENCE_END.test(character) && /\s/.test(after)
  return before === '.' || isEnd || WIDE_SENTENCE_END.test(character) ? '.' : ' '
}

let similarLetters: ReadonlyMap<string, string> | undefined

function lookalikes(): ReadonlyMap<string, string> {
  const pairs = Array.from(LOOKALIKES.matchAll(/(.)(.)/gu), ([, from = '', to = '']) => [from, to] as const)
  similarLetters ??= new Map([...pairs, ...Object.entries(LIGATURES)])
  return similarLetters
}

/** Read digits inside words as letters. The length stays, and so do the places. */
function withoutLeet(map: TextMap): TextMap {
  const read = map.text.replace(MIXED_WORD, (word) =>
    /\d/.test(word) && /[a-z]/.test(word) ? word.replace(/\d/g, (digit) => LEET[digit] ?? digit) : word,
  )
  return map.withText(read)
}

function joinLetters(map: TextMap): TextMap {
  const builder = new TextMapBuilder()
  let at = 0
  const copy = (end: number, skipSpaces: boolean): void => {
    for (; at < end; at += 1) {
      const character = map.text[at] ?? ''
      const { start, end: to } = map.original({ start: at, end: at + 1 })
      if (!skipSpaces || character !== ' ') builder.add(character, start, to)
    }
  }
  for (const { 0: found, index } of map.text.matchAll(SPELLED_OUT)) {
    copy(index, false)
    copy(index + found.length, true)
  }
  if (at === 0) return map
  copy(map.text.length, false)
  return builder.build()
}
