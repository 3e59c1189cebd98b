import { randomId } from '../app/random-id.ts'
import { openPlaygroundDatabase, type StoredTable } from './database.ts'
import type { Cell, TableContent, TableInfo } from './table-info.ts'

/** Rows per record: large enough to be few, small enough not to stall a read. */
const CHUNK_ROWS = 5_000

/** Keep a table, all of it or nothing. If its name is taken, it gets a number; the table as kept is returned. */
export async function storeTable(
  info: Omit<TableInfo, 'columns' | 'rowCount'>,
  content: TableContent,
): Promise<TableInfo> {
  const database = await openPlaygroundDatabase()
  const transaction = database.transaction(['tables', 'chunks'], 'readwrite')
  const tables = transaction.objectStore('tables')
  const chunks = transaction.objectStore('chunks')
  const taken = new Set(await tables.getAllKeys())
  const stored: TableInfo = {
    ...info,
    name: freeName(info.name, taken),
    rowCount: content.rows.length,
    columns: content.columns,
  }
  const version = randomId()
  const writes: Promise<unknown>[] = [tables.add({ name: stored.name, info: stored, version, addedAt: Date.now() })]
  for (let start = 0; start < content.rows.length; start += CHUNK_ROWS) {
    const rows = content.rows.slice(start, start + CHUNK_ROWS)
    writes.push(chunks.add({ version, index: start / CHUNK_ROWS, rows }))
  }
  // A failed write fails the transaction too; awaiting both leaves no rejection without an owner.
  await Promise.all([...writes, transaction.done])
  return stored
}

/** The tables that are kept, oldest first. */
export async function listStoredTables(): Promise<StoredTable[]> {
  const database = await openPlaygroundDatabase()
  const tables = await database.getAll('tables')
  return tables.sort((a, b) => a.addedAt - b.addedAt || (a.name < b.name ? -1 : 1))
}

/** The rows of a table, chunk by chunk, so that a large one is never in memory twice. */
export async function* readStoredRows(version: string): AsyncGenerator<readonly (readonly Cell[])[]> {
  const database = await openPlaygroundDatabase()
  for (let index = 0; ; index += 1) {
    const chunk = await database.get('chunks', [version, index])
    if (chunk === undefined) return
    yield chunk.rows
  }
}

/** Forget a table and its rows. */
export async function removeStoredTable(name: string): Promise<void> {
  const database = await openPlaygroundDatabase()
  const transaction = database.transaction(['tables', 'chunks'], 'readwrite')
  const table = await transaction.objectStore('tables').get(name)
  if (table !== undefined) {
    await transaction.objectStore('tables').delete(name)
    await transaction.objectStore('chunks').delete(IDBKeyRange.bound([table.version, 0], [table.version, Infinity]))
  }
  await transaction.done
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let copy = 2; taken.has(name); copy += 1) name = `${wanted}_${copy}`
  return name
}
