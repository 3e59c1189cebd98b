import type { SampleId } from './samples.ts'
import type { TableErrorCode } from './table-error.ts'
import type { TableInfo } from './table-info.ts'

/** What the page asks its reading worker: one file, then the worker is done with. */
export interface IngestRequest {
  readonly file: Blob
  readonly fileName: string
  /** Wanted name in SQL. */
  readonly name: string
  readonly label: string
  readonly sampleId?: SampleId
  readonly units: Readonly<Record<string, string>>
}

/** What the worker answers: progress any number of times, then one of the other two. */
export type IngestReply =
  | { readonly type: 'progress'; readonly readRows: number }
  | { readonly type: 'done'; readonly info: TableInfo }
  | { readonly type: 'failed'; readonly code: TableErrorCode; readonly message: string }
