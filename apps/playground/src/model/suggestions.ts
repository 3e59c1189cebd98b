import { plainName } from '../data/plain-name.ts'
import type { TableInfo } from '../data/table-info.ts'

/** Three questions that the practice model can answer about these tables, the newest first. */
export function suggestions(tables: readonly TableInfo[]): string[] {
  const table = tables.at(-1)
  if (table === undefined) return ['12 % of 340', 'Slowly count to 20', 'Note that I tried the playground']
  const [number, other] = table.columns.filter(({ type, name }) => type === 'number' && !NOT_MEASURED.test(name))
  const group =
    table.columns.find(({ type, name }) => type === 'text' && !NAMES_ROWS.test(name)) ??
    table.columns.find(({ type }) => type === 'boolean' || type === 'date')
  const found = [
    ...(number && group ? [`Average ${plainName(number)} by ${plainName(group)}, and chart it`] : []),
    ...(number && other ? [`Correlation of ${plainName(number)} and ${plainName(other)}`] : []),
    ...(group && !number ? [`How many rows by ${plainName(group)}`] : []),
    `Describe the table ${table.label}`,
  ]
  return [...found, '12 % of 340', 'Slowly count to 20'].slice(0, 3)
}

const NOT_MEASURED = /\b(id|code|zip|year|index|no|nr|number)\b|_id$/i
const NAMES_ROWS = /\b(name|title|id|description|address|url|comment|text)\b|_id$/i
