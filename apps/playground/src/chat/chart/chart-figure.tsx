import Download from 'lucide-react/icons/download'
import ImageIcon from 'lucide-react/icons/image'
import Table2 from 'lucide-react/icons/table-2'
import { type ReactElement, useId, useMemo, useRef, useState } from 'react'
import { Button } from '../../app/button.tsx'
import { plural } from '../../app/format.ts'
import { toasts } from '../../app/toasts.tsx'
import type { ChartAnswer, ChartAxis } from '../../tools/answers.ts'
import { RowsTable } from '../rows-table.tsx'
import { copyChart, saveChartAsPng, saveChartAsSvg } from './chart-export.ts'
import styles from './chart-figure.module.css'
import { axisLabel, type ChartLayout, chartLayout, seriesColor } from './chart-layout.ts'
import { PlotView } from './plot-view.tsx'

/** A chart as an answer: title, plot, legend, its rows, and ways to take it along. */
export function ChartFigure({ answer }: { answer: ChartAnswer }): ReactElement {
  const [showsRows, setShowsRows] = useState(false)
  const figure = useRef<HTMLElement>(null)
  const titleId = useId()
  const layout = useMemo(() => chartLayout(answer), [answer])
  const take = (action: (chart: HTMLElement, title: string) => Promise<void>, done?: string) => (): void => {
    if (figure.current === null) return
    action(figure.current, answer.title).then(
      () => done && toasts.add({ title: done }),
      () => toasts.add({ title: 'The browser did not allow that.' }),
    )
  }
  return (
    <figure className={styles.figure} ref={figure} aria-labelledby={titleId}>
      <figcaption className={styles.title} id={titleId}>
        {answer.title}
      </figcaption>
      <Legend answer={answer} layout={layout} />
      <PlotView answer={answer} layout={layout} />
      {answer.note && <p className={styles.note}>{answer.note}</p>}
      <div className={styles.actions}>
        <Button look="quiet" size="small" aria-expanded={showsRows} onClick={() => setShowsRows(!showsRows)}>
          <Table2 size={14} aria-hidden="true" />
          {showsRows ? 'Hide rows' : plural(answer.rows.length, 'row')}
        </Button>
        <span className={styles.gap} />
        <Button look="quiet" size="small" onClick={take(copyChart, 'Chart copied as an image')}>
          <ImageIcon size={14} aria-hidden="true" />
          Copy
        </Button>
        <Button look="quiet" size="small" onClick={take(saveChartAsSvg)}>
          <Download size={14} aria-hidden="true" />
          SVG
        </Button>
        <Button look="quiet" size="small" onClick={take(saveChartAsPng)}>
          <Download size={14} aria-hidden="true" />
          PNG
        </Button>
      </div>
      {showsRows && <ChartRows answer={answer} />}
    </figure>
  )
}

function Legend({ answer, layout }: { answer: ChartAnswer; layout: ChartLayout }): ReactElement | null {
  if (layout.series.length < 2 || answer.color === undefined) return null
  return (
    <ul className={styles.legend} aria-label={axisLabel(answer.color)}>
      {layout.series.map((name, index) => (
        <li key={name}>
          <span className={styles.swatch} style={{ background: seriesColor(index) }} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  )
}

function ChartRows({ answer }: { answer: ChartAnswer }): ReactElement {
  const axes = [answer.x, answer.y, answer.color].filter((axis): axis is ChartAxis => axis !== undefined)
  const unique = axes.filter((axis, index) => axes.findIndex((other) => other.column === axis.column) === index)
  const columns = unique.map(({ label, type, unit }) => ({ name: label, type, ...(unit !== undefined && { unit }) }))
  const rows = answer.rows.map((row) => unique.map((axis) => row[axis.column] ?? null))
  return <RowsTable name={`Rows of ${answer.title}`} columns={columns} rows={rows} />
}
