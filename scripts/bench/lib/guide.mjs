import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { repository } from '../../report.mjs'

/**
 * Put tables into docs/benchmarks.md, between the marks of that name, with the day and the machine of the run.
 *
 * Throws where the marks are missing.
 *
 * @param {'loop' | 'react' | 'start' | 'storage'} name
 * @param {string} tables
 * @param {string} run What else is to be known of the run.
 */
export function writeFigures(name, tables, run) {
  const path = join(repository, 'docs', 'benchmarks.md')
  const guide = readFileSync(path, 'utf8')
  const marks = [`<!-- ${name} figures: written by npm run bench -->`, `<!-- end of ${name} figures -->`]
  const [start = -1, end = -1] = marks.map((mark) => guide.indexOf(mark))
  if (start < 0 || end < start) throw new Error(`docs/benchmarks.md has no place for the ${name} figures.`)
  const before = guide.slice(0, start + (marks[0]?.length ?? 0))
  const today = new Date().toISOString().slice(0, 10)
  const about = `${today}, ${cpus().length} cores, ${run}.`
  writeFileSync(path, `${before}\n\n${about}\n\n${tables.trim()}\n\n${guide.slice(end)}`)
}
