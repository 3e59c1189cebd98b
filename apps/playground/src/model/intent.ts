import type { JsonObject } from '@turnloop/core'
import type { TableColumn, TableInfo } from '../data/table-info.ts'
import type { ChartKind } from '../tools/answers.ts'
import type { Aggregate, Condition, FigureQuery, Query } from './query.ts'

/** Whether, and how, the answer is to be drawn. */
export interface ChartWish {
  /** Absent: whatever suits the answer. */
  readonly kind?: ChartKind
}

/** What a person wants, as far as rules can tell. */
export type Intent =
  | { readonly kind: 'greeting' | 'thanks' | 'help' | 'list-tables' | 'fail' | 'no-tables' | 'unknown' }
  | { readonly kind: 'describe'; readonly table: TableInfo }
  | { readonly kind: 'query'; readonly query: Query; readonly chart?: ChartWish; readonly ignored: readonly string[] }
  /** Several figures side by side, asked for in parallel. */
  | { readonly kind: 'compare'; readonly queries: readonly FigureQuery[]; readonly ignored: readonly string[] }
  /** Draw rows as they are: no figures are worked out. */
  | {
      readonly kind: 'plot'
      readonly table: TableInfo
      readonly chart: 'scatter' | 'histogram' | 'line'
      readonly x: TableColumn
      readonly y?: TableColumn
      readonly color?: TableColumn
      readonly where: readonly Condition[]
    }
  | { readonly kind: 'chart-last'; readonly chart: ChartWish }
  | { readonly kind: 'calculate'; readonly expression: string }
  /** Without a text: the answer before. */
  | { readonly kind: 'save-note'; readonly text?: string }
  | { readonly kind: 'find-notes'; readonly query?: string }
  | { readonly kind: 'slow-count'; readonly to: number }
  | { readonly kind: 'export'; readonly table: TableInfo; readonly fileName: string }
  | { readonly kind: 'run-code'; readonly code: string }
  /** Hand a question to the second agent. */
  | { readonly kind: 'ask-analyst'; readonly task: string }
  /** A tool by its name, or by the server's own; whichever there are. */
  | { readonly kind: 'call-tool'; readonly name: string; readonly input: JsonObject }
  /** Ask the person something, and note the answer. */
  | { readonly kind: 'ask-me' }
  | { readonly kind: 'unknown-column'; readonly table: TableInfo; readonly words: readonly string[] }
  | {
      readonly kind: 'not-a-number'
      readonly table: TableInfo
      readonly column: TableColumn
      readonly aggregate: Aggregate
    }

/** What the words alone do not say. */
export interface IntentContext {
  readonly tables: readonly TableInfo[]
  /** The question about data before this one, for "and by cylinders?". */
  readonly previous?: Intent
}
