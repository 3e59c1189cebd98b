import type { StoredTable } from '../data/database.ts'
import type { Cell, ColumnType, TableColumn, TableInfo } from '../data/table-info.ts'
import { quoteName } from './sql-text.ts'
import type { Selected, SelectOptions, Sqlite } from './sqlite.ts'

/** Where the tables of this browser are read from. */
export interface TableSource {
  list(): Promise<readonly StoredTable[]>
  rows(version: string): AsyncIterable<readonly (readonly Cell[])[]>
}

/** Hears how far a table is loaded. */
export type OnLoad = (table: TableInfo, rows: number) => void

/** The tables of this browser in SQLite, each loaded when it is first asked about. */
export class TableDatabase {
  readonly #sqlite: Sqlite
  readonly #source: TableSource
  /** By name: which version is loaded, or being loaded. */
  readonly #loads = new Map<string, { readonly version: string; readonly done: Promise<void> }>()

  constructor(sqlite: Sqlite, source: TableSource) {
    this.#sqlite = sqlite
    this.#source = source
  }

  /** The tables as they are kept now. */
  async tables(): Promise<readonly TableInfo[]> {
    return (await this.#source.list()).map((table) => table.info)
  }

  /**
   * Load what a query mentions and run it.
   *
   * Throws with the tables and columns there are, so that whoever wrote the query can mend it. `onLoad` hears of a table
   * that is read for the first time, with the rows read so far.
   */
  async select(sql: string, options: SelectOptions & { onLoad?: OnLoad }): Promise<Selected> {
    const stored = await this.#source.list()
    this.#forget(stored)
    const mentioned = stored.filter(({ name }) => sql.toLowerCase().includes(name.toLowerCase()))
    for (const table of mentioned) await this.#load(table, options.onLoad)
    try {
      return this.#sqlite.select(sql, options)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(`${reason}. ${schemaText(stored.map((table) => table.info))}`)
    }
  }

  /** Drop tables that were removed or replaced in the meantime. */
  #forget(stored: readonly StoredTable[]): void {
    const versions = new Set(stored.map((table) => table.version))
    for (const [name, { version }] of this.#loads) {
      if (versions.has(version)) continue
      this.#loads.delete(name)
      this.#sqlite.run(`DROP TABLE IF EXISTS ${quoteName(name)}`)
    }
  }

  /** Parallel calls share one load; one that failed is tried again by the next call. */
  #load(table: StoredTable, onLoad: OnLoad = () => {}): Promise<void> {
    const there = this.#loads.get(table.name)
    if (there !== undefined) return there.done
    const done = this.#fill(table, onLoad).catch((error: unknown) => {
      this.#loads.delete(table.name)
      throw error
    })
    this.#loads.set(table.name, { version: table.version, done })
    return done
  }

  async #fill({ info, version }: StoredTable, onLoad: OnLoad): Promise<void> {
    let loaded = 0
    onLoad(info, loaded)
    const columns = info.columns.map((column) => `${quoteName(column.name)} ${SQL_TYPES[column.type]}`)
    this.#sqlite.run(`DROP TABLE IF EXISTS ${quoteName(info.name)}`)
    this.#sqlite.run(`CREATE TABLE ${quoteName(info.name)} (${columns.join(', ')})`)
    for await (const rows of this.#source.rows(version)) {
      this.#sqlite.insertRows(info.name, rows)
      loaded += rows.length
      onLoad(info, loaded)
    }
  }
}

/** The table of that name, whatever its case; throws with the tables there are. */
export function findTable(tables: readonly TableInfo[], name: string): TableInfo {
  const wanted = name.toLowerCase()
  const found = tables.find((table) => table.name.toLowerCase() === wanted || table.label.toLowerCase() === wanted)
  if (found !== undefined) return found
  throw new Error(`There is no table ${JSON.stringify(name)}. ${schemaText(tables)}`)
}

/** The tables and their columns in a line or two, as SQL writes their names. */
export function schemaText(tables: readonly TableInfo[]): string {
  if (tables.length === 0) return 'There are no tables: ask the user to drop a file or to pick a data set.'
  const lines = tables.map((table) => `${quoteName(table.name)}(${table.columns.map(columnText).join(', ')})`)
  return `Tables: ${lines.join('; ')}`
}

function columnText({ name, type, unit }: TableColumn): string {
  return `${quoteName(name)} ${type}${unit === undefined ? '' : ` in ${unit}`}`
}

// A number column may hold whole numbers and others; NUMERIC keeps both as they are.
const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  number: 'NUMERIC',
  text: 'TEXT',
  date: 'TEXT',
  boolean: 'INTEGER',
}
