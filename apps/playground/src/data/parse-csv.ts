import Papa from 'papaparse'
import {
  checkColumnCount,
  checkRowCount,
  columnNames,
  type RawTable,
  ROWS_PER_REPORT,
  type SourceText,
} from './raw-table.ts'
import { TableError } from './table-error.ts'

/**
 * Read separated values: commas, tabs, semicolons or bars, found out from the text.
 *
 * The first line names the columns, unless all of it is numbers. A row that is too short is filled with missing values;
 * one that is too long, or a quote that never closes, throws `broken` with its line.
 */
export function parseCsv(source: SourceText): RawTable {
  const { rows, delimiter } = splitRows(source)
  const [first, ...rest] = rows
  if (first === undefined) throw new TableError('empty', `${source.fileName} is empty.`)
  refuseProse(first, source.fileName)
  const hasHeader = !first.every(isNumeric)
  const names = columnNames(hasHeader ? first : first.map(() => ''))
  checkColumnCount(names.length, source.fileName)
  const body = hasHeader ? rest : rows
  if (body.length === 0) {
    throw new TableError('empty', `${source.fileName} has a line of column names and no rows below it.`)
  }
  for (const row of body) while (row.length < names.length) row.push('')
  return { names, rows: body, decimalComma: delimiter === ';' }
}

function splitRows({ fileName, text, onRows }: SourceText): { rows: string[][]; delimiter: string } {
  const rows: string[][] = []
  let delimiter = ','
  let rowStart = 0
  Papa.parse<string[]>(text, {
    delimitersToGuess: [',', '\t', ';', '|'],
    skipEmptyLines: 'greedy',
    step: ({ data, errors, meta }) => {
      delimiter = meta.delimiter
      const quote = errors.find((error) => error.type === 'Quotes')
      const width = rows[0]?.length ?? data.length
      while (data.length > width && data.at(-1)?.trim() === '') data.pop()
      if (quote !== undefined || data.length > width) {
        throw brokenRow(fileName, lineAt(text, rowStart), quote?.code ?? { found: data.length, expected: width })
      }
      rows.push(data)
      rowStart = meta.cursor
      checkRowCount(rows.length - 1, fileName)
      if (rows.length % ROWS_PER_REPORT === 0) onRows?.(rows.length)
    },
  })
  return { rows, delimiter }
}

function brokenRow(fileName: string, line: number, what: string | { found: number; expected: number }): TableError {
  const where = `${fileName}, line ${line}`
  if (typeof what === 'object') {
    const fix = 'If a value holds the separator, put it in double quotes.'
    return new TableError(
      'broken',
      `${where}: this row has ${what.found} values, but the first line has ${what.expected}. ${fix}`,
    )
  }
  if (what === 'MissingQuotes') return new TableError('broken', `${where}: a double quote opens here and never closes.`)
  return new TableError('broken', `${where}: text follows a closing double quote. Write a quote inside a value twice.`)
}

/** The line, counted from 1, of a position; line breaks at the position itself belong to what came before. */
function lineAt(text: string, position: number): number {
  let line = 1
  let index = 0
  const start = position + (/^[\r\n\s]*/.exec(text.slice(position, position + 1000))?.[0].length ?? 0)
  for (index = text.indexOf('\n'); index !== -1 && index < start; index = text.indexOf('\n', index + 1)) line += 1
  return line
}

function isNumeric(value: string): boolean {
  return value.trim() !== '' && Number.isFinite(Number(value))
}

/** A text without any separator is taken for a table only if its name says that it is one. */
function refuseProse(first: readonly string[], fileName: string): void {
  if (first.length > 1 || /\.(csv|tsv|tab)$/i.test(fileName)) return
  throw new TableError(
    'not-a-table',
    `${fileName} has no columns: no comma, tab or semicolon separates values in its first line. Drop a CSV, TSV or JSON file.`,
  )
}
