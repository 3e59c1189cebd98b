import type { TableColumn } from '../data/table-info.ts'
import type { Aggregate, Measure } from './query.ts'
import type { QuestionLine } from './question-line.ts'

const WORDS: readonly (readonly [aggregate: Aggregate, pattern: RegExp])[] = [
  ['distinct', /\b(?:how many|number of|count) (?:of )?(?:all )?(?:different|unique|distinct)\b/d],
  ['share', /\b(?:share|percentage|percent|proportion|fraction)\b(?: of)?/d],
  ['stddev', /\b(?:standard deviation|stddev|std dev|deviation)\b(?: of)?/d],
  ['average', /\b(?:average|avg|mean)\b(?: of)?/d],
  ['median', /\bmedian\b(?: of)?/d],
  ['sum', /\b(?:sum|total|how much)\b(?: of)?/d],
  ['max', /\b(?:maximum|max|highest|largest|biggest|greatest)\b(?: of)?/d],
  ['min', /\b(?:minimum|min|lowest|smallest)\b(?: of)?/d],
  ['count', /\b(?:how many|number of|count)\b(?: of)?/d],
]

/** A word for what is to be worked out, and its place in the line. */
export interface SaidAggregate {
  readonly aggregate: Aggregate
  readonly at: number
}

/** Take out of a question the words for what is to be worked out, in the order they are written. */
export function readAggregates(question: QuestionLine): SaidAggregate[] {
  const found = WORDS.flatMap(([aggregate, pattern]) =>
    question.takeAll(pattern).map((match) => ({ aggregate, at: match.index })),
  )
  return found.sort((a, b) => a.at - b.at)
}

/** What can be asked about a column when the question does not say. */
export const SUMMARY: readonly Aggregate[] = ['average', 'median', 'min', 'max']

/** A column to be worked out; `at` is its place in the line if it stands there. */
export interface SaidColumn {
  readonly column: TableColumn
  readonly at?: number
}

/**
 * Which aggregate is meant of which column.
 *
 * "average and maximum horsepower" is both of one, "average weight and horsepower" one of both, and "average weight and
 * median horsepower" one each: words that stand together before columns that stand together.
 */
export function toMeasures(said: readonly SaidAggregate[], columns: readonly SaidColumn[]): Measure[] {
  const measures = said.flatMap(({ aggregate }): Measure[] => (aggregate === 'count' ? [{ aggregate }] : []))
  for (const { column, at } of columns) {
    for (const aggregate of aggregatesFor(said, columns, at)) {
      if (aggregate !== 'count' && fits(aggregate, column)) measures.push({ aggregate, column })
    }
  }
  const isShareOfRows = said.some(({ aggregate }) => aggregate === 'share') && measures.length === 0
  return isShareOfRows ? [{ aggregate: 'share' }] : measures
}

function aggregatesFor(said: readonly SaidAggregate[], columns: readonly SaidColumn[], at = -1): Aggregate[] {
  const before = said.filter((word) => word.at < at)
  const last = before.at(-1)
  if (last === undefined) return [...new Set(said.map(({ aggregate }) => aggregate))]
  const fence = Math.max(-Infinity, ...columns.map((other) => other.at ?? Infinity).filter((place) => place < last.at))
  return [...new Set(before.filter((word) => word.at > fence).map(({ aggregate }) => aggregate))]
}

function fits(aggregate: Aggregate, { type }: TableColumn): boolean {
  if (type === 'number' || aggregate === 'distinct') return true
  return type === 'date' && (aggregate === 'min' || aggregate === 'max')
}
