import type { Cell } from '../data/table-info.ts'
import type { AnswerColumn } from '../tools/answers.ts'
import { decimalsFor, formatNumber, nameOf } from './format-value.ts'

/** Rows of a table in an answer; the rest can be seen at the tool. */
const MAX_ROWS = 15

/** Rows as a Markdown table, numbers to the right, units in the head, with a line about rows that were left out. */
export function markdownTable(columns: readonly AnswerColumn[], rows: readonly (readonly Cell[])[]): string {
  const shown = rows.slice(0, MAX_ROWS)
  const head = columns.map(({ name, unit }) =>
    escapeMarkdown(unit === undefined || name.includes(`(${unit})`) ? name : `${name} (${unit})`),
  )
  const rule = columns.map(({ type }) => (type === 'number' ? '---:' : '---'))
  const writers = columns.map((column, index) =>
    cellWriter(
      column,
      shown.map((row) => row[index] ?? null),
    ),
  )
  const body = shown.map((row) => writers.map((write, index) => write(row[index] ?? null)))
  const table = [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  const hidden = rows.length - shown.length
  return hidden > 0 ? `${table}\n\n… and ${formatNumber(hidden)} more ${hidden === 1 ? 'row' : 'rows'}.` : table
}

function cellWriter(column: AnswerColumn, values: readonly Cell[]): (value: Cell) => string {
  const numbers = values.filter((value) => typeof value === 'number')
  const decimals = decimalsFor(numbers)
  const isYear = /year/i.test(column.name) && decimals === 0
  return (value) => {
    if (typeof value !== 'number') return escapeMarkdown(nameOf(value))
    return isYear ? String(value) : formatNumber(value, decimals)
  }
}

/** Keep a value from being read as Markdown. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*{}[\]<>#|~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&').replace(/\s*\n\s*/g, ' ')
}
