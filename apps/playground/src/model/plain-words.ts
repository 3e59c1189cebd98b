import { plainName } from '../data/plain-name.ts'
import type { TableInfo } from '../data/table-info.ts'
import type { Intent } from './intent.ts'
import { escapeMarkdown } from './markdown-table.ts'
import { suggestions } from './suggestions.ts'
import { NO_TABLES, writeTables } from './write-other.ts'

/** What needs no tool: small talk, what there is, and why a question cannot be answered. */
export function plainWords(intent: Intent, tables: readonly TableInfo[]): string {
  switch (intent.kind) {
    case 'greeting':
      return `Hello. ${WHO} ${offers(tables)}`
    case 'thanks':
      return 'You are welcome.'
    case 'help':
      return `${WHO} I can describe tables, work out figures by group, find rows, compare, correlate, draw charts, keep notes, calculate, run JavaScript, ask a second agent (“ask the analyst …”), call a tool by its name, and save a table as a file once you allow it. ${offers(tables)}`
    case 'list-tables':
      return writeTables(tables)
    case 'no-tables':
      return NO_TABLES
    case 'unknown-column':
      return `I see no column “${escapeMarkdown(intent.words.join(' '))}” in ${escapeMarkdown(intent.table.label)}. It has: ${intent.table.columns.map(({ name }) => escapeMarkdown(name)).join(', ')}.`
    case 'not-a-number':
      return `${escapeMarkdown(plainName(intent.column))} holds ${intent.column.type}, so it has no ${intent.aggregate}. I can count it: “how many rows by ${escapeMarkdown(plainName(intent.column))}”.`
    default:
      return `I cannot answer that: I follow rules about your tables, sums, notes and tools, and understand nothing else. ${offers(tables)}`
  }
}

const WHO = 'I am the practice model: no AI, only rules, and I work offline.'

/** Three things it can do, as a list. */
export function offers(tables: readonly TableInfo[]): string {
  const lines = suggestions(tables).map((text) => `- ${escapeMarkdown(text)}`)
  return `Three things I can do:\n\n${lines.join('\n')}`
}
