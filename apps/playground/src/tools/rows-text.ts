import type { Cell } from '../data/table-info.ts'

/**
 * Rows as a model reads them with few tokens: a line of names, a line per row, values between bars.
 *
 * Numbers are cut to six digits that count and texts to 200 characters; at most `maxRows` rows, with a last line that
 * says what is missing.
 */
export function rowsText(names: readonly string[], rows: readonly (readonly Cell[])[], maxRows: number): string {
  const lines = [names, ...rows.slice(0, maxRows)].map((row) => row.map(cellText).join(' | '))
  if (rows.length > maxRows) lines.push(`(${rows.length - maxRows} more rows are not shown)`)
  return lines.join('\n')
}

const MAX_CELL = 200

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(Number.isInteger(cell) ? cell : Number(cell.toPrecision(6)))
  const text = cell.replace(/\s+/g, ' ')
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text
}
