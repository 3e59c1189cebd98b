import { plainName } from '../data/plain-name.ts'
import type { Aggregate, Bucket, Condition, Grouping, Measure, Query } from './query.ts'

/** What a figure is called in an answer: "average Horsepower". */
export function measureLabel({ aggregate, column }: Measure): string {
  if (column === undefined) return aggregate === 'share' ? 'share (%)' : 'count'
  switch (aggregate) {
    case 'distinct':
      return `different ${plainName(column)}`
    case 'share':
      return `share of ${plainName(column)} (%)`
    default:
      return `${WORDS[aggregate]} ${plainName(column)}`
  }
}

const WORDS: Readonly<Record<Aggregate, string>> = {
  average: 'average',
  median: 'median',
  max: 'highest',
  min: 'lowest',
  sum: 'total',
  stddev: 'stddev',
  count: 'count',
  distinct: 'different',
  share: 'share of',
}

/** The unit of a figure: that of its column, unless it counts. */
export function measureUnit({ aggregate, column }: Measure): string | undefined {
  if (aggregate === 'share') return '%'
  return aggregate === 'count' || aggregate === 'distinct' ? undefined : column?.unit
}

/** What a group is called in an answer: the column, or the part of the date. */
export function groupingLabel({ column, bucket }: Grouping): string {
  return bucket === undefined ? column.name : BUCKETS[bucket]
}

const BUCKETS: Readonly<Record<Bucket, string>> = {
  year: 'year',
  'year-month': 'month of year',
  month: 'month',
  weekday: 'weekday',
  quarter: 'quarter',
}

/** A query in a few words, for a chart's title and for saying what is being done. */
export function queryTitle(query: Query): string {
  const conditions = conditionsText(query.where)
  const where = conditions === '' ? '' : ` (${conditions})`
  switch (query.kind) {
    case 'correlation':
      return `correlation of ${plainName(query.a)} and ${plainName(query.b)}${byText(query.by)}${where}`
    case 'rows': {
      const order = query.orderBy && `with the ${query.end === 'max' ? 'most' : 'least'} ${plainName(query.orderBy)}`
      return (
        `${query.count === 1 ? 'row' : `${query.count} rows`} of ${query.table.label} ${order ?? ''}`.trimEnd() + where
      )
    }
    case 'figures': {
      const figures = query.measures.map((measure) =>
        measure.column === undefined && measure.aggregate !== 'share'
          ? `number of rows of ${query.table.label}`
          : measureLabel(measure).replace(' (%)', ''),
      )
      return `${figures.join(', ')}${byText(query.by)}${where}`
    }
  }
}

/** Conditions as people write them: "Origin is Japan, Horsepower > 100". */
export function conditionsText(where: readonly Condition[]): string {
  return where
    .map(({ column, operator, values, year }) => {
      const value = values.join(' or ')
      if (column === undefined) return `a value is ${value}`
      const name = year && !/year/i.test(column.name) ? `year of ${plainName(column)}` : plainName(column)
      if (operator === 'missing' || operator === 'present')
        return `${name} is ${operator === 'missing' ? 'missing' : 'known'}`
      return `${name} ${OPERATORS[operator] ?? operator} ${value}`
    })
    .join(', ')
}

const OPERATORS: Readonly<Record<string, string>> = { '=': 'is', '!=': 'is not', '<=': '≤', '>=': '≥' }

function byText(by: readonly Grouping[]): string {
  return by.length === 0 ? '' : ` by ${by.map((group) => groupingLabel(group).replaceAll('_', ' ')).join(' and ')}`
}
