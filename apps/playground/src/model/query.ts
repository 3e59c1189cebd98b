import type { TableColumn, TableInfo } from '../data/table-info.ts'

/** What can be worked out about a column, or about rows. */
export type Aggregate = 'average' | 'median' | 'max' | 'min' | 'sum' | 'stddev' | 'count' | 'distinct' | 'share'

/** One figure. `count` and `share` without a column are about rows. */
export interface Measure {
  readonly aggregate: Aggregate
  readonly column?: TableColumn
}

/** How dates are put together. */
export type Bucket = 'year' | 'year-month' | 'month' | 'weekday' | 'quarter'

/** What the rows are grouped by. */
export interface Grouping {
  readonly column: TableColumn
  readonly bucket?: Bucket
}

/** Which rows count. Without a column: any text column that has the value. */
export interface Condition {
  readonly column?: TableColumn
  readonly operator: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'contains' | 'missing' | 'present'
  /** Several values: any of them. None for `missing` and `present`. */
  readonly values: readonly (string | number)[]
  /** Compare the year of a date, not the date. */
  readonly year?: true
}

/** A question that groups and adds up. */
export interface FigureQuery {
  readonly kind: 'figures'
  readonly table: TableInfo
  readonly measures: readonly Measure[]
  readonly by: readonly Grouping[]
  readonly where: readonly Condition[]
  /** Which groups come first, and how many of them are asked for. */
  readonly order?: { readonly end: 'max' | 'min'; readonly count?: number }
}

/** A question for single rows, ordered by a column. */
export interface RowQuery {
  readonly kind: 'rows'
  readonly table: TableInfo
  readonly orderBy?: TableColumn
  readonly end: 'max' | 'min'
  readonly count: number
  readonly where: readonly Condition[]
}

/** How strongly two number columns go together. */
export interface CorrelationQuery {
  readonly kind: 'correlation'
  readonly table: TableInfo
  readonly a: TableColumn
  readonly b: TableColumn
  readonly by: readonly Grouping[]
  readonly where: readonly Condition[]
}

/** What a question asks for, read from its words. */
export type Query = FigureQuery | RowQuery | CorrelationQuery
