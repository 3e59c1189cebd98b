import { type Tool, tool } from '@turnloop/core'
import type { ExportAnswer } from './answers.ts'
import { z } from './csp-zod.ts'
import { csvText } from './csv-text.ts'
import { findTable, type TableSource } from './table-database.ts'
import { toolAnswer } from './tool-answer.ts'

/**
 * The tool that writes a table into a CSV file on the person's computer. It asks first: a file leaves the page, and a second
 * run leaves a second one.
 */
export function exportTable(source: TableSource, save: (file: Blob, name: string) => void): Tool {
  return tool({
    name: 'export_table',
    title: 'Save a table as a file',
    description:
      "Save a table as a CSV file in the user's downloads. The user is asked first, and may change the file name.",
    needsApproval: true,
    input: z.object({
      table: z.string(),
      fileName: z.string().min(1).max(100),
      maxRows: z.number().int().min(1).optional().describe('Default: all of them.'),
    }),
    execute: async ({ table, fileName, maxRows = Number.POSITIVE_INFINITY }, { signal }) => {
      const stored = await source.list()
      const info = findTable(
        stored.map((each) => each.info),
        table,
      )
      const version = stored.find(({ name }) => name === info.name)?.version ?? ''
      const lines = [csvText([info.columns.map(({ name }) => name)])]
      let rowCount = 0
      for await (const rows of source.rows(version)) {
        signal.throwIfAborted()
        const taken = rows.slice(0, maxRows - rowCount)
        lines.push(csvText(taken))
        rowCount += taken.length
        if (rowCount >= maxRows) break
      }
      const answer: ExportAnswer = { table: info.label, fileName: csvFileName(fileName), rowCount }
      save(new Blob(lines, { type: 'text/csv' }), answer.fileName)
      return toolAnswer(`Saved ${rowCount} rows of ${info.label} as ${answer.fileName}.`, answer)
    },
  })
}

/** A name that every system takes, ending in `.csv`. */
function csvFileName(wanted: string): string {
  const name = wanted.replace(/[\p{Cc}\\/:*?"<>|]+/gu, '-').trim()
  return /\.csv$/i.test(name) ? name : `${name}.csv`
}
