import { inferColumns } from './infer-columns.ts'
import { parseCsv } from './parse-csv.ts'
import { parseJson } from './parse-json.ts'
import type { SourceText } from './raw-table.ts'
import { TableError } from './table-error.ts'
import type { TableContent } from './table-info.ts'

/**
 * Read a table out of the text of a CSV, TSV, JSON or JSON-lines file.
 *
 * The name's ending decides between CSV and JSON; other names go by the first character. Throws `TableError`:
 * `not-a-table`, `empty`, `too-big`, `broken`.
 */
export function parseTable(source: SourceText): TableContent {
  const start = source.text.trimStart().charAt(0)
  if (start === '') throw new TableError('empty', `${source.fileName} is empty.`)
  if (start === '<') {
    throw new TableError('not-a-table', `${source.fileName} is a web page or XML. Drop a CSV, TSV or JSON file.`)
  }
  return inferColumns(isJson(source.fileName, start) ? parseJson(source) : parseCsv(source))
}

function isJson(fileName: string, start: string): boolean {
  if (/\.(json|jsonl|ndjson)$/i.test(fileName)) return true
  if (/\.(csv|tsv|tab)$/i.test(fileName)) return false
  return start === '[' || start === '{'
}
