import { isRecord } from './is-record.ts'
import { jsonFaultLine } from './json-fault.ts'
import {
  checkColumnCount,
  checkRowCount,
  columnNames,
  type RawCell,
  type RawTable,
  ROWS_PER_REPORT,
  type SourceText,
} from './raw-table.ts'
import { TableError } from './table-error.ts'

/**
 * Read a JSON array of objects, or an object that holds exactly one such array, or one object per line.
 *
 * The columns are the keys in the order they first appear; a key that an object lacks is a missing value; values inside
 * values are kept as JSON text. Throws `broken` with the line, `not-a-table`, or `empty`.
 */
export function parseJson(source: SourceText): RawTable {
  return tabulate(readRecords(source), source)
}

function readRecords(source: SourceText): readonly unknown[] {
  const isLines = /\.(jsonl|ndjson)$/i.test(source.fileName)
  if (isLines) return readLines(source)
  try {
    return recordsIn(JSON.parse(source.text), source.fileName)
  } catch (error) {
    if (error instanceof TableError) throw error
    if (looksLikeLines(source.text)) return readLines(source)
    throw brokenJson(source, error)
  }
}

function looksLikeLines(text: string): boolean {
  const [first] = text.trimStart().split(/\r?\n/, 1)
  try {
    return isRecord(JSON.parse(first ?? ''))
  } catch {
    return false
  }
}

function readLines({ fileName, text }: SourceText): unknown[] {
  const records: unknown[] = []
  let line = 0
  for (const content of text.split(/\r?\n/)) {
    line += 1
    if (content.trim() === '') continue
    try {
      records.push(JSON.parse(content))
    } catch (error) {
      throw new TableError('broken', `${fileName}, line ${line}: this line is not valid JSON.`, { cause: error })
    }
  }
  return records
}

function recordsIn(value: unknown, fileName: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  const lists = isRecord(value) ? Object.values(value).filter(isListOfRecords) : []
  const [only] = lists
  if (only !== undefined && lists.length === 1) return only
  // One object is one line of JSON lines.
  if (isRecord(value) && lists.length === 0 && Object.values(value).every((inner) => !Array.isArray(inner)))
    return [value]
  throw notRows(fileName)
}

function isListOfRecords(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord)
}

function tabulate(records: readonly unknown[], { fileName, onRows }: SourceText): RawTable {
  if (records.length === 0) throw new TableError('empty', `${fileName} holds an empty list.`)
  checkRowCount(records.length, fileName)
  const places = new Map<string, number>()
  const rows: RawCell[][] = []
  for (const record of records) {
    if (!isRecord(record)) throw notRows(fileName)
    const row: RawCell[] = []
    for (const [key, value] of Object.entries(record)) {
      const place = places.get(key) ?? places.size
      places.set(key, place)
      row[place] = toCell(value)
    }
    rows.push(row)
    if (rows.length % ROWS_PER_REPORT === 0) onRows?.(rows.length)
  }
  if (places.size === 0) throw new TableError('empty', `${fileName} holds objects without any values.`)
  checkColumnCount(places.size, fileName)
  for (const row of rows) for (let place = 0; place < places.size; place += 1) row[place] ??= null
  return { names: columnNames([...places.keys()]), rows, decimalComma: false }
}

function toCell(value: unknown): RawCell {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return value
  return value === null || value === undefined ? null : JSON.stringify(value)
}

function notRows(fileName: string): TableError {
  return new TableError(
    'not-a-table',
    `${fileName} is JSON, but not a list of objects. A table looks like [{"city": "Oslo", "rain": 3}, …].`,
  )
}

function brokenJson({ fileName, text }: SourceText, cause: unknown): TableError {
  return new TableError('broken', `${fileName}, line ${jsonFaultLine(text)}: this is not valid JSON.`, { cause })
}
