import type { TableColumn, TableInfo } from '../data/table-info.ts'
import { SYNONYMS } from './synonyms.ts'
import { nameKeys, type Word } from './words.ts'

/** A word of a question, or the words that name a column or a table. */
export interface Mention extends Word {
  readonly column?: TableColumn
  readonly table?: TableInfo
}

/** Longest run of words that is looked at as one name. */
const MAX_RUN = 6

/** Little words, and words of questions, that never name a column by themselves. */
const NEVER_NAMES: ReadonlySet<string> = new Set(
  (
    'a an the of in on at by per for to from is are was were be and or not with where that this it all each every any how many much ' +
    'what which who whose when do doe did have has had there their my me i we you show list give find tell average mean median sum ' +
    'total count number share percentage top bottom first last most least more less than above below over under between chart plot ' +
    'draw graph compare describe correlation max maximum min minimum highest lowest high low high largest smallest data table row'
  ).split(' '),
)

/** Mark what names the table, and which of its columns; runs of words become one mention, the longest first. */
export function markMentions(words: readonly Word[], table: TableInfo): Mention[] {
  const columns = table.columns.map((column) => ({ column, keys: nameKeys(column.name) }))
  const tableKeys = [nameKeys(table.name), nameKeys(table.label)]
  const mentions: Mention[] = []
  for (let at = 0; at < words.length; ) {
    const found = findAt(words, at, columns) ?? findTableAt(words, at, table, tableKeys)
    if (found === undefined) {
      const word = words[at]
      if (word !== undefined) mentions.push(word)
      at += 1
    } else {
      mentions.push(found.mention)
      at += found.length
    }
  }
  return mentions
}

interface Found {
  readonly mention: Mention
  readonly length: number
}

interface NamedColumn {
  readonly column: TableColumn
  readonly keys: readonly string[]
}

function findAt(words: readonly Word[], at: number, columns: readonly NamedColumn[]): Found | undefined {
  for (let length = Math.min(MAX_RUN, words.length - at); length > 0; length -= 1) {
    const run = words.slice(at, at + length)
    const column = matchColumn(
      run.map((word) => word.key),
      columns,
    )
    if (column !== undefined) return { mention: { ...joined(run), column }, length }
  }
  return undefined
}

/** The table by its whole name, or by one word of it that says something: "sales" for "Sales 2024". */
function findTableAt(
  words: readonly Word[],
  at: number,
  table: TableInfo,
  names: readonly (readonly string[])[],
): Found | undefined {
  for (const keys of names) {
    const run = words.slice(at, at + keys.length)
    if (keys.length > 0 && keys.every((key, index) => run[index]?.key === key)) {
      return { mention: { ...joined(run), table }, length: keys.length }
    }
  }
  const word = words[at]
  const isPart = word !== undefined && names.some((keys) => keys.includes(word.key))
  if (!isPart || NEVER_NAMES.has(word.key) || !/^\p{L}{3}/u.test(word.key)) return undefined
  return { mention: { ...word, table }, length: 1 }
}

function joined(run: readonly Word[]): Word {
  const start = run[0]?.start ?? 0
  const end = run.at(-1)?.end ?? start
  return { text: run.map((word) => word.text).join(' '), key: run.map((word) => word.key).join(' '), start, end }
}

/** The column some words name: all of its words, or some of them that are not little words, or synonyms of those. */
export function matchColumn(said: readonly string[], columns: readonly NamedColumn[]): TableColumn | undefined {
  const readings = [said, ...withSynonyms(said)]
  for (const reading of readings) {
    const whole = columns.find(({ keys }) => sameWords(keys, reading))
    if (whole !== undefined) return whole.column
  }
  for (const reading of readings) {
    if (!reading.some((key) => !NEVER_NAMES.has(key))) continue
    if (NEVER_NAMES.has(said[0] ?? '') && !isExtreme(said[0])) continue
    if (NEVER_NAMES.has(said.at(-1) ?? '') && !isExtreme(said.at(-1))) continue
    const part = columns.find(({ keys }) => reading.every((key) => keys.includes(key)))
    if (part !== undefined) return part.column
  }
  return undefined
}

/** "maximum temperature" may name a column; "average temperature" asks for an average. */
function isExtreme(word: string | undefined): boolean {
  return word !== undefined && /^(max|maximum|min|minimum|highest|lowest|high|low)$/.test(word)
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && [...a].sort().join(' ') === [...b].sort().join(' ')
}

/** The same words with what they may mean instead; a column can need several of them changed. */
function withSynonyms(said: readonly string[]): string[][] {
  let readings: string[] = [said.join(' ')]
  for (const { word, pattern, meaning } of REPLACEMENTS) {
    if (!readings.some((reading) => reading.includes(word))) continue
    const changed = readings
      .filter((reading) => pattern.test(reading))
      .map((reading) => reading.replace(pattern, meaning))
    readings = [...readings, ...changed]
  }
  return readings.slice(1).map((reading) => reading.split(' '))
}

const REPLACEMENTS = SYNONYMS.map(([word, meaning]) => ({
  word,
  meaning,
  pattern: new RegExp(`(?<!\\S)${word}(?!\\S)`),
}))
