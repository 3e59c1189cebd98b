import type { ChartAnswer, ChartAxis } from '../../tools/answers.ts'
import { axisLabel, type ChartLayout, type ChartRow, nameOf, seriesColor } from './chart-layout.ts'

/** How the marks of an axis look. Here and below tokens by name, so that a drawn chart follows light and dark. */
export const TICKS = { tickSize: 0, color: 'var(--ink-3)', labelArrow: 'none' } as const
/** How the lines of the grid look. */
export const GRID = { stroke: 'var(--line)', strokeOpacity: 1 } as const
/** How the line that values are counted from looks. */
export const BASE_LINE = { stroke: 'var(--line-strong)' } as const
/** How the box with the values under the pointer looks. */
export const TIP = { fill: 'var(--raised)', stroke: 'var(--line-strong)', textPadding: 8 } as const

/** Where a mark reads one of its values; the label is for tips. */
export interface Channel {
  readonly value: (row: ChartRow) => string | number | Date | null
  readonly label: string
}

/** Read one column: dates as dates, and everything on a scale of names as a name. */
export function channel(axis: ChartAxis, isNamed = false): Channel {
  const value = (row: ChartRow): string | number | Date | null => {
    const cell = row[axis.column] ?? null
    if (isNamed || axis.type === 'text' || axis.type === 'boolean') return nameOf(cell)
    return axis.type === 'date' && cell !== null ? new Date(cell) : cell
  }
  return { value, label: axisLabel(axis) }
}

/** What a mark is coloured by: its series, or the first colour. */
export function colorOf(answer: ChartAnswer, layout: ChartLayout): Channel | string {
  return layout.series.length > 0 && answer.color ? channel(answer.color, true) : seriesColor(0)
}
