/// <reference types="node" />
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Outcome } from '@turnloop/core'

/** What a provider sent, as one line of JSON per event. */
export interface Recording {
  /** `folder/name`; the folder names the provider. */
  readonly name: string
  readonly folder: string
  /** One list of lines for each response. */
  readonly responses: readonly (readonly string[])[]
  /** How the turn must end that is played on all of it, where that is known. */
  readonly ends?: Outcome['kind']
}

/** The recordings in a folder, which has one folder for each provider. */
export function readRecordings(root: string): Recording[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.chunks.txt'))
  const recordings = files.sort().map((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').filter(Boolean)
    const folder = dirname(file)
    return { name: `${folder}/${basename(file, '.chunks.txt')}`, folder, responses: splitResponses(lines) }
  })
  return [...recordings, ...joined(recordings)]
}

/** Some conversations are cut into one file for each reply: these are played as one, too. */
function joined(recordings: readonly Recording[]): Recording[] {
  const parts = recordings.filter(({ name }) => name.startsWith('openai/programmatic-tool-calling.'))
  const responses = parts.flatMap((part) => part.responses)
  return responses.length > 1 ? [{ name: 'openai/programmatic-tool-calling, joined', folder: 'openai', responses }] : []
}

/** A response that begins before the one before it has ended belongs to it: a fault that some servers have. */
function splitResponses(lines: readonly string[]): string[][] {
  const responses: string[][] = [[]]
  for (const line of lines) {
    const last = responses.at(-1)
    const hasEnded = /"type":\s*"(message_stop|response\.completed)"/.test(last?.at(-1) ?? '')
    if (hasEnded || last === undefined) responses.push([line])
    else last.push(line)
  }
  return responses
}
