import type { ChartAnswer } from '../../tools/answers.ts'

/** One row of a chart: its values by the names of the columns. */
export type ChartRow = ChartAnswer['rows'][number]

/** How a chart is laid out, decided from its rows before anything is drawn, so that its place can be kept free. */
export interface ChartLayout {
  readonly height: number
  /** Bars lie on their side when their names are many or long. */
  readonly isSideways: boolean
  /** The values along x in the order of the rows, for scales that are a list of names. */
  readonly names: readonly string[]
  /** The series in the order of the rows; empty without a colour of its own. */
  readonly series: readonly string[]
}

const PLOT_HEIGHT = 280
const BAR_HEIGHT = 26

/** Decide how a chart is laid out. */
export function chartLayout(answer: ChartAnswer): ChartLayout {
  const names = distinct(answer.rows, answer.x.column)
  const hasSeries = answer.color !== undefined && answer.color.column !== answer.x.column
  const series = hasSeries && answer.color ? distinct(answer.rows, answer.color.column) : []
  const longest = Math.max(0, ...names.map((name) => name.length))
  const isSideways =
    answer.kind === 'bar' && answer.x.type === 'text' && names.length <= 40 && (names.length > 8 || longest > 14)
  const barsPerName = Math.max(1, series.length)
  const sidewaysHeight = names.length * (series.length > 1 ? 14 * barsPerName + 10 : BAR_HEIGHT) + 60
  return { height: isSideways ? sidewaysHeight : PLOT_HEIGHT, isSideways, names, series }
}

/** The colour of a series, by its place. */
export function seriesColor(index: number): string {
  return `var(--series-${(index % 6) + 1})`
}

/** An axis in words: "Horsepower (hp)". A label that has its unit already keeps it. */
export function axisLabel({ label, unit }: { label: string; unit?: string }): string {
  return unit === undefined || label.includes(`(${unit})`) ? label : `${label} (${unit})`
}

function distinct(rows: readonly ChartRow[], column: string): string[] {
  return [...new Set(rows.map((row) => nameOf(row[column])))]
}

/** A value as it is written on a scale of names. */
export function nameOf(value: string | number | null | undefined): string {
  return value === null || value === undefined ? '(missing)' : String(value)
}
