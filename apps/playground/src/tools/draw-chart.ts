import { type Tool, tool } from '@turnloop/core'
import { type Cell, MAX_ROWS, type TableInfo } from '../data/table-info.ts'
import { answerColumns, typeOfValues } from './answer-columns.ts'
import type { AnswerColumn, ChartAnswer, ChartAxis, ChartKind } from './answers.ts'
import { z } from './csp-zod.ts'
import { QUERY_LIMIT_MS } from './query-table.ts'
import { rowsText } from './rows-text.ts'
import type { TableDatabase } from './table-database.ts'
import { toolAnswer } from './tool-answer.ts'

/** More marks than this nobody can tell apart, and each of them is kept with the conversation. */
const MAX_MARKS = 2_000
const MAX_BARS = 60
const MODEL_ROWS = 20

const input = z.object({
  kind: z.enum(['bar', 'line', 'scatter', 'histogram']),
  title: z.string().describe('What the chart shows, in a few words.'),
  x: z.string().describe('Column across; for a histogram the number whose spread is shown.'),
  y: z.string().optional().describe('Number column upwards; a histogram has none.'),
  color: z.string().optional().describe('Column that colours the marks.'),
  units: z.object({ x: z.string().optional(), y: z.string().optional() }).optional(),
  sql: z.string().optional().describe('Query that gives the rows. Give this or rows.'),
  rows: z
    .array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])))
    .optional()
    .describe('The rows themselves, one object per mark, by column name.'),
})

type ChartInput = z.output<typeof input>
type Row = Readonly<Record<string, Cell>>

/** Rows to draw and what their columns hold. */
interface ChartData {
  readonly columns: readonly AnswerColumn[]
  readonly rows: readonly Row[]
  readonly more: boolean
}

/** The tool that draws: it checks the rows and hands them to the page, which shows them as a chart. */
export function drawChart(database: () => Promise<TableDatabase>): Tool {
  return tool({
    name: 'draw_chart',
    title: 'Draw a chart',
    description:
      'Show the user a bar, line, scatter or histogram chart. Give a query or the rows. The user sees the chart; do not repeat its rows.',
    effect: 'read',
    input,
    execute: async (chart, { signal }) => {
      const data = await readData(chart, database)
      signal.throwIfAborted()
      const answer = checkChart(chart, data)
      return toolAnswer(chartText(answer), answer)
    },
  })
}

async function readData({ sql, rows }: ChartInput, database: () => Promise<TableDatabase>): Promise<ChartData> {
  if ((sql === undefined) === (rows === undefined)) throw new Error('Give either "sql" or "rows".')
  if (rows !== undefined) return dataFromRows(rows)
  const tables = await database()
  const selected = await tables.select(sql ?? '', { maxRows: MAX_ROWS, timeLimitMs: QUERY_LIMIT_MS })
  const infos: readonly TableInfo[] = await tables.tables()
  const columns = answerColumns(selected, infos)
  const objects = selected.rows.map((row) =>
    Object.fromEntries(columns.map(({ name }, index): [string, Cell] => [name, row[index] ?? null])),
  )
  return { columns, rows: objects, more: selected.truncated }
}

function dataFromRows(rows: NonNullable<ChartInput['rows']>): ChartData {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columns = names.map((name) => ({ name, type: typeOfValues(rows.map((row) => row[name])) }))
  const cells = rows.map((row) =>
    Object.fromEntries(
      names.map((name): [string, Cell] => {
        const value = row[name] ?? null
        return [name, typeof value === 'boolean' ? Number(value) : value]
      }),
    ),
  )
  return { columns, rows: cells, more: false }
}

/** Make a chart that can be drawn as it is, or throw what is wrong with it. */
function checkChart(chart: Omit<ChartInput, 'rows'>, data: ChartData): ChartAnswer {
  const { kind, title, sql } = chart
  if (data.rows.length === 0) throw new Error('There are no rows to draw.')
  const x = axis(data, 'x', chart.x, chart.units?.x)
  const y = kind === 'histogram' || chart.y === undefined ? undefined : axis(data, 'y', chart.y, chart.units?.y)
  const color = chart.color === undefined ? undefined : axis(data, 'color', chart.color)
  if (kind === 'histogram' && x.type !== 'number')
    throw new Error(`A histogram needs a number column as x, not ${x.column}.`)
  if (kind !== 'histogram' && y === undefined) throw new Error(`A ${kind} chart needs "y", a number column.`)
  if (y !== undefined && y.type !== 'number')
    throw new Error(`"y" has to be a number column; ${y.column} holds ${y.type}.`)
  const marks = data.rows.filter((row) => row[x.column] !== null && (y === undefined || row[y.column] !== null))
  if (marks.length === 0) throw new Error('Every row lacks a value for one of the axes.')
  const rows = thin(kind, marks)
  const note = noteFor(data, marks.length, rows.length, kind)
  const keys = [x, y, color].flatMap((used) => used?.column ?? [])
  return {
    kind,
    title,
    x,
    ...(y !== undefined && { y }),
    ...(color !== undefined && { color }),
    rows: rows.map((row) => Object.fromEntries(keys.map((key): [string, Cell] => [key, row[key] ?? null]))),
    rowCount: rows.length,
    ...(note !== undefined && { note }),
    ...(sql !== undefined && { sql }),
  }
}

function axis(data: ChartData, role: string, wanted: string, givenUnit?: string): ChartAxis {
  const same = (name: string): boolean => name.toLowerCase() === wanted.toLowerCase()
  const column = data.columns.find(({ name }) => name === wanted) ?? data.columns.find(({ name }) => same(name))
  if (column === undefined) {
    const names = data.columns.map(({ name }) => name).join(', ')
    throw new Error(`"${role}" is ${JSON.stringify(wanted)}, but the rows have: ${names}.`)
  }
  const unit = givenUnit ?? column.unit
  return {
    column: column.name,
    label: column.name.replaceAll('_', ' '),
    type: column.type,
    ...(unit !== undefined && { unit }),
  }
}

/** Bars: the first ones, since a query orders them. Marks that make a shape together: every so many. */
function thin(kind: ChartKind, rows: readonly Row[]): readonly Row[] {
  if (kind === 'bar') return rows.slice(0, MAX_BARS)
  if (rows.length <= MAX_MARKS) return rows
  return Array.from({ length: MAX_MARKS }, (_, index) => rows[Math.floor((index * rows.length) / MAX_MARKS)] ?? {})
}

function noteFor(data: ChartData, marks: number, drawn: number, kind: ChartKind): string | undefined {
  const notes: string[] = []
  const total = `${marks.toLocaleString('en')}${data.more ? ' and more' : ''}`
  if (drawn < marks || data.more) {
    const which = kind === 'bar' ? `The first ${drawn}` : `An even sample of ${drawn.toLocaleString('en')}`
    notes.push(`${which} of ${total} rows.`)
  }
  const without = data.rows.length - marks
  if (without > 0) notes.push(`${without.toLocaleString('en')} rows lack a value and are not drawn.`)
  return notes.length === 0 ? undefined : notes.join(' ')
}

function chartText({ kind, title, x, y, rows, note }: ChartAnswer): string {
  const axes = [x, y].flatMap((used) => used ?? [])
  const names = axes.map(({ column, unit }) => (unit === undefined ? column : `${column} [${unit}]`))
  const values = rows.map((row) => axes.map(({ column }) => row[column] ?? null))
  const drawn = `The user sees a ${kind} chart, “${title}”, of ${rows.length} rows.`
  return [drawn, ...(note === undefined ? [] : [note]), rowsText(names, values, MODEL_ROWS)].join('\n')
}
