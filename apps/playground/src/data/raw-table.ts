import { TableError } from './table-error.ts'
import { MAX_COLUMNS, MAX_ROWS } from './table-info.ts'

/** A value as the file has it, before anyone asked what its column holds. */
export type RawCell = string | number | boolean | null

/** A file taken apart: names, and rows of equal length. */
export interface RawTable {
  readonly names: readonly string[]
  readonly rows: readonly (readonly RawCell[])[]
  /** Values are separated by semicolons, as programs do where a comma separates the decimals. */
  readonly decimalComma: boolean
}

/** The file that is being read, for messages. */
export interface SourceText {
  readonly fileName: string
  readonly text: string
  /** Called now and then with the number of rows read so far. */
  onRows?(count: number): void
}

/** Rows between two calls of `onRows`. */
export const ROWS_PER_REPORT = 20_000

/** Make column names usable: trimmed, none empty, none twice (SQLite compares them without case). */
export function columnNames(header: readonly string[]): string[] {
  const taken = new Set<string>()
  return header.map((raw, index) => {
    const base = raw.trim().replace(/\s+/g, ' ') || `column_${index + 1}`
    let name = base
    for (let copy = 2; taken.has(name.toLowerCase()); copy += 1) name = `${base}_${copy}`
    taken.add(name.toLowerCase())
    return name
  })
}

/** Throw `too-big` when a file has more rows than are read. */
export function checkRowCount(count: number, fileName: string): void {
  if (count <= MAX_ROWS) return
  throw new TableError(
    'too-big',
    `${fileName} has more than ${MAX_ROWS.toLocaleString('en')} rows, the most this page reads. Drop a part of it.`,
  )
}

/** Throw `too-big` when a file has more columns than are read. */
export function checkColumnCount(count: number, fileName: string): void {
  if (count <= MAX_COLUMNS) return
  throw new TableError('too-big', `${fileName} has ${count} columns; this page reads up to ${MAX_COLUMNS}.`)
}
