import { plainName } from '../data/plain-name.ts'
import type { Cell } from '../data/table-info.ts'
import type { AnswerColumn, ChartAnswer, ChartKind, QueryAnswer } from '../tools/answers.ts'
import type { ChartWish, Intent } from './intent.ts'
import type { PlannedCall } from './plan.ts'
import type { FigureQuery, Grouping, Query } from './query.ts'
import { measureLabel, queryTitle } from './query-labels.ts'
import { plotSql } from './query-sql.ts'

/** More figures than this are not drawn beside each other. */
const MAX_CHARTS = 3

/** The calls that draw a query's answer: one chart per figure. None for an answer that is a single figure. */
export function chartCalls(query: Query, answer: QueryAnswer, wish: ChartWish): PlannedCall[] {
  if (query.kind === 'correlation') return [correlationChart(query, wish)]
  if (answer.rows.length < 2) return []
  if (query.kind === 'rows') {
    const [x] = answer.columns
    const y = answer.columns.find((column) => column.name === query.orderBy?.name && column !== x)
    if (x === undefined || y === undefined) return []
    return [drawRows({ kind: wish.kind ?? 'bar', title: queryTitle(query), answer, x, y })]
  }
  if (query.by.length === 0) return []
  return query.measures
    .slice(0, MAX_CHARTS)
    .flatMap((measure, index) => figureChart({ ...query, measures: [measure] }, answer, { wish, index }))
}

function figureChart(query: FigureQuery, answer: QueryAnswer, how: { wish: ChartWish; index: number }): PlannedCall[] {
  const [x, color] = answer.columns.slice(0, query.by.length)
  const y = answer.columns[query.by.length + how.index]
  if (x === undefined || y === undefined) return []
  const unit = y.unit ?? query.measures[0]?.column?.unit
  const isFigure = !/^(count|different|share)/.test(measureLabel(query.measures[0] ?? { aggregate: 'count' }))
  const kind = kindFor(how.wish.kind, query.by[0])
  const named = { ...y, ...(unit !== undefined && isFigure && { unit }) }
  return [drawRows({ kind, title: queryTitle(query), answer, x, y: named, ...(color !== undefined && { color }) })]
}

/** Time goes on as a line; names stand side by side. */
function kindFor(wished: ChartKind | undefined, group: Grouping | undefined): ChartKind {
  if (wished !== undefined && wished !== 'histogram') return wished
  const { bucket, column } = group ?? {}
  const isTime = bucket === 'year' || bucket === 'year-month' || (bucket === undefined && column?.type === 'date')
  return isTime || /^year$/i.test(column?.name ?? '') ? 'line' : 'bar'
}

function correlationChart(query: Extract<Query, { kind: 'correlation' }>, wish: ChartWish): PlannedCall {
  const [group] = query.by
  const color = group?.bucket === undefined ? group?.column : undefined
  return drawPlot({
    kind: 'plot',
    table: query.table,
    chart: wish.kind === 'histogram' ? 'histogram' : 'scatter',
    x: query.a,
    y: query.b,
    where: query.where,
    ...(color !== undefined && { color }),
  })
}

/** The call that draws rows of a table as they are. */
export function drawPlot({ table, chart, x, y, color, where }: Extract<Intent, { kind: 'plot' }>): PlannedCall {
  const columns = [x, ...(y ? [y] : []), ...(color ? [color] : [])]
  const title = y === undefined ? `${plainName(x)} of ${table.label}` : `${plainName(y)} by ${plainName(x)}`
  return {
    toolName: 'draw_chart',
    input: {
      kind: chart,
      title: capitalise(title),
      x: x.name,
      ...(y !== undefined && { y: y.name }),
      ...(color !== undefined && { color: color.name }),
      sql: plotSql(table, columns, where),
    },
  }
}

/** The call that draws an answer given before, as far as its columns can be told apart; `undefined` if they cannot. */
export function redraw(answer: QueryAnswer | ChartAnswer, wish: ChartWish): PlannedCall | undefined {
  if ('kind' in answer) return redrawChart(answer, wish)
  const names = answer.columns.filter((column) => column.type !== 'number')
  const numbers = answer.columns.filter((column) => column.type === 'number')
  const [x, color] = names.length > 0 ? names : numbers
  const y = numbers.find((column) => column !== x)
  if (x === undefined || y === undefined || answer.rows.length < 2) return undefined
  const isTime = x.type === 'date' || /^(year|month of year)$/i.test(x.name)
  const kind = wish.kind ?? (isTime ? 'line' : names.length > 0 ? 'bar' : 'scatter')
  const hasSeries = color !== undefined && color !== y && names.length > 1
  return drawRows({ kind, title: `${y.name} by ${x.name}`, answer, x, y, ...(hasSeries && { color }) })
}

function redrawChart({ title, x, y, color, rows, ...chart }: ChartAnswer, wish: ChartWish): PlannedCall {
  const units = { ...(x.unit !== undefined && { x: x.unit }), ...(y?.unit !== undefined && { y: y.unit }) }
  return {
    toolName: 'draw_chart',
    input: {
      kind: wish.kind ?? chart.kind,
      title,
      x: x.column,
      ...(y !== undefined && { y: y.column }),
      ...(color !== undefined && { color: color.column }),
      units,
      rows: rows.map((row) => ({ ...row })),
    },
  }
}

interface Drawing {
  readonly kind: ChartKind
  readonly title: string
  readonly answer: QueryAnswer
  readonly x: AnswerColumn
  readonly y: AnswerColumn
  readonly color?: AnswerColumn
}

function drawRows({ kind, title, answer, x, y, color }: Drawing): PlannedCall {
  const used = [x, y, ...(color ? [color] : [])]
  const places = used.map((column) => answer.columns.findIndex(({ name }) => name === column.name))
  const rows = answer.rows.map((row) =>
    Object.fromEntries(used.map((column, index): [string, Cell] => [column.name, row[places[index] ?? 0] ?? null])),
  )
  const units = { ...(x.unit !== undefined && { x: x.unit }), ...(y.unit !== undefined && { y: y.unit }) }
  return {
    toolName: 'draw_chart',
    input: {
      kind,
      title: capitalise(title),
      x: x.name,
      y: y.name,
      ...(color !== undefined && { color: color.name }),
      ...(Object.keys(units).length > 0 && { units }),
      rows: kind === 'bar' && color === undefined ? withDistinctNames(rows, x.name) : rows,
    },
  }
}

/** Two rows of one name would share a bar. */
function withDistinctNames(rows: readonly Record<string, Cell>[], key: string): Record<string, Cell>[] {
  const seen = new Map<Cell, number>()
  return rows.map((row) => {
    const name = row[key] ?? null
    const copy = (seen.get(name) ?? 0) + 1
    seen.set(name, copy)
    return copy === 1 ? row : { ...row, [key]: `${name ?? '(missing)'} (${copy})` }
  })
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
