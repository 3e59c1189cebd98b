import { plainName } from '../data/plain-name.ts'
import type { Cell, ColumnType, TableInfo } from '../data/table-info.ts'
import type { AnswerColumn } from './answers.ts'
import type { Selected } from './sqlite.ts'

/**
 * What the columns of a query's answer hold.
 *
 * A column straight out of a table keeps its type and unit; any other is judged by its values, and has a unit only if
 * its name says that it is an average, extreme or sum of a column with one: "avg(Horsepower)", "max temp".
 */
export function answerColumns({ columns, rows }: Selected, tables: readonly TableInfo[]): AnswerColumn[] {
  return columns.map((column, index): AnswerColumn => {
    const table = tables.find((candidate) => candidate.name === column.table)
    const origin = table?.columns.find((candidate) => candidate.name === column.column)
    const type = origin?.type ?? typeOfValues(rows.map((row) => row[index] ?? null))
    const unit = origin === undefined ? unitByName(column.name, tables) : origin.unit
    return { name: column.name, type, ...(unit !== undefined && type === 'number' && { unit }) }
  })
}

/** What some values are: numbers, or dates as we write them, or text. */
export function typeOfValues(values: readonly (Cell | boolean | undefined)[]): ColumnType {
  const present = values.filter((value) => value !== null && value !== undefined)
  if (present.length === 0) return 'text'
  if (present.every((value) => typeof value === 'number')) return 'number'
  if (present.every((value) => typeof value === 'boolean')) return 'boolean'
  return present.every((value) => typeof value === 'string' && ISO_DATE.test(value)) ? 'date' : 'text'
}

const ISO_DATE = /^\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2})?Z?)?)?$/

const SAME_UNIT = /^(avg|average|mean|median|min|minimum|lowest|max|maximum|highest|sum|total|stddev)\b/

function unitByName(name: string, tables: readonly TableInfo[]): string | undefined {
  const words = plainWords(name)
  if (!SAME_UNIT.test(words)) return undefined
  const measure = words.replace(SAME_UNIT, '').trim()
  const columns = tables.flatMap((table) => table.columns)
  return columns.find((column) => [column.name, plainName(column)].some((said) => plainWords(said) === measure))?.unit
}

function plainWords(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim()
}
