import { plot } from '@observablehq/plot'
import type { ChartAnswer } from '../../tools/answers.ts'
import { type ChartLayout, seriesColor } from './chart-layout.ts'
import { barOptions } from './plot-bars.ts'
import { pointOptions } from './plot-points.ts'

/** Draw a chart as one SVG of this width. */
export function drawChart(answer: ChartAnswer, layout: ChartLayout, width: number): Element {
  const shape = answer.kind === 'bar' ? barOptions(answer, layout) : pointOptions(answer, layout)
  return plot({
    width,
    height: layout.height,
    marginTop: 28,
    marginRight: 12,
    marginBottom: 44,
    marginLeft: 52,
    ...shape,
    color: { domain: [...layout.series], range: layout.series.map((_, index) => seriesColor(index)) },
    ariaLabel: answer.title,
    style: { background: 'transparent', color: 'var(--ink-2)', fontFamily: 'inherit', fontSize: '12px' },
  })
}
