import type { TableColumn, TableInfo } from '../data/table-info.ts'
import { quoteName, quoteText } from '../tools/sql-text.ts'
import type { Bucket, Condition, CorrelationQuery, FigureQuery, Grouping, Measure, Query, RowQuery } from './query.ts'
import { groupingLabel, measureLabel } from './query-labels.ts'

/** Most groups that are asked for; a reader sees far fewer. */
const MAX_GROUPS = 500

/** Most columns of a row that fit into a table of an answer. */
const MAX_ROW_COLUMNS = 6

/** The SQL that answers a query. Its columns are the groups, then the figures, named as in `query-labels.ts`. */
export function querySql(query: Query): string {
  switch (query.kind) {
    case 'figures':
      return figuresSql(query)
    case 'rows':
      return rowsSql(query)
    case 'correlation':
      return correlationSql(query)
  }
}

function figuresSql({ table, measures, by, where, order }: FigureQuery): string {
  const groups = by.map((group) => `${groupSql(group)} AS ${quoteName(groupingLabel(group))}`)
  const figures = measures.map(
    (measure) => `${measureSql(measure, table, where)} AS ${quoteName(measureLabel(measure))}`,
  )
  return lines([
    `SELECT ${[...groups, ...figures].join(', ')}`,
    `FROM ${quoteName(table.name)}`,
    whereSql(where, table),
    ...(by.length === 0 ? [] : [groupBySql(by), orderSql(by, order?.end), `LIMIT ${order?.count ?? MAX_GROUPS}`]),
  ])
}

function rowsSql({ table, orderBy, end, count, where }: RowQuery): string {
  const columns = rowColumns(table, orderBy, where).map((column) => quoteName(column.name))
  const order = orderBy && `ORDER BY ${quoteName(orderBy.name)} ${end === 'max' ? 'DESC' : 'ASC'}`
  const present: Condition[] = orderBy === undefined ? [] : [{ column: orderBy, operator: 'present', values: [] }]
  return lines([
    `SELECT ${columns.join(', ')}`,
    `FROM ${quoteName(table.name)}`,
    whereSql([...where, ...present], table),
    order,
    `LIMIT ${count}`,
  ])
}

function correlationSql({ table, a, b, by, where }: CorrelationQuery): string {
  const [x, y] = [quoteName(a.name), quoteName(b.name)]
  const groups = by.map((group) => `${groupSql(group)} AS ${quoteName(groupingLabel(group))}`)
  const present: Condition[] = [a, b].map((column) => ({ column, operator: 'present', values: [] }))
  return lines([
    `SELECT ${[...groups, `corr(${x}, ${y}) AS "correlation"`, 'count(*) AS "rows"'].join(', ')}`,
    `FROM ${quoteName(table.name)}`,
    whereSql([...where, ...present], table),
    by.length === 0 ? undefined : groupBySql(by),
  ])
}

/** The rows of a chart that draws them as they are. */
export function plotSql(table: TableInfo, columns: readonly TableColumn[], where: readonly Condition[]): string {
  const [first] = columns
  const names = [...new Set(columns.map((column) => quoteName(column.name)))]
  const present: Condition[] = columns.map((column) => ({ column, operator: 'present', values: [] }))
  return lines([
    `SELECT ${names.join(', ')}`,
    `FROM ${quoteName(table.name)}`,
    whereSql([...where, ...present], table),
    first?.type === 'date' && `ORDER BY ${quoteName(first.name)}`,
  ])
}

/** What names the row first, then what it is ordered by and chosen by, then the rest as far as there is room. */
function rowColumns(table: TableInfo, orderBy: TableColumn | undefined, where: readonly Condition[]): TableColumn[] {
  const named = table.columns.filter((column) => column.type === 'text' || column.type === 'date').slice(0, 2)
  const used = where.flatMap((condition) => condition.column ?? [])
  const all = [...named, ...(orderBy ? [orderBy] : []), ...used, ...table.columns]
  const chosen = new Set([...new Set(all)].slice(0, MAX_ROW_COLUMNS))
  const [first] = named
  return [...(first ? [first] : []), ...(orderBy && orderBy !== first ? [orderBy] : []), ...chosen].filter(
    (column, index, columns) => columns.indexOf(column) === index,
  )
}

function measureSql({ aggregate, column }: Measure, table: TableInfo, where: readonly Condition[]): string {
  const name = column === undefined ? '*' : quoteName(column.name)
  switch (aggregate) {
    case 'average':
      return `avg(${name})`
    case 'distinct':
      return `count(DISTINCT ${name})`
    case 'share': {
      const part = column === undefined ? 'count(*)' : `sum(${name})`
      const whole = lines([`SELECT ${part} FROM ${quoteName(table.name)}`, whereSql(where, table)]).replaceAll(
        '\n',
        ' ',
      )
      return `100.0 * ${part} / (${whole})`
    }
    default:
      return `${aggregate}(${name})`
  }
}

const BUCKET_SQL: Readonly<Record<Bucket, (date: string) => string>> = {
  year: (date) => `CAST(strftime('%Y', ${date}) AS INTEGER)`,
  'year-month': (date) => `strftime('%Y-%m', ${date})`,
  month: (date) => `substr('JanFebMarAprMayJunJulAugSepOctNovDec', 3 * strftime('%m', ${date}) - 2, 3)`,
  weekday: (date) => `substr('SunMonTueWedThuFriSat', 3 * strftime('%w', ${date}) + 1, 3)`,
  quarter: (date) => `'Q' || ((strftime('%m', ${date}) + 2) / 3)`,
}

function groupSql({ column, bucket }: Grouping): string {
  const name = quoteName(column.name)
  return bucket === undefined ? name : BUCKET_SQL[bucket](name)
}

function groupBySql(by: readonly Grouping[]): string {
  return `GROUP BY ${by.map((_group, index) => index + 1).join(', ')}`
}

/** Time and whole numbers go in their own order, names by the figure. Months and weekdays are ordered by their number. */
function orderSql(by: readonly Grouping[], end: 'max' | 'min' | undefined): string {
  const figure = `${by.length + 1} ${end === 'min' ? 'ASC' : 'DESC'}`
  if (end !== undefined) return `ORDER BY ${figure}`
  const natural = by.map(({ column, bucket }, index) => {
    if (bucket === 'month') return `min(strftime('%m', ${quoteName(column.name)}))`
    if (bucket === 'weekday') return `min((strftime('%w', ${quoteName(column.name)}) + 6) % 7)`
    return column.type === 'date' || column.type === 'number' ? String(index + 1) : undefined
  })
  const isNatural = natural.some((order) => order !== undefined)
  return `ORDER BY ${isNatural ? natural.map((order, index) => order ?? index + 1).join(', ') : figure}`
}

function whereSql(where: readonly Condition[], table: TableInfo): string | undefined {
  return where.length === 0
    ? undefined
    : `WHERE ${where.map((condition) => conditionSql(condition, table)).join(' AND ')}`
}

function conditionSql({ column, operator, values, year }: Condition, table: TableInfo): string {
  if (column === undefined) return anyColumnSql(values, table)
  const name = year ? `CAST(strftime('%Y', ${quoteName(column.name)}) AS INTEGER)` : quoteName(column.name)
  if (operator === 'missing') return `${name} IS NULL`
  if (operator === 'present') return `${name} IS NOT NULL`
  const each = values.map((value) => {
    if (operator === 'contains') return `${name} LIKE ${quoteText(`%${value}%`)}`
    if (typeof value === 'number' && column.type !== 'text') return `${name} ${operator} ${value}`
    return `${name} ${operator} ${quoteText(truthValue(column, value))} COLLATE NOCASE`
  })
  const joined = each.join(operator === '!=' ? ' AND ' : ' OR ')
  return each.length > 1 ? `(${joined})` : joined
}

/** A value that is said without its column: whichever text column has it. */
function anyColumnSql(values: readonly (string | number)[], table: TableInfo): string {
  const texts = table.columns.filter((column) => column.type === 'text')
  const each = texts.flatMap((column) =>
    values.map((value) => `${quoteName(column.name)} = ${quoteText(String(value))} COLLATE NOCASE`),
  )
  return each.length === 0 ? '0' : `(${each.join(' OR ')})`
}

function truthValue(column: TableColumn, value: string | number): string {
  if (column.type !== 'boolean') return String(value)
  return /^(true|yes|1)$/i.test(String(value)) ? '1' : '0'
}

function lines(parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join('\n')
}
