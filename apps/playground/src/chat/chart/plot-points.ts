import {
  axisX,
  axisY,
  binX,
  dot,
  gridX,
  gridY,
  lineY,
  type Markish,
  type PlotOptions,
  rectY,
  ruleY,
  type ScaleOptions,
} from '@observablehq/plot'
import type { ChartAnswer } from '../../tools/answers.ts'
import { axisLabel, type ChartLayout, seriesColor } from './chart-layout.ts'
import { BASE_LINE, channel, colorOf, GRID, TICKS, TIP } from './plot-channels.ts'

/** With more points than this, dots on a line are noise. */
const MOST_DOTS = 40

/** Lines, dots and histograms: charts whose x is a measure. */
export function pointOptions(answer: ChartAnswer, layout: ChartLayout): PlotOptions {
  const ticks = { ...TICKS, labelAnchor: 'center' as const, ...(isYears(answer) && { tickFormat: 'd' }) }
  const marks: Markish[] = [gridY(GRID), axisY(TICKS), axisX(ticks), ...shapes(answer, layout)]
  return { x: xScale(answer, layout), y: yScale(answer), marks }
}

function shapes(answer: ChartAnswer, layout: ChartLayout): Markish[] {
  const x = channel(answer.x)
  const y = channel(answer.y ?? answer.x)
  const color = colorOf(answer, layout)
  if (answer.kind === 'histogram') {
    const bins = binX({ y: 'count' }, { x: x.value })
    return [rectY(answer.rows, { ...bins, fill: seriesColor(0), inset: 0.5, tip: TIP }), ruleY([0], BASE_LINE)]
  }
  if (answer.kind === 'scatter') {
    const look = { r: 3, stroke: color, fill: color, fillOpacity: 0.35, strokeOpacity: 0.8, tip: TIP }
    return [gridX(GRID), dot(answer.rows, { x, y, ...look })]
  }
  const dots = answer.rows.length <= MOST_DOTS ? { marker: 'dot' as const } : {}
  return [lineY(answer.rows, { x, y, stroke: color, strokeWidth: 1.75, tip: TIP, ...dots })]
}

function xScale({ kind, x }: ChartAnswer, { names }: ChartLayout): ScaleOptions {
  const label = axisLabel(x)
  if (x.type === 'date') return { label, type: 'utc' }
  return kind === 'line' && x.type === 'text' ? { label, type: 'point', domain: [...names] } : { label }
}

function yScale({ kind, y }: ChartAnswer): ScaleOptions {
  return { label: y ? axisLabel(y) : 'Rows', nice: true, ...(kind === 'histogram' && { zero: true }) }
}

/** Years are written without a thousands separator. */
function isYears({ x, rows }: ChartAnswer): boolean {
  return x.type === 'number' && /year/i.test(x.column) && rows.every((row) => Number.isInteger(row[x.column]))
}
