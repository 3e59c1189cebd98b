import type { TableColumn } from '../data/table-info.ts'
import type { Bucket, Grouping } from './query.ts'
import type { QuestionLine } from './question-line.ts'

const NAME = String.raw`(?:#\d+|year|month|quarter|weekday|day of week|day|date|time)`
const BY = `(?:(?:grouped|group|split|broken down|sorted|separated) by|by|per|for each|for every|in each|within each|of each|each|across|over)`
const LIST = new RegExp(String.raw`\b${BY}\s+(${NAME}(?:\s+(?:and\s+|then\s+)?(?:by\s+|per\s+)?${NAME})*)(?=\s|$)`, 'd')
const ADJECTIVE = /\b(yearly|annual|annually|monthly|quarterly|daily|trend)\b/d

const ADJECTIVES: Readonly<Record<string, string>> = {
  yearly: 'year',
  annual: 'year',
  annually: 'year',
  monthly: 'month',
  quarterly: 'quarter',
  daily: 'day',
  trend: 'time',
}

/** Take out of a question what the rows are grouped by: "by origin and year", "for each month", "monthly". */
export function readGrouping(question: QuestionLine): Grouping[] {
  const named = question.takeAll(LIST).flatMap((match) => (match[1] ?? '').match(new RegExp(NAME, 'g')) ?? [])
  const adjectives = question.takeAll(ADJECTIVE).map((match) => ADJECTIVES[match[1] ?? ''] ?? 'day')
  return merged([...named, ...adjectives].flatMap((name) => groupingOf(question, name)))
}

/** Group by a column that the question names without "by". A date goes by its years when the column is called that. */
export function groupingBy(column: TableColumn): Grouping {
  return column.type === 'date' && /year/i.test(column.name) ? { column, bucket: 'year' } : { column }
}

function groupingOf(question: QuestionLine, name: string): Grouping[] {
  const column = question.column(/^#/.test(name) ? name : undefined)
  if (column !== undefined) return [groupingBy(column)]
  const date = question.table.columns.find((candidate) => candidate.type === 'date')
  if (date !== undefined) {
    const bucket = BUCKETS[name]
    return [{ column: date, ...(bucket !== undefined && { bucket }) }]
  }
  const numbers = question.table.columns.find((candidate) => /^year$/i.test(candidate.name))
  return numbers !== undefined && /year|time|date/.test(name) ? [{ column: numbers }] : []
}

const BUCKETS: Readonly<Record<string, Bucket>> = {
  year: 'year',
  month: 'month',
  quarter: 'quarter',
  weekday: 'weekday',
  'day of week': 'weekday',
}

/** "by year and month" is one axis of time, not two. */
function merged(groups: readonly Grouping[]): Grouping[] {
  const year = groups.find((group) => group.bucket === 'year')
  const month = groups.find((group) => group.bucket === 'month')
  if (year === undefined || month === undefined) return [...groups]
  const rest = groups.filter((group) => group !== year && group !== month)
  return [{ column: year.column, bucket: 'year-month' }, ...rest]
}
