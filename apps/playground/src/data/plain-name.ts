import type { TableColumn } from './table-info.ts'

/** A column's name as it is read: without underscores, and without the unit that is told apart. */
export function plainName({ name, unit }: TableColumn): string {
  const spaced = name.replaceAll('_', ' ')
  return unit === undefined ? spaced : spaced.replace(new RegExp(`\\s*[([]${escapePattern(unit)}[)\\]]$`), '')
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
