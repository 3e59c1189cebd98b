import { type ReactElement, useEffect, useRef, useState } from 'react'
import { plural } from '../../app/format.ts'
import type { ChartAnswer } from '../../tools/answers.ts'
import styles from './chart-figure.module.css'
import type { ChartLayout } from './chart-layout.ts'

const loadPlot = () => import('./plot-chart.ts')

/** Fetch what draws while the rows are still being fetched. */
export function preloadPlot(): void {
  // A failure shows when the chart is drawn, and is tried again there.
  loadPlot().catch(() => {})
}

/** The plot itself. The library that draws is loaded with the first chart; its place is kept free until then. */
export function PlotView({ answer, layout }: { answer: ChartAnswer; layout: ChartLayout }): ReactElement {
  const frame = useRef<HTMLDivElement>(null)
  const width = useWidth(frame)
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    const place = frame.current
    if (place === null || width === 0) return
    let isCurrent = true
    loadPlot()
      .then(({ drawChart }) => {
        if (isCurrent) place.replaceChildren(drawChart(answer, layout, width))
      })
      .catch((error: unknown) => {
        if (isCurrent) setFailure(error instanceof Error ? error.message : String(error))
      })
    return () => {
      isCurrent = false
    }
  }, [answer, layout, width])
  return (
    <>
      <div className={styles.plot} role="img" aria-label={chartName(answer)} hidden={failure !== undefined}>
        {/* The names that the library gives to groups of marks are not for ears; the rows below are. */}
        <div ref={frame} aria-hidden="true" style={{ minHeight: layout.height }} />
      </div>
      {failure !== undefined && (
        <p className={styles.note}>The chart could not be drawn: {failure} Its rows are below.</p>
      )}
    </>
  )
}

const KINDS = { bar: 'Bar chart', line: 'Line chart', scatter: 'Scatter chart', histogram: 'Histogram' } as const

function chartName({ kind, title, rows }: ChartAnswer): string {
  return `${KINDS[kind]}: ${title}. ${plural(rows.length, 'row')}.`
}

/** The width of an element in whole pixels, 0 until it is known. */
function useWidth(element: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}
