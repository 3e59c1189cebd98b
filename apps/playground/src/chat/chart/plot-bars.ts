import {
  axisX,
  axisY,
  barX,
  barY,
  gridX,
  gridY,
  type PlotOptions,
  ruleX,
  ruleY,
  type ScaleOptions,
} from '@observablehq/plot'
import type { ChartAnswer } from '../../tools/answers.ts'
import { axisLabel, type ChartLayout, type ChartRow, nameOf } from './chart-layout.ts'
import { BASE_LINE, channel, colorOf, GRID, TICKS, TIP } from './plot-channels.ts'

const NAME_TICKS = { ...TICKS, color: 'var(--ink-2)' } as const
const MOST_NAMES = 12

/** Bars, one per name, or a group of bars per name where there are series. They never stack: sums of averages mean nothing. */
export function barOptions(answer: ChartAnswer, layout: ChartLayout): PlotOptions {
  return layout.isSideways ? sideways(answer, layout) : upright(answer, layout)
}

function upright(answer: ChartAnswer, layout: ChartLayout): PlotOptions {
  const { values, names, series, mark } = parts(answer, layout)
  const frame = [gridY(GRID), axisY(TICKS)]
  const base = ruleY([0], BASE_LINE)
  const label = axisLabel(answer.x)
  if (series === undefined) {
    const bars = barY(answer.rows, { ...mark, x: names.channel, y1: 0, y2: values.channel })
    const ticks = axisX(everyNth(layout.names, MOST_NAMES), NAME_TICKS)
    return { y: values.scale, x: { ...names.scale, label }, marks: [...frame, bars, base, ticks] }
  }
  const bars = barY(answer.rows, { ...mark, fx: names.channel.value, x: series.channel, y1: 0, y2: values.channel })
  return { y: values.scale, fx: { ...names.scale, label }, x: series.scale, marks: [...frame, bars, base] }
}

function sideways(answer: ChartAnswer, layout: ChartLayout): PlotOptions {
  const { values, names, series, mark } = parts(answer, layout)
  const frame = [gridX(GRID), axisX({ ...TICKS, labelAnchor: 'center' })]
  const base = ruleX([0], BASE_LINE)
  const longest = Math.max(...layout.names.map((name) => name.length))
  const marginLeft = Math.min(200, longest * 6.5 + 16)
  if (series === undefined) {
    const bars = barX(answer.rows, { ...mark, y: names.channel, x1: 0, x2: values.channel })
    return { marginLeft, x: values.scale, y: names.scale, marks: [...frame, bars, base, axisY(NAME_TICKS)] }
  }
  const bars = barX(answer.rows, { ...mark, fy: names.channel.value, y: series.channel, x1: 0, x2: values.channel })
  return { marginLeft, x: values.scale, fy: names.scale, y: series.scale, marks: [...frame, bars, base] }
}

function parts(answer: ChartAnswer, layout: ChartLayout) {
  const along = answer.y ?? answer.x
  const scale: ScaleOptions = { domain: [...layout.names], padding: layout.names.length > 20 ? 0.1 : 0.3, label: null }
  const inner: ScaleOptions = { axis: null, domain: [...layout.series], padding: 0.05 }
  const hasSeries = layout.series.length > 1 && answer.color !== undefined
  return {
    values: { channel: channel(along), scale: { label: axisLabel(along), nice: true } satisfies ScaleOptions },
    names: { channel: channel(answer.x, true), scale },
    series: hasSeries && answer.color ? { channel: channel(answer.color, true), scale: inner } : undefined,
    mark: { fill: colorOf(answer, layout), inset: 0.5, tip: TIP, title: (row: ChartRow) => barTitle(answer, row) },
  }
}

/** What a bar's tip says: its name, its series, its length. */
function barTitle({ x, y, color }: ChartAnswer, row: ChartRow): string {
  const axes = [x, color, y].filter((axis) => axis !== undefined)
  const unique = axes.filter((axis, index) => axes.findIndex((other) => other.column === axis.column) === index)
  return unique.map((axis) => `${axisLabel(axis)}: ${figure(row[axis.column])}`).join('\n')
}

function figure(value: string | number | null | undefined): string {
  return typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 2 }) : nameOf(value)
}

function everyNth(names: readonly string[], atMost: number): string[] {
  const step = Math.ceil(names.length / atMost)
  return names.filter((_, index) => index % step === 0)
}
