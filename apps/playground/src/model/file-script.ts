import type { Message } from '@turnloop/core'
import type { Intent } from './intent.ts'
import type { Script } from './plan.ts'
import { earlierFiles, meantFiles, readFileWish, readLaterFileWish, type SeenFile } from './read-attached.ts'
import { paragraphs, say } from './script-parts.ts'
import { leftOutWords, writeFiles } from './write-attached.ts'

/** A question with the files that came with it, and what was said before. */
export interface AskedWithFiles {
  readonly question: string
  readonly files: readonly SeenFile[]
  readonly earlier: readonly Message[]
}

/** What to say of the files that a question is about; `undefined` for one that is about something else. */
export function fileScript({ question, files, earlier }: AskedWithFiles): Script | undefined {
  const known = files.length > 0 ? files : earlierFiles(earlier)
  const wish = files.length > 0 ? readFileWish(question, files) : readLaterFileWish(question, known)
  return wish && say(writeFiles(meantFiles(question, known), wish))
}

/** A script that does not pass over the files of its question: where there is nothing else to say, it tells of them. */
export function besideFiles(script: Script, intent: Intent, files: readonly SeenFile[]): Script {
  if (files.length === 0) return script
  if (intent.kind === 'unknown' || intent.kind === 'no-tables') return say(writeFiles(files, { ask: 'look' }))
  return { ...script, write: (batches) => paragraphs([script.write(batches), leftOutWords(files)]) }
}
