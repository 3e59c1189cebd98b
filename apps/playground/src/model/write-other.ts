import type { TableInfo } from '../data/table-info.ts'
import type { ColumnProfile, DescribeAnswer, FindNotesAnswer } from '../tools/answers.ts'
import { formatNumber, nameOf, withUnit } from './format-value.ts'
import { escapeMarkdown } from './markdown-table.ts'

/** Most columns that an answer lists; more can be seen at the tool. */
const MAX_COLUMNS = 30

/** What is in a table: its size, and a line per column. */
export function writeDescription({ label, rowCount, columns }: DescribeAnswer): string {
  const rows = columns.slice(0, MAX_COLUMNS).map((column) => {
    const missing = column.missing === 0 ? '' : formatNumber(column.missing)
    return `| ${escapeMarkdown(column.name)} | ${column.type} | ${valuesText(column)} | ${missing} |`
  })
  const hidden = columns.length - rows.length
  return [
    `**${escapeMarkdown(label)}** has ${formatNumber(rowCount)} rows and ${columns.length} columns.`,
    ['| Column | Type | Values | Missing |', '| --- | --- | --- | ---: |', ...rows].join('\n'),
    ...(hidden > 0 ? [`… and ${hidden} more columns.`] : []),
  ].join('\n\n')
}

function valuesText({ unit, min, max, mean, distinct, common = [] }: ColumnProfile): string {
  if (typeof min === 'number' && typeof max === 'number') {
    const range = `${formatNumber(min)} to ${withUnit(max, unit)}`
    return mean === undefined ? range : `${range}, mean ${formatNumber(mean)}`
  }
  if (min !== undefined && max !== undefined) return `${escapeMarkdown(String(min))} to ${escapeMarkdown(String(max))}`
  if (common.length === 0) return 'none'
  const names = common.slice(0, 3).map(({ value }) => escapeMarkdown(nameOf(value)))
  const others = distinct - names.length
  return others > 0 ? `${names.join(', ')} and ${formatNumber(others)} more` : names.join(', ')
}

/** The tables there are, a line each. */
export function writeTables(tables: readonly TableInfo[]): string {
  if (tables.length === 0) return NO_TABLES
  const lines = tables.map(
    ({ label, rowCount, columns }) =>
      `- **${escapeMarkdown(label)}**: ${formatNumber(rowCount)} rows; ${columns.map(({ name }) => escapeMarkdown(name)).join(', ')}`,
  )
  return [tables.length === 1 ? 'There is one table:' : `There are ${tables.length} tables:`, lines.join('\n')].join(
    '\n\n',
  )
}

/** What to do where there is nothing to ask about. */
export const NO_TABLES =
  'There is no table yet. Drop a CSV or JSON file into the page, or pick one of the data sets that ship with it.'

/** Notes that were found, newest first. */
export function writeNotes({ query, notes }: FindNotesAnswer): string {
  const about = query === undefined ? '' : ` about “${escapeMarkdown(query)}”`
  if (notes.length === 0) return `You have no notes${about} yet.`
  const lines = notes.map(
    ({ createdAt, text }) => `- ${new Date(createdAt).toISOString().slice(0, 10)}: ${escapeMarkdown(text)}`,
  )
  return [`You noted${about}:`, lines.join('\n')].join('\n\n')
}
