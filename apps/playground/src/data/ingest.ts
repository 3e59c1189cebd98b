import type { IngestReply, IngestRequest } from './ingest-protocol.ts'
import { TableError } from './table-error.ts'
import type { TableInfo } from './table-info.ts'

/**
 * Read a file in a worker of its own and keep it as a table.
 *
 * `onRows` hears how many rows have been read. Throws `TableError`. The worker ends with the call, whatever happens.
 */
export async function ingest(request: IngestRequest, onRows: (readRows: number) => void): Promise<TableInfo> {
  const worker = new Worker(new URL('./ingest-worker.ts', import.meta.url), { type: 'module' })
  try {
    return await new Promise<TableInfo>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<IngestReply>) => {
        if (data.type === 'progress') onRows(data.readRows)
        else if (data.type === 'done') resolve(data.info)
        else reject(new TableError(data.code, data.message))
      }
      worker.onerror = (event) => {
        event.preventDefault()
        reject(workerFailed(request.fileName, event.message))
      }
      worker.postMessage(request)
    })
  } finally {
    worker.terminate()
  }
}

/** No message: the script itself did not load. With one, the worker died, most likely for want of memory. */
function workerFailed(fileName: string, message: string | undefined): TableError {
  if (!message) {
    return new TableError('unreachable', `${fileName} was not read: a part of this page did not load. Reload the page.`)
  }
  return new TableError('broken', `${fileName} could not be read: ${message}`)
}
