import { serveTools } from '@turnloop/worker/serve'
import { listStoredTables, readStoredRows } from '../data/table-store.ts'
import { calculate } from './calculate.ts'
import { describeTable } from './describe-table.ts'
import { drawChart } from './draw-chart.ts'
import { queryTable } from './query-table.ts'
import { failOnPurpose, slowCount } from './slow-count.ts'
import { openSqlite } from './sqlite.ts'
import { TableDatabase } from './table-database.ts'

// The worker that runs the data tools. It reads the tables from IndexedDB itself, so a worker that had to be ended is
// replaced by a new one without the page sending anything again.
let opening: Promise<TableDatabase> | undefined

function database(): Promise<TableDatabase> {
  opening ??= openSqlite()
    .then((sqlite) => new TableDatabase(sqlite, { list: listStoredTables, rows: readStoredRows }))
    .catch((error: unknown) => {
      opening = undefined
      throw error
    })
  return opening
}

serveTools([describeTable(database), queryTable(database), drawChart(database), calculate, slowCount, failOnPurpose])
