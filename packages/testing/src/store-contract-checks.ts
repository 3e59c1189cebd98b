import {
  type AssistantMessage,
  type Entry,
  isTurnloopError,
  type JsonObject,
  type OpenReply,
  type SessionHead,
  type SessionStore,
  TurnloopError,
  type TurnloopErrorCode,
} from '@turnloop/core'

/** Checks of one store, by the fact they prove. */
export type StoreCases = Readonly<Record<string, (store: SessionStore) => Promise<void>>>

/** Checks of two connections to the same data. */
export type SharedStoreCases = Readonly<Record<string, (first: SessionStore, second: SessionStore) => Promise<void>>>

/** What a store may lack; by these names it says so. */
export type StorePart = 'subscribe' | 'saveNow' | 'rewrite' | 'blobs' | 'usage'

/** A part of a store. Throws if it is missing and was not declared so. */
export function partOf<Part extends StorePart>(store: SessionStore, part: Part): NonNullable<SessionStore[Part]> {
  const found = store[part]
  if (found !== undefined && found !== null) return found
  throw new TurnloopError('internal', `This store has no "${part}": say so with { without: ['${part}'] }.`)
}

/** The session that a case writes to, unless it needs several. */
export const SESSION = 'session-1'

/** An entry that can be told from others by its note. */
export function entryAt(sequence: number, note: unknown = `entry ${sequence}`): Entry {
  // Some cases store what no entry should hold.
  const patch = { note } as JsonObject
  return { sequence, at: 1_000 + sequence, turnId: 'turn-1', type: 'state-changed', patch }
}

/** The entries of the sequences `from` to `to`. */
export function entriesFrom(from: number, to: number): Entry[] {
  return Array.from({ length: to - from + 1 }, (_, index) => entryAt(from + index))
}

/** The head of a session. */
export function headOf(id: string, fields: Partial<SessionHead> = {}): SessionHead {
  return { id, createdAt: 1, updatedAt: 1, lastSequence: 0, turns: 0, state: {}, usage: {}, queue: [], ...fields }
}

/** A reply that is growing. */
export function openReply(text: string): OpenReply {
  const content: AssistantMessage['content'] = [{ type: 'text', text }]
  const message: AssistantMessage = { id: 'reply-1', role: 'assistant', createdAt: 1, content, stopReason: 'other' }
  return { turnId: 'turn-1', message }
}

/** Throw unless two plain values are equal; a missing key and an undefined one count as the same. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [left, right] = [plainText(actual), plainText(expected)]
  if (left === right) return
  throw new TurnloopError('internal', `${what}: expected ${shorten(right)}, got ${shorten(left)}.`)
}

/** Throw unless a session's log holds exactly the sequences 1 to `last`, each once and in order. */
export async function logEnds(store: SessionStore, last: number): Promise<void> {
  const log = await store.read(SESSION)
  equal(sequencesOf(log), sequencesOf(entriesFrom(1, last)), 'the sequences of the log')
}

/** The sequences of entries. */
export function sequencesOf(entries: readonly Entry[]): number[] {
  return entries.map((entry) => entry.sequence)
}

/** Throw unless a call is refused with this code; resolves with the refusal. */
export async function refuses(call: Promise<unknown>, code: TurnloopErrorCode): Promise<TurnloopError> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!isTurnloopError(thrown)) throw new TurnloopError('internal', `expected ${code}, got ${String(thrown)}.`)
  equal([thrown.name, thrown.code], ['StorageError', code], `a refusal (${thrown.message})`)
  return thrown
}

function plainText(value: unknown): string {
  return String(JSON.stringify(value, plainMember))
}

function plainMember(this: unknown, _key: string, member: unknown): unknown {
  // JSON would make null of it, and null is an answer of its own.
  if (member === undefined && Array.isArray(this)) return '(undefined)'
  return isRecord(member) ? sortKeys(member) : member
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortKeys(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function shorten(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}
