import sqlite3InitModule, { type Database, type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import type { Cell } from '../data/table-info.ts'
import { addStatistics } from './sql-statistics.ts'
import { quoteName } from './sql-text.ts'

/** Limits of one query. */
export interface SelectOptions {
  readonly maxRows: number
  /** Characters of text in all rows together; the row that exceeds it is the last. Default: no limit. */
  readonly maxText?: number
  readonly timeLimitMs: number
}

/** What a query gave. `table` and `column` tell where a result column was taken from, if it is no expression. */
export interface Selected {
  readonly columns: readonly { readonly name: string; readonly table?: string; readonly column?: string }[]
  readonly rows: readonly (readonly Cell[])[]
  /** There were more rows than the limits allow. */
  readonly truncated: boolean
}

/** SQLite in memory: written to by us, only read by queries. */
export interface Sqlite {
  /** Run statements of our own. */
  run(sql: string): void
  /** Add rows to a table, in one transaction. */
  insertRows(table: string, rows: readonly (readonly Cell[])[]): void
  /** Run one query that must not change anything; throws what SQLite says, or that it took too long. Blocks until done. */
  select(sql: string, options: SelectOptions): Selected
}

/** Start SQLite; about 0.9 MB of WebAssembly is fetched the first time. */
export async function openSqlite(): Promise<Sqlite> {
  // Read by the library when it starts. Nothing is stored in files here, so it need not look for a way to, nor warn.
  Object.assign(globalThis, { sqlite3ApiConfig: { warn: () => {}, debug: () => {}, disable: { vfs: NO_FILES } } })
  const sqlite3 = await sqlite3InitModule()
  const database = new sqlite3.oo1.DB(':memory:')
  addStatistics(sqlite3, database)
  const guard = guardReads(sqlite3, database)
  return {
    run: (sql) => void database.exec(sql),
    insertRows: (table, rows) => insertRows(database, table, rows),
    select: (sql, options) => guard(options.timeLimitMs, () => select(sqlite3, database, sql, options)),
  }
}

const NO_FILES = { kvvfs: true, opfs: true, 'opfs-vfs': true, 'opfs-wl': true, 'opfs-sahpool': true }

/** SQLite's virtual machine steps between two looks at the clock: about every 5 ms. */
const STEPS_PER_LOOK = 100_000

type Guard = <T>(timeLimitMs: number, work: () => T) => T

/** Lets SQLite do nothing but read, and only for so long, while `work` runs. */
function guardReads({ capi }: Sqlite3Static, database: Database): Guard {
  let deadline = Number.POSITIVE_INFINITY
  let guarded = false
  const reading: ReadonlySet<number> = new Set([
    capi.SQLITE_SELECT,
    capi.SQLITE_READ,
    capi.SQLITE_FUNCTION,
    capi.SQLITE_RECURSIVE,
  ])
  const allow = (code: number): number => (!guarded || reading.has(code) ? capi.SQLITE_OK : capi.SQLITE_DENY)
  capi.sqlite3_set_authorizer(database, (_data, code) => allow(code), 0)
  capi.sqlite3_progress_handler(database, STEPS_PER_LOOK, () => (performance.now() > deadline ? 1 : 0), 0)
  return (timeLimitMs, work) => {
    guarded = true
    deadline = performance.now() + timeLimitMs
    try {
      return work()
    } catch (error) {
      throw readableError(error, performance.now() > deadline ? timeLimitMs : undefined)
    } finally {
      guarded = false
      deadline = Number.POSITIVE_INFINITY
    }
  }
}

function readableError(error: unknown, overLimitMs: number | undefined): Error {
  const text = error instanceof Error ? error.message : String(error)
  if (overLimitMs !== undefined && text.includes('interrupt')) {
    return new Error(`the query was stopped after ${overLimitMs / 1000} s. Ask for less, or join on equal columns`)
  }
  if (text.includes('not authorized')) return new Error('only reading is allowed: one SELECT, no PRAGMA, no changes')
  // "SQLITE_ERROR: sqlite3 result code 1: no such column: x": only the last part says anything.
  return new Error(text.replace(/^SQLITE_\w+: (sqlite3 result code \d+: )?/, ''))
}

function select({ capi }: Sqlite3Static, database: Database, sql: string, options: SelectOptions): Selected {
  const { maxRows, maxText = Number.POSITIVE_INFINITY } = options
  const statement = database.prepare(sql)
  try {
    refuseTail(sql, capi.sqlite3_sql(statement) ?? sql)
    const columns = statement.getColumnNames([]).map((name, index) => {
      const table = capi.sqlite3_column_table_name(statement, index)
      const column = capi.sqlite3_column_origin_name(statement, index)
      return table && column ? { name, table, column } : { name }
    })
    const rows: Cell[][] = []
    let text = 0
    let more = statement.step()
    while (more && rows.length < maxRows && text <= maxText) {
      const row = statement.get([]).map(toCell)
      rows.push(row)
      for (const cell of row) text += typeof cell === 'string' ? cell.length : 8
      more = statement.step()
    }
    return { columns, rows, truncated: more }
  } finally {
    statement.finalize()
  }
}

/** `prepare` takes the first statement and drops the rest without a word. */
function refuseTail(sql: string, first: string): void {
  const tail = sql.slice(first.length).replace(/--[^\n]*|\/\*[\s\S]*?\*\/|;/g, '')
  if (tail.trim() !== '') throw new Error('one query at a time: there is more text after the first ";"')
}

function toCell(value: unknown): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Uint8Array ? `(${value.byteLength} bytes)` : String(value)
}

function insertRows(database: Database, table: string, rows: readonly (readonly Cell[])[]): void {
  const width = rows[0]?.length ?? 0
  if (width === 0) return
  const marks = Array.from({ length: width }, () => '?').join(',')
  database.transaction(() => {
    const statement = database.prepare(`INSERT INTO ${quoteName(table)} VALUES (${marks})`)
    try {
      for (const row of rows) statement.bind([...row]).stepReset()
    } finally {
      statement.finalize()
    }
  })
}
