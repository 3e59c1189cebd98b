import type { Entry } from './entries.ts'
import { StorageError } from './errors.ts'
import { isolate } from './isolate.ts'
import { canonicalJson } from './json.ts'
import { MemoryBlobs } from './memory-blobs.ts'
import type {
  AppendOptions,
  Claim,
  LastSave,
  OpenReply,
  ReadOptions,
  RewriteOptions,
  SessionHead,
  SessionStore,
} from './session-store.ts'
import { createSubscribers } from './subscribers.ts'

/**
 * Sessions in memory: for tests, and for a conversation that need not outlive the page.
 *
 * Keeps every rule of the port. What is stored is frozen and shared where it came in frozen, else copied, so that
 * neither a caller nor a reader can change it afterwards.
 */
export class MemoryStore implements SessionStore {
  readonly #sessions = new Map<string, StoredSession>()
  readonly #changes = createSubscribers<string>()
  readonly blobs: MemoryBlobs | undefined =
    globalThis.crypto?.subtle && new MemoryBlobs((sessionId) => isKnown(this.#sessions.get(sessionId)))
  #lastFence = 0

  async claim(sessionId: string): Promise<Claim> {
    const session = this.#sessions.get(sessionId) ?? newSession()
    this.#sessions.set(sessionId, session)
    this.#lastFence += 1
    session.fence = this.#lastFence
    return { fence: session.fence, lastSequence: session.log.length }
  }

  async append(sessionId: string, entries: readonly Entry[], options: AppendOptions = {}): Promise<void> {
    this.#append(sessionId, entries, options)
  }

  saveNow(sessionId: string, { entries, ...options }: LastSave): void {
    try {
      this.#append(sessionId, entries, options)
    } catch {
      // Nobody is there to be told.
    }
  }

  async rewrite(sessionId: string, entries: readonly Entry[], options: RewriteOptions = {}): Promise<void> {
    this.#append(sessionId, options.append ?? [], options, entries)
  }

  #append(
    sessionId: string,
    entries: readonly Entry[],
    options: AppendOptions,
    rewritten: readonly Entry[] = [],
  ): void {
    const session = this.#sessions.get(sessionId) ?? newSession()
    checkFence(sessionId, options.fence, session.fence)
    checkStored(sessionId, session.log, rewritten)
    const known = countKnown(sessionId, session.log, entries)
    const last = entries.at(-1)?.sequence
    if (last !== undefined && last < session.log.length) return
    const changed = rewritten.map((entry, index) => isolate(entry, `entries[${index}]`))
    const added = entries.slice(known).map((entry, index) => isolate(entry, `entries[${known + index}]`))
    this.#write(sessionId, session, isolateRecords(options), () => {
      for (const entry of changed) session.log[entry.sequence - 1] = entry
      session.log.push(...added)
    })
  }

  /** All copies are made by now: one that fails leaves everything as it was. */
  #write(sessionId: string, session: StoredSession, { head, open }: AppendOptions, changeLog: () => void): void {
    changeLog()
    if (head !== undefined) session.head = head
    if (open !== undefined) session.open = open ?? undefined
    this.#sessions.set(sessionId, session)
    this.#changes.notify(sessionId)
  }

  async read(sessionId: string, options: ReadOptions = {}): Promise<Entry[]> {
    const log = this.#sessions.get(sessionId)?.log ?? []
    const { from, to } = sequenceRange(options, log.length)
    return log.slice(from - 1, Math.max(to, from - 1))
  }

  async head(sessionId: string): Promise<SessionHead | undefined> {
    return this.#sessions.get(sessionId)?.head
  }

  async open(sessionId: string): Promise<OpenReply | undefined> {
    return this.#sessions.get(sessionId)?.open
  }

  async list(): Promise<SessionHead[]> {
    const heads = [...this.#sessions.values()].flatMap((session) => session.head ?? [])
    return heads.sort((a, b) => b.updatedAt - a.updatedAt)
  }

  async remove(sessionId: string): Promise<void> {
    this.#sessions.delete(sessionId)
    this.blobs?.remove(sessionId)
    this.#changes.notify(sessionId)
  }

  subscribe(onChange: (sessionId: string) => void): () => void {
    return this.#changes.add(onChange)
  }
}

interface StoredSession {
  /** The entry of sequence n at index n - 1. */
  readonly log: Entry[]
  /** 0 before the first claim. */
  fence: number
  head?: SessionHead
  open?: OpenReply | undefined
}

function newSession(): StoredSession {
  return { log: [], fence: 0 }
}

function isKnown(session: StoredSession | undefined): boolean {
  return session !== undefined && (session.log.length > 0 || session.head !== undefined)
}

function checkFence(sessionId: string, fence: number | undefined, current: number): void {
  if (fence === undefined || fence === current) return
  throw new StorageError(
    'stale-fence',
    `Session ${sessionId} was claimed by another writer, or removed. Claim it again before writing.`,
    { facts: { sessionId, fence, currentFence: current } },
  )
}

/** How many of `entries` the log has already. Throws `conflict` unless they continue the log without gap or change. */
function countKnown(sessionId: string, log: readonly Entry[], entries: readonly Entry[]): number {
  const first = entries[0]?.sequence ?? log.length + 1
  const joins = Number.isInteger(first) && first >= 1 && first <= log.length + 1
  for (const [index, entry] of entries.entries()) {
    const stored = log[entry.sequence - 1]
    const isUnchanged = stored === undefined || isSameEntry(stored, entry)
    if (joins && isUnchanged && entry.sequence === first + index) continue
    throw new StorageError(
      'conflict',
      `Entry ${entry.sequence} of session ${sessionId} does not continue its log of ${log.length}: another writer ` +
        'was here. Claim the session and read its log again.',
      { facts: { sessionId, sequence: entry.sequence, lastSequence: log.length } },
    )
  }
  return Math.min(log.length - first + 1, entries.length)
}

function isolateRecords({ head, open }: AppendOptions): AppendOptions {
  return {
    ...(head !== undefined && { head: isolate(head, 'head') }),
    ...(open !== undefined && { open: isolate(open, 'open') }),
  }
}

/** Throws `conflict` unless the log has an entry in each place. */
function checkStored(sessionId: string, log: readonly Entry[], entries: readonly Entry[]): void {
  const missing = entries.find(({ sequence }) => log[sequence - 1] === undefined)
  if (missing === undefined) return
  throw new StorageError(
    'conflict',
    `Session ${sessionId} has no entry ${missing.sequence} that could be rewritten: its log ends with ${log.length}.`,
    { facts: { sessionId, sequence: missing.sequence, lastSequence: log.length } },
  )
}

function isSameEntry(stored: Entry, given: Entry): boolean {
  return stored === given || canonicalJson(stored) === canonicalJson(given)
}

/** The sequences a read asks for, both ends included; none if `from` is above `to`. */
function sequenceRange({ after, before, limit }: ReadOptions, last: number): { from: number; to: number } {
  const from = Math.max(after ?? 0, 0) + 1
  const to = Math.min((before ?? last + 1) - 1, last)
  if (limit === undefined) return { from, to }
  return after === undefined
    ? { from: Math.max(from, to - limit + 1), to }
    : { from, to: Math.min(to, from + limit - 1) }
}
