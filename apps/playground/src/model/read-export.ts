import type { TableInfo } from '../data/table-info.ts'
import type { Intent } from './intent.ts'
import { nameKeys, toWords } from './words.ts'

/** Understand "export the cars as CSV", "save the weather to rain.csv", "download it". */
export function readExport(text: string, tables: readonly TableInfo[]): Intent | undefined {
  const asked =
    /^(?:please )?(?:export|download)\b(.*)$/i.exec(text) ??
    /^(?:please )?save (.+ (?:as|to|in|into) (?:an? )?(?:csv|file|.+\.csv)\b.*)$/i.exec(text)
  const rest = asked?.[1]
  if (rest === undefined) return undefined
  const named = /\b(?:as|to|in|into) [“"']?([^\s“”"'][^“”"']*\.csv)\b/i.exec(rest)
  const what = toWords(named === null ? rest : rest.slice(0, named.index)).map(({ key }) => key)
  const table = namedTable(what, tables)
  if (table === undefined) return tables.length === 0 ? { kind: 'no-tables' } : undefined
  return { kind: 'export', table, fileName: named?.[1] ?? `${table.name}.csv` }
}

/** The table that the words name; the newest where they name none. */
function namedTable(words: readonly string[], tables: readonly TableInfo[]): TableInfo | undefined {
  const said = words.filter((word) => !FILLERS.has(word))
  if (said.length === 0) return tables.at(-1)
  return tables.findLast((table) => {
    const keys = new Set([...nameKeys(table.name), ...nameKeys(table.label)])
    return said.every((word) => keys.has(word))
  })
}

const FILLERS: ReadonlySet<string> = new Set(
  'a an the this that it my all me as to in into of csv file data table row download computer'.split(' '),
)
