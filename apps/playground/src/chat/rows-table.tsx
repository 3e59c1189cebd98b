import { type ReactElement, useState } from 'react'
import { Button } from '../app/button.tsx'
import { plural } from '../app/format.ts'
import { ScrollRegion } from '../app/scroll-region.tsx'
import type { AnswerColumn } from '../tools/answers.ts'
import styles from './rows-table.module.css'

type Cell = string | number | null

interface RowsTableProps {
  name: string
  columns: readonly Pick<AnswerColumn, 'name' | 'type' | 'unit'>[]
  rows: readonly (readonly Cell[])[]
}

const FIRST_ROWS = 10

/** Rows as a table: figures aligned, wide ones scroll, long ones open on request. */
export function RowsTable({ name, columns, rows }: RowsTableProps): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const places = columns.map((_, place) => decimalsOf(rows, place))
  const shown = isWhole ? rows : rows.slice(0, FIRST_ROWS)
  return (
    <div className={styles.frame}>
      <ScrollRegion name={name} className={styles.scroll}>
        <table className={styles.table}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.name} scope="col" data-figures={column.type === 'number' || undefined}>
                  {column.name}
                  {column.unit && <span className={styles.unit}> {column.unit}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity and never move
              <tr key={index}>
                {columns.map((column, place) => (
                  <td key={column.name} data-figures={column.type === 'number' || undefined}>
                    {showCell(row[place] ?? null, places[place] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {rows.length > FIRST_ROWS && !isWhole && (
        <Button look="quiet" size="small" onClick={() => setWhole(true)}>
          Show all {plural(rows.length, 'row')}
        </Button>
      )}
    </div>
  )
}

function showCell(cell: Cell, decimals: number): string {
  if (cell === null) return '–'
  if (typeof cell !== 'number') return cell
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return cell.toLocaleString('en', { ...digits, useGrouping: Math.abs(cell) >= 10_000 })
}

/** How many decimals the figures of a column are shown with: as many as they need, at most three significant ones. */
function decimalsOf(rows: readonly (readonly Cell[])[], place: number): number {
  const figures = rows.map((row) => row[place]).filter((cell) => typeof cell === 'number')
  if (figures.every((figure) => Number.isInteger(figure))) return 0
  const largest = Math.max(...figures.map((figure) => Math.abs(figure)))
  const wanted = largest >= 100 ? 1 : largest >= 1 ? 2 : 4
  const written = Math.max(...figures.map((figure) => String(figure).split('.')[1]?.length ?? 0))
  return Math.min(wanted, written)
}
