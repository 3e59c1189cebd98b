/** Why a file did not become a table, or a table was not kept. */
export type TableErrorCode = 'not-a-table' | 'empty' | 'too-big' | 'broken' | 'no-room' | 'storage' | 'unreachable'

/** What adding a table throws. The message is for people: what failed, where in the file, how to mend it. */
export class TableError extends Error {
  override readonly name = 'TableError'
  readonly code: TableErrorCode

  constructor(code: TableErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
