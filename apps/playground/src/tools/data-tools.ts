import type { Tool, ToolSource } from '@turnloop/core'
import { workerTools } from '@turnloop/worker'
import type { DataLibrary } from '../data/tables.ts'
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

/** All tools of the playground: the data worker's, and the notes, which the page keeps. */
export function playgroundTools(library: DataLibrary): (Tool | ToolSource)[] {
  return [dataTools(library), saveNoteTool, findNotesTool]
}
