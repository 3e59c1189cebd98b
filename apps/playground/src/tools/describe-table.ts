import { type Tool, tool } from '@turnloop/core'
import type { Cell, TableColumn, TableInfo } from '../data/table-info.ts'
import type { ColumnProfile, DescribeAnswer } from './answers.ts'
import { z } from './csp-zod.ts'
import { QUERY_LIMIT_MS } from './query-table.ts'
import { rowsText } from './rows-text.ts'
import { quoteName } from './sql-text.ts'
import { findTable, type TableDatabase } from './table-database.ts'
import { toolAnswer } from './tool-answer.ts'

const SAMPLE_ROWS = 5
const COMMON_VALUES = 5

/** The tool that tells what is in a table. */
export function describeTable(database: () => Promise<TableDatabase>): Tool {
  return tool({
    name: 'describe_table',
    title: 'Describe a table',
    description:
      'Columns of a table with types, units, ranges, missing values, frequent values, and its first rows. Call it before querying a table you have not seen.',
    effect: 'read',
    input: z.object({ table: z.string().describe('Name of the table.') }),
    execute: async ({ table: name }, { signal, progress }) => {
      const tables = await database()
      const table = findTable(await tables.tables(), name)
      const columns: ColumnProfile[] = []
      for (const [index, column] of table.columns.entries()) {
        progress({ label: `Looking at ${column.name}…`, done: index, total: table.columns.length })
        columns.push(await profileColumn(tables, table, column))
        // The profile of a wide table takes many queries: Stop is heard between them.
        signal.throwIfAborted()
      }
      const sample = await rowsOf(tables, `SELECT * FROM ${quoteName(table.name)}`, SAMPLE_ROWS)
      const { label, rowCount } = table
      const answer: DescribeAnswer = { table: table.name, label, rowCount, columns, sampleRows: sample }
      return toolAnswer(describeText(answer), answer)
    },
  })
}

async function profileColumn(tables: TableDatabase, table: TableInfo, column: TableColumn): Promise<ColumnProfile> {
  const name = quoteName(column.name)
  const from = `FROM ${quoteName(table.name)}`
  const isNumber = column.type === 'number'
  const [[missing, distinct, min, max, mean] = []] = await rowsOf(
    tables,
    `SELECT count(*) - count(${name}), count(DISTINCT ${name}), min(${name}), max(${name}), ${isNumber ? `avg(${name})` : 'NULL'} ${from}`,
    1,
  )
  const counts = { missing: Number(missing ?? 0), distinct: Number(distinct ?? 0) }
  if (isNumber || column.type === 'date') {
    return {
      ...column,
      ...counts,
      ...(min != null && { min }),
      ...(max != null && { max }),
      ...(typeof mean === 'number' && { mean }),
    }
  }
  const frequent = await rowsOf(
    tables,
    `SELECT ${name}, count(*) ${from} WHERE ${name} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1`,
    COMMON_VALUES,
  )
  const common = frequent.flatMap(([value, count]) => (value == null ? [] : [{ value, count: Number(count) }]))
  return { ...column, ...counts, common }
}

async function rowsOf(tables: TableDatabase, sql: string, maxRows: number): Promise<readonly (readonly Cell[])[]> {
  return (await tables.select(sql, { maxRows, timeLimitMs: QUERY_LIMIT_MS })).rows
}

function describeText({ table, label, rowCount, columns, sampleRows }: DescribeAnswer): string {
  const names = columns.map((column) => column.name)
  return [
    `${quoteName(table)} (${label}): ${rowCount} rows, ${columns.length} columns.`,
    ...columns.map(profileText),
    'First rows:',
    rowsText(names, sampleRows, SAMPLE_ROWS),
  ].join('\n')
}

function profileText({ name, type, unit, missing, distinct, min, max, mean, common }: ColumnProfile): string {
  const facts = [
    unit === undefined ? type : `${type} in ${unit}`,
    `${distinct} different`,
    ...(missing > 0 ? [`${missing} missing`] : []),
    ...(min === undefined ? [] : [`${min} to ${max}`]),
    ...(mean === undefined ? [] : [`mean ${Number(mean.toPrecision(5))}`]),
    ...(common === undefined ? [] : [common.map(({ value, count }) => `${value} (${count})`).join(', ')]),
  ]
  return `${quoteName(name)}: ${facts.join('; ')}`
}
