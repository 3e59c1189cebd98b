import type { JsonObject, JsonValue } from '@turnloop/core'
import type { Note } from '../data/note.ts'
import type { ColumnType } from '../data/table-info.ts'

/** What a tool shows while it runs, as its progress update: one line of words, and how far it is, where that is known. */
export interface ProgressLine {
  readonly label: string
  readonly done?: number
  readonly total?: number
}

/** One column of a query's answer. `unit` is known when the column came straight out of a table. */
export interface AnswerColumn {
  readonly name: string
  readonly type: ColumnType
  readonly unit?: string
}

/** `structuredContent` of `query_table`. */
export interface QueryAnswer {
  readonly sql: string
  readonly columns: readonly AnswerColumn[]
  /** Values in the order of `columns`; `null` is missing, dates are ISO text, booleans are 0 and 1. */
  readonly rows: readonly (readonly (string | number | null)[])[]
  /** How many rows are here; with `truncated`, there were more. */
  readonly rowCount: number
  readonly truncated: boolean
  /** What a reader has to know about these rows, in a sentence. */
  readonly note?: string
}

/** One column as `describe_table` sees it. */
export interface ColumnProfile extends AnswerColumn {
  readonly missing: number
  readonly distinct: number
  /** Smallest and largest number or date. */
  readonly min?: string | number
  readonly max?: string | number
  readonly mean?: number
  /** The most frequent values of a text or boolean column. */
  readonly common?: readonly { readonly value: string | number; readonly count: number }[]
}

/** `structuredContent` of `describe_table`. */
export interface DescribeAnswer {
  readonly table: string
  readonly label: string
  readonly rowCount: number
  readonly columns: readonly ColumnProfile[]
  /** The first rows, in the order of `columns`. */
  readonly sampleRows: readonly (readonly (string | number | null)[])[]
}

/** How a chart can be drawn. */
export type ChartKind = 'bar' | 'line' | 'scatter' | 'histogram'

/** One axis, or the colour scale: the key it reads in every row, and what to write beside it. */
export interface ChartAxis {
  readonly column: string
  readonly label: string
  readonly type: ColumnType
  readonly unit?: string
}

/** `structuredContent` of `draw_chart`: checked and ready to draw. A histogram has no `y`: it counts rows. */
export interface ChartAnswer {
  readonly kind: ChartKind
  readonly title: string
  readonly x: ChartAxis
  readonly y?: ChartAxis
  readonly color?: ChartAxis
  /** One object per mark, by column name. Dates are ISO text. */
  readonly rows: readonly Readonly<Record<string, string | number | null>>[]
  readonly rowCount: number
  /** What a reader has to know about these rows: that they are a sample, that some were left out. */
  readonly note?: string
  readonly sql?: string
}

/** `structuredContent` of `calculate`. */
export interface CalculateAnswer {
  readonly expression: string
  readonly value: number | boolean
}

/** `structuredContent` of `save_note`. */
export interface SaveNoteAnswer {
  readonly note: Note
}

/** `structuredContent` of `find_notes`: newest first. */
export interface FindNotesAnswer {
  readonly query?: string
  readonly notes: readonly Note[]
}

/** `structuredContent` of `export_table`: what was saved, under which name. */
export interface ExportAnswer {
  readonly table: string
  readonly fileName: string
  readonly rowCount: number
}

/** `structuredContent` of `slow_count`. */
export interface SlowCountAnswer {
  readonly countedTo: number
}

/** `structuredContent` of `run_javascript`: what the code came to, what it wrote to the console, or why there is no value. */
export interface CodeAnswer {
  readonly value: JsonValue
  readonly console?: string
  readonly note?: string
}

/** An answer above as the JSON object that a tool hands over. Interfaces have no index signature; the data is JSON. */
export function asJson(answer: object): JsonObject {
  // Every answer type above holds JSON values only.
  return answer as Record<string, JsonValue>
}
