import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { Note } from './note.ts'
import type { Cell, TableInfo } from './table-info.ts'

/** A table as it is kept: what it is, without its rows. */
export interface StoredTable {
  readonly name: string
  readonly info: TableInfo
  /** New for every table that is stored, so that a worker sees when a name means another table. */
  readonly version: string
  /** Epoch ms, for the order in which tables are shown. */
  readonly addedAt: number
}

/** Some of a table's rows: `index` counts the chunks of a table from 0. */
export interface StoredChunk {
  readonly version: string
  readonly index: number
  readonly rows: readonly (readonly Cell[])[]
}

interface PlaygroundSchema extends DBSchema {
  tables: { key: string; value: StoredTable }
  chunks: { key: [string, number]; value: StoredChunk }
  notes: { key: string; value: Note }
}

/** The playground's own database: tables and notes. Conversations are kept elsewhere. */
export type PlaygroundDatabase = IDBPDatabase<PlaygroundSchema>

const NAME = 'turnloop-playground'

let opening: Promise<PlaygroundDatabase> | undefined

/**
 * The database of this browser, opened once per page or worker and again after the browser closed it.
 *
 * Rejects when the browser has none to give (a private window, a blocked site, a newer version in another tab).
 */
export function openPlaygroundDatabase(): Promise<PlaygroundDatabase> {
  opening ??= openNow().catch((error: unknown) => {
    opening = undefined
    throw error
  })
  return opening
}

async function openNow(): Promise<PlaygroundDatabase> {
  const database: PlaygroundDatabase = await openDB<PlaygroundSchema>(NAME, 1, {
    upgrade(fresh) {
      fresh.createObjectStore('tables', { keyPath: 'name' })
      fresh.createObjectStore('chunks', { keyPath: ['version', 'index'] })
      fresh.createObjectStore('notes', { keyPath: 'id' })
    },
    // A newer page or a "delete all" waits for this connection: let it through, and open again when asked.
    blocking: () => {
      opening = undefined
      database.close()
    },
    terminated: () => {
      opening = undefined
    },
  })
  return database
}
