import { type Tool, tool } from '@turnloop/core'
import { answerColumns } from './answer-columns.ts'
import type { ProgressLine, QueryAnswer } from './answers.ts'
import { z } from './csp-zod.ts'
import { rowsText } from './rows-text.ts'
import type { TableDatabase } from './table-database.ts'
import { toolAnswer } from './tool-answer.ts'

/** How long one query may run. SQLite cannot hear Stop while it works; this ends what nobody stops. */
export const QUERY_LIMIT_MS = 20_000

const MAX_ROWS = 1_000

/** Rows are kept with the conversation: this many characters of them are enough. */
const MAX_TEXT = 500_000
const MODEL_ROWS = 100

const description = `Run one read-only SQL query (SQLite) over the user's tables. Also there: median(x), stddev(x), corr(x, y), sqrt(x).
Dates are ISO text ('2012-03-01'); use strftime('%Y', col). Booleans are 1 and 0. Quote names in double quotes, text in single quotes.
Aggregate in SQL rather than asking for many rows: at most ${MAX_ROWS} come back.`

/** The tool that runs SQL over the tables. */
export function queryTable(database: () => Promise<TableDatabase>): Tool {
  return tool({
    name: 'query_table',
    title: 'Query a table',
    description,
    effect: 'read',
    input: z.object({
      sql: z.string().describe('One SELECT.'),
      maxRows: z.number().int().min(1).max(MAX_ROWS).optional().describe(`Default ${MAX_ROWS}.`),
    }),
    execute: async ({ sql, maxRows = MAX_ROWS }, { signal, progress }) => {
      const tables = await database()
      const say = (line: ProgressLine): void => progress({ ...line })
      const selected = await tables.select(sql, {
        maxRows,
        maxText: MAX_TEXT,
        timeLimitMs: QUERY_LIMIT_MS,
        onLoad: ({ label, rowCount: total }, done) =>
          say({ label: `Reading ${label}, ${total.toLocaleString('en')} rows…`, done, total }),
      })
      signal.throwIfAborted()
      const columns = answerColumns(selected, await tables.tables())
      const { rows, truncated } = selected
      const note = truncated ? `Only the first ${rows.length} rows; there are more.` : undefined
      const answer: QueryAnswer = {
        sql,
        columns,
        rows,
        rowCount: rows.length,
        truncated,
        ...(note !== undefined && { note }),
      }
      const names = columns.map(({ name, unit }) => (unit === undefined ? name : `${name} [${unit}]`))
      const text = rows.length === 0 ? 'No rows.' : rowsText(names, rows, MODEL_ROWS)
      return toolAnswer(note === undefined ? text : `${text}\n${note}`, answer)
    },
  })
}
