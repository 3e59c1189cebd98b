import type { Tool, ToolSource } from '@turnloop/core'
import { workerTools } from '@turnloop/worker'
import { saveFile } from '../app/save-file.ts'
import { listStoredTables, readStoredRows } from '../data/table-store.ts'
import type { DataLibrary } from '../data/tables.ts'
import { askUserTool } from './ask-user.ts'
import { exportTable } from './export-table.ts'
import { findNotesTool, saveNoteTool } from './notes-tools.ts'

const sources = new WeakMap<DataLibrary, ToolSource>()

/**
 * The tools that run in the data worker: they read the tables of this browser, calculate and draw.
 *
 * A library has one worker, however many agents are made over it: choosing another model starts none.
 */
export function dataTools(library: DataLibrary): ToolSource {
  const there = sources.get(library)
  if (there !== undefined) return there
  const source = workerTools(() => new Worker(new URL('./data-worker.ts', import.meta.url), { type: 'module' }), {
    name: 'data tools',
  })
  sources.set(library, source)
  return source
}

let sandbox: ToolSource | undefined

/** The sandbox in which code of the model runs. Its worker starts with the first list of tools, its engine with the first call. */
function codeTools(): ToolSource {
  sandbox ??= workerTools(() => new Worker(new URL('./code-worker.ts', import.meta.url), { type: 'module' }), {
    name: 'sandbox',
  })
  return sandbox
}

/** The tools that run in the page: notes, files, and what only the person knows. */
export const pageTools: readonly Tool[] = [
  saveNoteTool,
  findNotesTool,
  exportTable({ list: listStoredTables, rows: readStoredRows }, saveFile),
  askUserTool,
]

/** All tools of the playground: the data worker's, the sandbox, and the page's own. */
export function playgroundTools(library: DataLibrary): (Tool | ToolSource)[] {
  return [dataTools(library), codeTools(), ...pageTools]
}
