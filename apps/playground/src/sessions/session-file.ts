import type { Entry, SessionFile } from '@turnloop/core'
import { isRecord } from '../data/is-record.ts'
import { jsonFaultLine } from '../data/json-fault.ts'

/** Several sessions in one file. */
export interface SessionBundle {
  readonly format: typeof BUNDLE_FORMAT
  readonly version: 1
  /** Epoch ms. */
  readonly exportedAt: number
  readonly sessions: readonly SessionFile[]
}

/** What a file with several sessions names itself. */
export const BUNDLE_FORMAT = 'ask-your-data-sessions'

/** Both kinds of files name their format first. */
const FORMAT = new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"(?:turnloop-session|${BUNDLE_FORMAT})"`)
const LOOKED_AT_BYTES = 400

/** Whether a file says of itself that it holds sessions, by its first bytes. Never rejects. */
export async function holdsSessions(file: Blob): Promise<boolean> {
  try {
    return FORMAT.test(await file.slice(0, LOOKED_AT_BYTES).text())
  } catch {
    return false
  }
}

/** What reading a file of sessions throws. The message is for people. */
export class SessionFileError extends Error {
  override readonly name = 'SessionFileError'
}

/**
 * The sessions of a file's text, not checked any further. Throws `SessionFileError` where it is broken, or something else
 * altogether.
 */
export function readSessionFiles(text: string, fileName: string): readonly unknown[] {
  const file = parse(text, fileName)
  if (isRecord(file) && file.format === 'turnloop-session') return [file]
  if (isRecord(file) && file.format === BUNDLE_FORMAT && Array.isArray(file.sessions)) return file.sessions
  throw new SessionFileError(`${fileName} holds no session. Choose a file that was exported here.`)
}

function parse(text: string, fileName: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const where = `it breaks off, or is damaged, at line ${jsonFaultLine(text)}`
    throw new SessionFileError(`${fileName} could not be read: ${where}. Nothing was imported.`, { cause })
  }
}

/**
 * A session file whose last turn has ended, so that nothing of it runs when it is opened: what a file asks for was not asked
 * for here. One that waits for a person still waits.
 */
export function withoutOpenTurn(file: SessionFile, now: number): SessionFile {
  const { entries } = file
  const start = entries.findLast(({ type, path }) => type === 'turn-started' && path === undefined)
  const turn = entries.filter(({ turnId, path }) => path === undefined && turnId === start?.turnId)
  const isOver = turn.some(({ type }) => type === 'turn-ended') || turn.at(-1)?.type === 'turn-paused'
  if (start?.turnId === undefined || isOver) return file
  const messages = turn.filter(({ type }) => type === 'message').length
  const end: Entry = {
    sequence: entries.length + 1,
    at: now,
    turnId: start.turnId,
    type: 'turn-ended',
    outcome: {
      kind: 'interrupted',
      rollback: { status: 'unchanged', messagesBefore: messages, messagesAfter: messages },
    },
    usage: {},
    iterations: 0,
  }
  return { ...file, entries: [...entries, end] }
}

/** A name for the file of a session: its title, as far as file systems take it. */
export function sessionFileName(title: string | undefined, day: string): string {
  const name = (title ?? '')
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase()
    .slice(0, 60)
  return `${name || 'session'}-${day}.json`
}

/** A day as it stands in file names. */
export function dayOf(at: number): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
