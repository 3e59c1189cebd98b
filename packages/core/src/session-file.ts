import type { Entry } from './entries.ts'
import { TurnloopError } from './errors.ts'
import { isJsonObject, type JsonValue } from './json.ts'
import { EMPTY_SNAPSHOT, reduce } from './reduce.ts'
import type { Snapshot } from './snapshot.ts'

/** A whole session as plain JSON, to keep, to send, to look at and to import again. */
export interface SessionFile {
  readonly format: 'turnloop-session'
  readonly version: 1
  readonly id: string
  readonly title?: string
  /** Epoch ms. */
  readonly exportedAt: number
  /** The log, what was rewound or compacted away included. */
  readonly entries: readonly Entry[]
}

/** How a session is exported. */
export interface ExportOptions {
  /** `true`: letters and digits of everything that people, models and tools wrote become `x`. Or what each text becomes. */
  redact?: boolean | ((text: string) => string)
}

/** Make the file of a log. */
export function toSessionFile(
  session: { id: string; title?: string | undefined; entries: readonly Entry[]; now: number },
  { redact = false }: ExportOptions,
): SessionFile {
  const hide = typeof redact === 'function' ? redact : (text: string): string => text.replace(/[\p{L}\p{N}]/gu, 'x')
  const { id, title, entries, now } = session
  // Entries are plain JSON, and stay of their shape.
  // Of the same shape, text for text.
  const redacted = (entry: Entry): Entry => redactEntry(entry, hide) as unknown as Entry
  const shown = redact === false ? entries : entries.map(redacted)
  return {
    format: 'turnloop-session',
    version: 1,
    id,
    ...(title !== undefined && { title: redact === false ? title : hide(title) }),
    exportedAt: now,
    entries: shown,
  }
}

/** Throw `bad-input`, saying what is wrong, for what is no session file that this version can read. */
export function checkSessionFile(file: unknown): asserts file is SessionFile {
  const fail = (text: string): never => {
    throw new TurnloopError('bad-input', `This is no session file that can be read: ${text}.`)
  }
  if (!isJsonObject(file) || file.format !== 'turnloop-session') return fail('its format is not turnloop-session')
  if (file.version !== 1) fail(`its version is ${String(file.version)}, and this page reads version 1`)
  if (typeof file.id !== 'string' || !Array.isArray(file.entries)) return fail('it has no id or no entries')
  for (const [index, entry] of file.entries.entries()) {
    const isEntry = isJsonObject(entry) && typeof entry.type === 'string' && entry.sequence === index + 1
    if (!isEntry) fail(`entry ${index + 1} is missing or out of order`)
  }
}

/** How a file is played. */
export interface ReplayOptions {
  /** From after this entry on. Default: the first. */
  readonly after?: number
}

/**
 * Play a session file: the snapshot after each of its entries, in order. Pull to go on; leaving early is fine. Throws
 * `bad-input` for what is no session file.
 */
export async function* replay(file: SessionFile, { after = 0 }: ReplayOptions = {}): AsyncGenerator<Snapshot> {
  checkSessionFile(file)
  let snapshot = EMPTY_SNAPSHOT
  for (const entry of file.entries) {
    snapshot = reduce(snapshot, entry)
    if (entry.sequence > after) yield snapshot
  }
}

/** Names, ids and words of ours: the shape of a log, which says nothing of what was said. */
const KEPT: ReadonlySet<string> = new Set([
  ...['type', 'id', 'role', 'turnId', 'callId', 'wireId', 'toolName', 'status', 'stopReason', 'rawStopReason'],
  ...['modelId', 'agentName', 'kind', 'code', 'name', 'position', 'ask', 'inputHash', 'idempotencyKey', 'by', 'path'],
  ...['mimeType', 'mediaType', 'trigger', 'errorId', 'slot', 'phase', 'limit', 'sourceType', 'synthetic', 'retryOf'],
  ...['sessionId', 'source', 'hook', 'stoppedBy'],
])

function redactEntry(value: unknown, hide: (text: string) => string, key = ''): JsonValue {
  if (typeof value === 'string')
    return KEPT.has(key) ? value : key === 'inputText' ? redactJson(value, hide) : hide(value)
  if (Array.isArray(value)) return value.map((item) => redactEntry(item, hide, key))
  // Entries hold nothing but JSON.
  if (!isJsonObject(value)) return value as JsonValue
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === undefined ? [] : [[name, redactEntry(inner, hide, name)]],
    ),
  )
}

/** Arguments as a model wrote them: JSON that has to stay JSON. */
function redactJson(text: string, hide: (text: string) => string): string {
  try {
    return JSON.stringify(redactEntry(JSON.parse(text), hide))
  } catch {
    return hide(text)
  }
}
