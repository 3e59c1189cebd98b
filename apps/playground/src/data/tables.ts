import { ingest } from './ingest.ts'
import type { IngestRequest } from './ingest-protocol.ts'
import { requestForFile, requestForSample, sampleLabel } from './load-source.ts'
import type { SampleId } from './samples.ts'
import { TableError } from './table-error.ts'
import type { TableInfo } from './table-info.ts'
import { listStoredTables, removeStoredTable } from './table-store.ts'

export type { Sample, SampleId } from './samples.ts'
export { SAMPLES } from './samples.ts'
export type { TableErrorCode } from './table-error.ts'
export { TableError } from './table-error.ts'
export type { ColumnType, TableColumn, TableInfo } from './table-info.ts'
export { MAX_FILE_BYTES, MAX_ROWS } from './table-info.ts'

/** What a person can see of the data: the tables, newest last, what is being read, and what went wrong last. */
export interface DataSnapshot {
  readonly tables: readonly TableInfo[]
  readonly loading?: { readonly label: string; readonly readRows?: number }
  /** For people, in a sentence. Gone when the next table is asked for. */
  readonly error?: string
}

/** The tables of this browser. They are kept in IndexedDB, so they are there again after a reload and in other tabs. */
export interface DataLibrary {
  getSnapshot(): DataSnapshot
  subscribe(listener: () => void): () => void
  /** Resolves when the tables kept from before are in the snapshot, or could not be read. Never rejects. */
  readonly ready: Promise<void>
  /** Load a data set that ships; one that is there already is returned as it is. Throws `TableError`. */
  addSample(id: SampleId): Promise<TableInfo>
  /** Read a CSV, TSV, JSON or JSON-lines file in a worker and keep it. Throws `TableError`, by size at once. */
  addFile(file: File): Promise<TableInfo>
  /** Forget a table; a name that is not there is no error. Throws `TableError` `storage`. */
  remove(name: string): Promise<void>
  /** Stop listening to other tabs. */
  dispose(): void
}

/** Open the tables of this browser; the snapshot fills once they have been read. */
export function createDataLibrary(): DataLibrary {
  return new StoredDataLibrary()
}

class StoredDataLibrary implements DataLibrary {
  readonly ready: Promise<void>
  readonly #listeners = new Set<() => void>()
  readonly #otherTabs = new BroadcastChannel('turnloop-playground-tables')
  #snapshot: DataSnapshot = { tables: [] }
  /** By version: a table that did not change stays the same object. */
  #known: ReadonlyMap<string, TableInfo> = new Map()
  #last: Promise<unknown> = Promise.resolve()

  constructor() {
    const refresh = (): Promise<void> => this.#refresh().catch((error: unknown) => void this.#failed(error))
    this.#otherTabs.onmessage = refresh
    this.ready = refresh()
  }

  // Bound, so that React can be given them as they are.
  getSnapshot = (): DataSnapshot => this.#snapshot

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async addSample(id: SampleId): Promise<TableInfo> {
    await this.ready
    return this.#inTurn(async () => {
      const there = this.#snapshot.tables.find((table) => table.sampleId === id)
      if (there !== undefined) return there
      this.#patch({ loading: { label: sampleLabel(id) }, error: undefined })
      return this.#read(await requestForSample(id))
    })
  }

  async addFile(file: File): Promise<TableInfo> {
    const request = this.#checked(() => requestForFile(file))
    return this.#inTurn(() => this.#read(request))
  }

  async remove(name: string): Promise<void> {
    try {
      await removeStoredTable(name)
      await this.#changed()
    } catch (error) {
      throw this.#failed(error)
    }
  }

  dispose(): void {
    this.#otherTabs.close()
  }

  /** One table at a time: two large files at once would fight for memory and for the line that shows progress. */
  #inTurn(work: () => Promise<TableInfo>): Promise<TableInfo> {
    const run = async (): Promise<TableInfo> => {
      try {
        const info = await work()
        await this.#changed()
        this.#patch({ loading: undefined })
        // The one in the snapshot, so that a table is the same object wherever it is met.
        return this.#snapshot.tables.find((table) => table.name === info.name) ?? info
      } catch (error) {
        this.#patch({ loading: undefined })
        throw this.#failed(error)
      }
    }
    const result = this.#last.then(run)
    this.#last = result.catch(() => {})
    return result
  }

  #read(request: IngestRequest): Promise<TableInfo> {
    const { label } = request
    this.#patch({ loading: { label }, error: undefined })
    return ingest(request, (readRows) => this.#patch({ loading: { label, readRows } }))
  }

  #checked<T>(check: () => T): T {
    try {
      return check()
    } catch (error) {
      throw this.#failed(error)
    }
  }

  async #changed(): Promise<void> {
    await this.#refresh()
    this.#otherTabs.postMessage('changed')
  }

  async #refresh(): Promise<void> {
    const stored = await listStoredTables()
    const known = this.#known
    this.#known = new Map(stored.map(({ version, info }) => [version, known.get(version) ?? info]))
    this.#patch({ tables: [...this.#known.values()] })
  }

  #failed(error: unknown): TableError {
    const known = error instanceof TableError ? error : storageError(error)
    this.#patch({ error: known.message })
    return known
  }

  #patch(change: { [Key in keyof DataSnapshot]?: DataSnapshot[Key] | undefined }): void {
    const { tables, loading, error } = { ...this.#snapshot, ...change }
    this.#snapshot = {
      tables: tables ?? [],
      ...(loading !== undefined && { loading }),
      ...(error !== undefined && { error }),
    }
    for (const listener of [...this.#listeners]) listener()
  }
}

function storageError(cause: unknown): TableError {
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new TableError('storage', `This browser does not let the page keep tables (IndexedDB: ${detail}).`, { cause })
}
