import type { TableColumn } from '../data/table-info.ts'
import { matchColumn } from './mentions.ts'
import type { QuestionLine } from './question-line.ts'
import { SUPERLATIVES } from './synonyms.ts'
import { nameKeys } from './words.ts'

/** Which end comes first, how many are asked for, and by which column, where the question says. */
export interface Ranking {
  readonly order: { readonly end: 'max' | 'min'; readonly count?: number } | undefined
  /** The column that "heaviest" or "most horsepower" is about. */
  readonly orderBy: TableColumn | undefined
}

const NUMBER_WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const COUNT = String.raw`(?<!#)\b(\d+|${NUMBER_WORDS.join('|')})`
const TOP = '(top|best|highest|largest|biggest|greatest|most|first)'
const BOTTOM = '(bottom|worst|lowest|smallest|least|fewest|last)'

/** Take out of a question what ranks: "top 5", "the 3 lowest", "heaviest", "which … has the most …". */
export function readRanking(question: QuestionLine): Ranking {
  const frequent = question.take(/\b(most|least) (?:common|frequent)\b/d)
  if (frequent !== undefined) return { order: { end: frequent[1] === 'most' ? 'max' : 'min' }, orderBy: undefined }
  const counted =
    question.take(new RegExp(`\\b(?:${TOP}|${BOTTOM})\\s+${COUNT}\\b`, 'd')) ??
    question.take(new RegExp(`\\b${COUNT}\\s+(?:${TOP}|${BOTTOM})\\b`, 'd'))
  const superlative = readSuperlative(question)
  if (counted !== undefined) {
    const count = counted.slice(1).map(toCount).find(Boolean) ?? 5
    const isBottom = new RegExp(`^(?:.*\\s)?${BOTTOM}\\b`).test(counted[0])
    return {
      order: { end: superlative?.end ?? (isBottom ? 'min' : 'max'), count },
      orderBy: superlative?.column,
    }
  }
  if (superlative !== undefined) {
    const count = question.take(new RegExp(`\\b${COUNT}(?=\\s)`, 'd'))
    return { order: { end: superlative.end, count: toCount(count?.[1]) ?? 1 }, orderBy: superlative.column }
  }
  return readWhich(question)
}

/** "which car has the highest horsepower": a row. "which origin has the lowest average weight": a group. */
function readWhich(question: QuestionLine): Ranking {
  const which =
    /\b(?:which|what)\b.*\b(?:has|have|had|with|is|are|got)\s+(most|highest|largest|biggest|greatest|least|lowest|smallest|fewest)\b/
  const match = which.exec(question.line)
  if (match === null) return { order: undefined, orderBy: undefined }
  const end = /least|lowest|smallest|fewest/.test(match[1] ?? '') ? 'min' : 'max'
  const subject = /\b(?:which|what)\s+(@|#\d+|\S+)/.exec(question.line)?.[1] ?? ''
  const isRow = !subject.startsWith('#') && !/^(is|are|was)$/.test(subject)
  if (!isRow && !subject.startsWith('#')) return { order: undefined, orderBy: undefined }
  question.take(new RegExp(`\\b${match[1]}\\b`, 'd'))
  if (!isRow) return { order: { end }, orderBy: undefined }
  question.take(new RegExp(`\\b(?:which|what)\\s+${subject}`, 'd'))
  return { order: { end, count: 1 }, orderBy: question.remainingColumns()[0] }
}

function readSuperlative(question: QuestionLine): { column: TableColumn; end: 'max' | 'min' } | undefined {
  const found = findSuperlative(question)
  if (found !== undefined) question.take(new RegExp(`\\b${found.word}\\b`, 'd'))
  return found
}

/** The first word such as "heaviest" that the table has a column for. */
export function findSuperlative(
  question: QuestionLine,
): { word: string; column: TableColumn; end: 'max' | 'min' } | undefined {
  const named = question.table.columns.map((column) => ({ column, keys: nameKeys(column.name) }))
  for (const [word, { columns, end }] of Object.entries(SUPERLATIVES)) {
    if (!new RegExp(`\\b${word}\\b`).test(question.line)) continue
    const column = columns.map((name) => matchColumn(name.split(' '), named)).find((match) => match !== undefined)
    if (column !== undefined) return { word, column, end }
  }
  return undefined
}

function toCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const word = NUMBER_WORDS.indexOf(text) + 1
  return word > 0 ? word : Number(text) || undefined
}
