import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseTable } from '../src/data/parse-table.ts'
import type { TableContent, TableInfo } from '../src/data/table-info.ts'
import { openSqlite } from '../src/tools/sqlite.ts'
import { TableDatabase } from '../src/tools/table-database.ts'
import { cars, penguins, weather } from './sample-tables.ts'

const FILES: Readonly<Record<string, string>> = {
  cars: 'cars.json',
  weather: 'seattle-weather.csv',
  penguins: 'penguins.json',
}

/** The content of a data set that ships, read as the page reads it. */
export function sampleContent(name: string): TableContent {
  const fileName = FILES[name] ?? ''
  const url = new URL(`../../../node_modules/vega-datasets/data/${fileName}`, import.meta.url)
  return parseTable({ fileName, text: readFileSync(fileURLToPath(url), 'utf8') })
}

/** The data sets that ship in SQLite, without a browser. */
export async function sampleDatabase(tables: readonly TableInfo[] = [cars, weather, penguins]): Promise<TableDatabase> {
  const stored = tables.map((info) => ({ name: info.name, info, version: info.name, addedAt: 0 }))
  return new TableDatabase(await openSqlite(), {
    list: () => Promise.resolve(stored),
    async *rows(version) {
      yield sampleContent(version).rows
    },
  })
}
