import type { SampleId } from './samples.ts'

/** What a column holds. Dates are kept as ISO text, booleans as 1 and 0. */
export type ColumnType = 'number' | 'text' | 'date' | 'boolean'

/** One value of a table; `null` is missing. */
export type Cell = string | number | null

/** One column of a table. */
export interface TableColumn {
  readonly name: string
  readonly type: ColumnType
  readonly unit?: string
}

/** A table that questions can be asked about. */
export interface TableInfo {
  /** Its name in SQL; unique in this browser. */
  readonly name: string
  /** Its name for people. */
  readonly label: string
  readonly source: 'sample' | 'file'
  /** Which of the data sets that ship it is. */
  readonly sampleId?: SampleId
  readonly rowCount: number
  readonly columns: readonly TableColumn[]
}

/** A table with everything in it: what reading a file gives. */
export interface TableContent {
  readonly columns: readonly TableColumn[]
  /** Values in the order of `columns`. */
  readonly rows: readonly (readonly Cell[])[]
}

/** Largest file that is read, in bytes. */
export const MAX_FILE_BYTES: number = 50 * 1024 * 1024

/** Most rows that are read. */
export const MAX_ROWS = 1_000_000

/** Most columns that are read; SQLite takes 2,000, a person far fewer. */
export const MAX_COLUMNS = 500
