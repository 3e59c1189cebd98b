import type { IngestRequest } from './ingest-protocol.ts'
import { SAMPLE_FILES } from './sample-files.ts'
import { SAMPLES, type SampleId } from './samples.ts'
import { TableError } from './table-error.ts'
import { MAX_FILE_BYTES } from './table-info.ts'
import { tableLabel, tableName } from './table-name.ts'

/** What to read for a file of the visitor's. Throws `TableError` `too-big` or `empty` by its size, before reading any of it. */
export function requestForFile(file: File): IngestRequest {
  if (file.size > MAX_FILE_BYTES) throw tooBig(file)
  if (file.size === 0) throw new TableError('empty', `${file.name} is empty.`)
  return { file, fileName: file.name, name: tableName(file.name), label: tableLabel(file.name), units: {} }
}

/** What to read for a data set that ships, once it has been fetched. Throws `TableError` `unreachable`. */
export async function requestForSample(id: SampleId): Promise<IngestRequest> {
  const { url, fileName, units } = SAMPLE_FILES[id]
  const label = sampleLabel(id)
  return { file: await fetchSample(url, label), fileName, name: id, label, sampleId: id, units }
}

/** What people call a data set that ships. */
export function sampleLabel(id: SampleId): string {
  return SAMPLES.find((sample) => sample.id === id)?.label ?? id
}

async function fetchSample(url: string, label: string): Promise<Blob> {
  try {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`the server answered ${response.status}`)
    return await response.blob()
  } catch (cause) {
    throw new TableError('unreachable', `The data set “${label}” could not be loaded. Are you offline?`, { cause })
  }
}

function tooBig(file: File): TableError {
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MB`
  return new TableError(
    'too-big',
    `${file.name} has ${megabytes(file.size)}; this page reads files up to ${megabytes(MAX_FILE_BYTES)}. Drop a part of it.`,
  )
}
