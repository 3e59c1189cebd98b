import { type AppendOptions, type Entry, isTurnloopError, StorageError } from '@turnloop/core'
import { keyRange } from './key-range.ts'
import type { LateSave } from './late-saves.ts'
import { type LogState, NEW_LOG } from './migrations.ts'
import { notCloneable } from './not-cloneable.ts'
import { isSameData } from './same-data.ts'
import { nameOf } from './storage-errors.ts'
import { storeOf, type WriteTransaction } from './transactions.ts'

/** What is to be added to a session. */
export interface Addition {
  readonly sessionId: string
  readonly entries: readonly Entry[]
  /** What stands in the place of stored entries from now on. */
  readonly rewritten?: readonly Entry[]
  readonly options: AppendOptions
  /** Which of its writer's writes this is. */
  readonly serial?: number
}

/**
 * Do an append or a rewrite inside a transaction: check the fence, check the sequences, add what is new.
 *
 * Throws `stale-fence`, `conflict`, `not-cloneable`; the transaction must then be aborted.
 */
export async function appendEntries(transaction: WriteTransaction, addition: Addition): Promise<void> {
  const { sessionId, entries } = addition
  const state = (await storeOf(transaction, 'logs').get(sessionId)) ?? NEW_LOG
  checkFence(addition, state)
  const known = await countKnown(transaction, addition, state)
  const last = entries.at(-1)?.sequence ?? state.lastSequence
  if (last < state.lastSequence) return

  rewriteEntries(transaction, addition, state)
  const log = transaction.objectStore('entries')
  for (const [index, entry] of entries.entries()) {
    if (index >= known) store(`entries[${index}]`, entry, () => log.add(entry, [sessionId, entry.sequence]))
  }
  writeRecords(transaction, addition, state)
  writeState(transaction, addition, state, last)
}

/** Let a late save join its log, unless its page, or another one, has written since. */
export async function joinLate(transaction: WriteTransaction, late: LateSave): Promise<void> {
  const { sessionId, entries, serial, ...options } = late
  const state = await storeOf(transaction, 'logs').get(sessionId)
  if (state?.fence !== late.fence || (state.serial ?? 0) > serial) return
  try {
    await appendEntries(transaction, { sessionId, entries, options, serial })
  } catch (error) {
    // It does not go on where the log ends; then nothing of it was written.
    if (!isTurnloopError(error)) throw error
  }
}

function rewriteEntries(
  transaction: WriteTransaction,
  { sessionId, rewritten = [] }: Addition,
  { lastSequence }: LogState,
): void {
  const log = transaction.objectStore('entries')
  for (const [index, entry] of rewritten.entries()) {
    const { sequence } = entry
    const isStored = Number.isInteger(sequence) && sequence >= 1 && sequence <= lastSequence
    if (!isStored) throw nothingThere(sessionId, sequence, lastSequence)
    store(`entries[${index}]`, entry, () => log.put(entry, [sessionId, sequence]))
  }
}

function nothingThere(sessionId: string, sequence: number, lastSequence: number): StorageError {
  return new StorageError(
    'conflict',
    `Session ${sessionId} has no entry ${sequence} that could be rewritten: its log ends with ${lastSequence}.`,
    { facts: { sessionId, sequence, lastSequence } },
  )
}

function writeRecords(transaction: WriteTransaction, { sessionId, options }: Addition, state: LogState): void {
  const { head, open } = options
  if (head !== undefined) store('head', head, () => transaction.objectStore('heads').put(head, sessionId))
  if (open === undefined) return
  if (open !== null) store('open', open, () => transaction.objectStore('opens').put(open, sessionId))
  else if (state.hasOpen !== false) transaction.objectStore('opens').delete(sessionId)
}

function writeState(transaction: WriteTransaction, addition: Addition, state: LogState, lastSequence: number): void {
  const { sessionId, serial, options } = addition
  const { open } = options
  const next: LogState = {
    ...state,
    lastSequence,
    ...(serial !== undefined && { serial }),
    ...(open !== undefined && { hasOpen: open !== null }),
  }
  const isNew = serial !== undefined || lastSequence !== state.lastSequence || next.hasOpen !== state.hasOpen
  if (isNew) transaction.objectStore('logs').put(next, sessionId)
}

/** Ask for a value to be stored. The value is copied at once, so one that has no copy throws here. */
function store(label: string, value: unknown, request: () => IDBRequest): void {
  try {
    request()
  } catch (cause) {
    // What is no DOMException was thrown by a getter of the value.
    const isOfTheDatabase = cause instanceof DOMException && nameOf(cause) !== 'DataCloneError'
    throw isOfTheDatabase ? cause : notCloneable(label, value, cause)
  }
}

function checkFence({ sessionId, options: { fence } }: Addition, state: LogState): void {
  if (fence === undefined || fence === state.fence) return
  throw new StorageError(
    'stale-fence',
    `Session ${sessionId} was claimed by another writer, or removed. Claim it again before writing.`,
    { facts: { sessionId, fence, currentFence: state.fence } },
  )
}

/** How many of the entries the log has already. Throws `conflict` unless they continue it without gap or change. */
async function countKnown(
  transaction: WriteTransaction,
  { sessionId, entries }: Addition,
  { lastSequence }: LogState,
): Promise<number> {
  const first = entries[0]?.sequence ?? lastSequence + 1
  const joins = Number.isInteger(first) && first >= 1 && first <= lastSequence + 1
  const known = joins ? Math.min(lastSequence - first + 1, entries.length) : 0
  const stored =
    known > 0 ? await storeOf(transaction, 'entries').getAll(keyRange(sessionId, first, first + known - 1)) : []
  for (const [index, entry] of entries.entries()) {
    const isUnchanged = index >= known || isSameData(stored[index], entry)
    if (joins && isUnchanged && entry.sequence === first + index) continue
    throw new StorageError(
      'conflict',
      `Entry ${entry.sequence} of session ${sessionId} does not continue its log of ${lastSequence}: another writer was ` +
        'here. Claim the session and read its log again.',
      { facts: { sessionId, sequence: entry.sequence, lastSequence } },
    )
  }
  return known
}
