import { plainName } from '../data/plain-name.ts'
import type { Cell } from '../data/table-info.ts'
import type { AnswerColumn, QueryAnswer } from '../tools/answers.ts'
import { decimalsFor, formatNumber, nameOf, withUnit } from './format-value.ts'
import { escapeMarkdown, markdownTable } from './markdown-table.ts'
import type { CorrelationQuery, FigureQuery, Measure, Query, RowQuery } from './query.ts'
import { conditionsText, groupingLabel, measureLabel, measureUnit } from './query-labels.ts'

/** The answer to a query, from the rows that came back: a sentence, and a table where there is more than one figure. */
export function writeQueryAnswer(query: Query, answer: QueryAnswer): string {
  if (answer.rows.length === 0) return `No rows of ${query.table.label} match${whereText(query)}.`
  switch (query.kind) {
    case 'figures':
      return query.by.length === 0 ? writeSingles(query, answer) : writeGroups(query, answer)
    case 'rows':
      return writeRows(query, answer)
    case 'correlation':
      return writeCorrelation(query, answer)
  }
}

/** Several figures of the same groups as one table, with a sentence for each. */
export function writeComparison(queries: readonly FigureQuery[], answers: readonly QueryAnswer[]): string {
  const [first] = queries
  if (first === undefined) return ''
  if (first.by.length === 0) {
    const lines = queries.map((query, index) => figureLine(query.measures[0], answers[index]?.rows[0]?.[0]))
    return [`In ${first.table.label}${whereText(first)}:`, lines.join('\n')].join('\n\n')
  }
  const groups = first.by.length
  const figures = answers.map(
    (answer) => new Map(answer.rows.map((row) => [groupKey(row, groups), row[groups] ?? null])),
  )
  const rows = (answers[0]?.rows ?? []).map((row) => [
    ...row.slice(0, groups),
    ...figures.map((figure) => figure.get(groupKey(row, groups)) ?? null),
  ])
  const columns: AnswerColumn[] = [
    ...(answers[0]?.columns.slice(0, groups) ?? []),
    ...queries.map((query, index) => figureColumn(query.measures[0], answers[index]?.columns[groups])),
  ]
  const sentences = queries.map((query, index) => leaders(query, answers[index]?.rows ?? []))
  return `${sentences.filter(Boolean).join(' ')}\n\n${markdownTable(columns, rows)}`
}

function writeSingles(query: FigureQuery, { rows: [row = []] }: QueryAnswer): string {
  const { measures, table } = query
  const [measure] = measures
  const [value] = row
  if (measures.length > 1) {
    const lines = measures.map((each, index) => figureLine(each, row[index]))
    return [`In ${table.label}${whereText(query)}:`, lines.join('\n')].join('\n\n')
  }
  if (measure?.aggregate === 'count') {
    const count = Number(value ?? 0)
    return `There ${count === 1 ? 'is' : 'are'} **${formatNumber(count)}** ${count === 1 ? 'row' : 'rows'} in ${table.label}${whereText(query)}.`
  }
  if (measure?.aggregate === 'distinct' && measure.column !== undefined) {
    return `${table.label} has **${formatNumber(Number(value ?? 0))}** different values of ${plainName(measure.column)}${whereText(query)}.`
  }
  const label = measure === undefined ? 'answer' : measureLabel(measure).replace(' (%)', '')
  if (value === null || value === undefined) {
    return `There is no ${escapeMarkdown(label)}${whereText(query)}: no row has a value.`
  }
  return `The ${escapeMarkdown(label)}${whereText(query)} is **${withUnit(value, measure && measureUnit(measure))}**.`
}

function figureLine(measure: Measure | undefined, value: Cell | undefined): string {
  if (measure === undefined) return ''
  return `- ${escapeMarkdown(measureLabel(measure).replace(' (%)', ''))}: **${withUnit(value, measureUnit(measure))}**`
}

function writeGroups(query: FigureQuery, answer: QueryAnswer): string {
  const columns = answer.columns.map((column, index) => {
    const measure = query.measures[index - query.by.length]
    return measure === undefined ? column : figureColumn(measure, column)
  })
  const parts = [leaders(query, answer.rows), markdownTable(columns, answer.rows)]
  if (query.where.length > 0) parts.push(`Only rows${whereText(query)}.`)
  return parts.filter(Boolean).join('\n\n')
}

function figureColumn(measure: Measure | undefined, column: AnswerColumn | undefined): AnswerColumn {
  const name = column?.name ?? (measure === undefined ? '' : measureLabel(measure))
  const unit = measure === undefined ? undefined : measureUnit(measure)
  const hasUnit = unit !== undefined && !name.includes(`(${unit})`)
  return { name, type: 'number', ...(hasUnit && { unit }) }
}

/** Which group has the most and which the least, of the first figure. */
function leaders(query: FigureQuery, rows: readonly (readonly Cell[])[]): string {
  const [measure] = query.measures
  const place = query.by.length
  const figures = rows.flatMap((row) => {
    const value = row[place]
    return typeof value === 'number' ? [{ name: groupName(row, place), value }] : []
  })
  const sorted = figures.toSorted((a, b) => b.value - a.value)
  const [most, ...others] = query.order?.end === 'min' ? sorted.reverse() : sorted
  const least = others.at(-1)
  if (measure === undefined || most === undefined) return ''
  const decimals = decimalsFor(figures.map(({ value }) => value))
  const show = ({ value }: { value: number }): string => withUnit(value, measureUnit(measure), decimals)
  const label = escapeMarkdown(
    measure.aggregate === 'count' ? 'number of rows' : measureLabel(measure).replace(' (%)', ''),
  )
  const ends = query.order?.end === 'min' ? ['lowest', 'highest'] : ['highest', 'lowest']
  if (least === undefined) return `There is one group: **${most.name}**, ${label} ${show(most)}.`
  if (most.value === least.value) return `All ${figures.length} groups have the same ${label}: ${show(most)}.`
  return `**${most.name}** has the ${extreme(ends[0], label)} (${show(most)}), **${least.name}** the ${ends[1]} (${show(least)}).`
}

/** "the highest highest Horsepower" helps nobody. */
function extreme(end: string | undefined, label: string): string {
  return label.startsWith(`${end} `) ? label : `${end} ${label}`
}

function groupName(row: readonly Cell[], groups: number): string {
  return row
    .slice(0, groups)
    .map((value) => escapeMarkdown(nameOf(value)))
    .join(', ')
}

function groupKey(row: readonly Cell[], groups: number): string {
  return JSON.stringify(row.slice(0, groups))
}

function writeRows(query: RowQuery, { columns, rows }: QueryAnswer): string {
  const { orderBy, end, table } = query
  const rowsTable = markdownTable(columns, rows)
  if (orderBy === undefined) return `${rowCount(rows.length)} of ${table.label}${whereText(query)}:\n\n${rowsTable}`
  const word = end === 'max' ? 'most' : 'least'
  if (rows.length > 1)
    return `${rowCount(rows.length)} of ${table.label} with the ${word} ${plainName(orderBy)}${whereText(query)}:\n\n${rowsTable}`
  const value = rows[0]?.[columns.findIndex((column) => column.name === orderBy.name)]
  return `**${escapeMarkdown(nameOf(rows[0]?.[0]))}** has the ${word} ${plainName(orderBy)}${whereText(query)}: ${withUnit(value, orderBy.unit)}.\n\n${rowsTable}`
}

function rowCount(count: number): string {
  return count === 1 ? 'One row' : `The ${formatNumber(count)} rows`
}

function writeCorrelation(query: CorrelationQuery, { columns, rows }: QueryAnswer): string {
  const names = `${escapeMarkdown(plainName(query.a))} and ${escapeMarkdown(plainName(query.b))}`
  if (query.by.length > 0) {
    const groups = query.by.map(groupingLabel).join(' and ')
    return `How ${names} go together, by ${escapeMarkdown(groups)} (1: always, 0: not at all, −1: opposite):\n\n${markdownTable(columns, rows)}`
  }
  const [r, count] = rows[0] ?? []
  const over = `${formatNumber(Number(count ?? 0))} rows${whereText(query)}`
  if (typeof r !== 'number')
    return `${names} have no correlation: too few rows, or one of them never changes (${over}).`
  return `${names} ${strength(r)}: r = **${formatNumber(r, 2)}** over ${over}.`
}

function strength(r: number): string {
  const size = Math.abs(r)
  if (size < 0.1) return 'have next to nothing to do with each other'
  const word = size < 0.3 ? 'weakly' : size < 0.6 ? 'moderately' : 'strongly'
  return r > 0 ? `rise together ${word}` : `go ${word} in opposite directions`
}

function whereText({ where }: Query): string {
  return where.length === 0 ? '' : ` where ${escapeMarkdown(conditionsText(where))}`
}
