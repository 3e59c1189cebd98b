import { plainName } from '../data/plain-name.ts'
import type { TableColumn } from '../data/table-info.ts'
import type { Aggregate, Condition, Grouping, Query } from './query.ts'
import type { QuestionLine } from './question-line.ts'
import { readConditions } from './read-conditions.ts'
import { groupingBy, readGrouping } from './read-grouping.ts'
import { readAggregates, type SaidAggregate, type SaidColumn, SUMMARY, toMeasures } from './read-measures.ts'
import { type Ranking, readRanking } from './read-ranking.ts'

/** A question about data, understood, with the words that were not. */
export interface ReadQuery {
  readonly query: Query
  readonly ignored: readonly string[]
}

/** Why a question about data cannot be answered. */
export type QueryProblem =
  | { readonly problem: 'unknown-column'; readonly words: readonly string[] }
  | { readonly problem: 'not-a-number'; readonly column: TableColumn; readonly aggregate: Aggregate }

/** What the reading of a question has found so far. */
interface Parts extends Ranking {
  readonly question: QuestionLine
  readonly where: readonly Condition[]
  readonly by: readonly Grouping[]
  readonly aggregates: readonly SaidAggregate[]
}

/**
 * Understand a question about one table; `undefined` when nothing in it is about data.
 *
 * `summary` is what a column is asked for when the question does not say.
 */
export function readQuery(
  question: QuestionLine,
  summary: readonly Aggregate[] = SUMMARY,
): ReadQuery | QueryProblem | undefined {
  const isAboutPairs =
    question.take(/\b(?:correlation|correlate|correlated|relationship|relation|depend|influence)\b/d) !== undefined
  const where = readConditions(question)
  const ranking = readRanking(question)
  const by = readGrouping(question)
  const parts: Parts = { question, where, by, ...ranking, aggregates: readAggregates(question) }
  const query = isAboutPairs ? correlation(parts) : (rowQuery(parts) ?? figureQuery(parts, summary))
  if (query === undefined || 'problem' in query) return query
  return { query, ignored: [...question.leftOver(), ...unusedColumns(query, question)] }
}

/** Counting rows says nothing about the columns that were named; whoever named them should know. */
function unusedColumns(query: Query, question: QuestionLine): string[] {
  const counts = query.kind === 'figures' && query.measures.every((measure) => measure.column === undefined)
  if (!counts) return []
  const used = new Set(query.by.map((group) => group.column))
  return question.remainingColumns().flatMap((column) => (used.has(column) ? [] : [plainName(column)]))
}

function correlation({ question, by, where }: Parts): Query | QueryProblem | undefined {
  const mentioned = question.remainingColumns()
  const [a, b] = mentioned.filter((column) => column.type === 'number')
  if (a !== undefined && b !== undefined) return { kind: 'correlation', table: question.table, a, b, by, where }
  const other = mentioned.find((column) => column.type !== 'number')
  if (other !== undefined) return { problem: 'not-a-number', column: other, aggregate: 'average' }
  return { problem: 'unknown-column', words: question.leftOver() }
}

/** Single rows: "top 5 cars by horsepower", "the heaviest car", "show cars where …", "first 10 rows". */
function rowQuery(parts: Parts): Query | undefined {
  const { question, where, by, order, aggregates } = parts
  const { table } = question
  const [first] = by
  const named = question.remainingColumns()
  const isGrouped = by.some(({ column }) => column.type === 'text' || column.type === 'boolean')
  const subject = named.find((column) => column.type === 'text' || column.type === 'boolean')
  if (aggregates.length === 0 && order?.count !== undefined && !isGrouped && subject === undefined) {
    const orderBy = parts.orderBy ?? first?.column ?? named[0]
    return { kind: 'rows', table, ...(orderBy && { orderBy }), end: order.end, count: order.count, where }
  }
  const isListing = aggregates.length === 0 && by.length === 0 && named.length === 0
  const isAboutRows = /\b(?:row|record|line)\b/.test(question.line) || (where.length > 0 && question.coverage > 0)
  return isListing && isAboutRows ? { kind: 'rows', table, end: 'max', count: 10, where } : undefined
}

function figureQuery(parts: Parts, summary: readonly Aggregate[]): Query | QueryProblem | undefined {
  const { question, where } = parts
  const { by, columns } = splitRoles(parts)
  // "the heaviest car of each origin": one extreme per group, not the one group.
  const isExtremePerGroup = parts.orderBy !== undefined && by.length > 0 && parts.aggregates.length === 0
  const order = isExtremePerGroup ? undefined : parts.order
  const aggregates = parts.aggregates.length > 0 ? saidFigures(parts) : defaultFigures(parts, { by, columns, summary })
  const [only] = columns
  const counting = aggregates.length > 0 && aggregates.every(({ aggregate }) => aggregate === 'count')
  if (counting && only !== undefined && by.length === 0 && /text|boolean/.test(only.column.type)) {
    // "how many origins": not rows, but different values.
    const measure = { aggregate: 'distinct', column: only.column } as const
    return { kind: 'figures', table: question.table, measures: [measure], by, where }
  }
  const measures = toMeasures(aggregates, columns)
  if (measures.length > 0) {
    return { kind: 'figures', table: question.table, measures, by, where, ...(order !== undefined && { order }) }
  }
  const [first] = aggregates
  if (first === undefined) return undefined
  const other = only?.column ?? question.remainingColumns()[0]
  if (other !== undefined) return { problem: 'not-a-number', column: other, aggregate: first.aggregate }
  return { problem: 'unknown-column', words: question.leftOver() }
}

/** Which columns are worked out and which ones group, where the question does not say it with "by". */
function splitRoles(parts: Parts): { by: Grouping[]; columns: SaidColumn[] } {
  const named = parts.question.columnPlaces()
  const isNumber = ({ column }: SaidColumn): boolean => column.type === 'number'
  const numbers = [...(parts.orderBy ? [{ column: parts.orderBy }] : []), ...named.filter(isNumber)]
  const others = named.filter((said) => !isNumber(said))
  const [first, ...rest] = parts.by
  const [subject] = others
  if (first === undefined) {
    const isShare = parts.aggregates.some(({ aggregate }) => aggregate === 'share')
    const groups = isShare || parts.order !== undefined || parts.aggregates.length === 0
    if (groups && subject !== undefined) return { by: others.map(({ column }) => groupingBy(column)), columns: numbers }
    return { by: [], columns: [...numbers, ...others] }
  }
  // "top 5 origins by horsepower": what follows "by" is what is compared.
  if (parts.order !== undefined && subject !== undefined && first.column.type === 'number') {
    return { by: [groupingBy(subject.column), ...rest], columns: [{ column: first.column }, ...numbers] }
  }
  return { by: [...parts.by], columns: numbers }
}

/** "the lowest average weight": the extreme is the order, the average the figure. */
function saidFigures({ aggregates, order }: Parts): readonly SaidAggregate[] {
  const others = aggregates.filter(({ aggregate }) => aggregate !== 'max' && aggregate !== 'min')
  return order !== undefined && others.length > 0 ? others : aggregates
}

function defaultFigures(
  { order, orderBy }: Parts,
  roles: { by: readonly Grouping[]; columns: readonly SaidColumn[]; summary: readonly Aggregate[] },
): readonly SaidAggregate[] {
  const say = (...words: readonly Aggregate[]): SaidAggregate[] => words.map((aggregate) => ({ aggregate, at: -1 }))
  const isGrouped = roles.by.length > 0
  const hasNumber = roles.columns.some(({ column }) => column.type === 'number')
  if (!hasNumber) return isGrouped ? say('count') : []
  if (order !== undefined && (orderBy !== undefined || order.count === undefined)) return say(order.end)
  return isGrouped || order !== undefined ? say('average') : say(...roles.summary)
}
