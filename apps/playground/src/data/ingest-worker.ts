import { decodeText } from './decode-text.ts'
import type { IngestReply, IngestRequest } from './ingest-protocol.ts'
import { parseTable } from './parse-table.ts'
import { TableError } from './table-error.ts'
import type { TableContent, TableInfo } from './table-info.ts'
import { storeTable } from './table-store.ts'

// The worker that reads files: taking a large one apart would freeze the page.
addEventListener('message', ({ data }: MessageEvent<IngestRequest>) => {
  ingest(data).then(
    (info) => reply({ type: 'done', info }),
    (error: unknown) => {
      const { code, message } = toTableError(error)
      reply({ type: 'failed', code, message })
    },
  )
})

async function ingest({ file, fileName, name, label, sampleId, units }: IngestRequest): Promise<TableInfo> {
  const text = decodeText(new Uint8Array(await file.arrayBuffer()), fileName)
  const content = parseTable({ fileName, text, onRows: (readRows) => reply({ type: 'progress', readRows }) })
  reply({ type: 'progress', readRows: content.rows.length })
  const source = sampleId === undefined ? 'file' : 'sample'
  return storeTable({ name, label, source, ...(sampleId !== undefined && { sampleId }) }, withUnits(content, units))
}

function withUnits(content: TableContent, units: IngestRequest['units']): TableContent {
  const columns = content.columns.map((column) => {
    const unit = units[column.name] ?? column.unit
    return unit === undefined ? column : { ...column, unit }
  })
  return { ...content, columns }
}

function toTableError(error: unknown): TableError {
  if (error instanceof TableError) return error
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  if (name === 'QuotaExceededError') {
    return new TableError('no-room', 'This browser has no room left for the table. Remove a table or a session first.')
  }
  if (name === 'NotReadableError' || name === 'NotFoundError') {
    return new TableError('broken', 'The file could not be read: it was moved, changed or is not readable.')
  }
  return new TableError('storage', `The table could not be kept in this browser: ${message}`)
}

function reply(message: IngestReply): void {
  postMessage(message)
}
