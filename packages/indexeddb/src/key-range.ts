import type { ReadOptions } from '@turnloop/core'

/** The keys of a session's entries from one sequence to another, both ends included. */
export function keyRange(sessionId: string, from: number, to: number): IDBKeyRange {
  return IDBKeyRange.bound([sessionId, from], [sessionId, to])
}

/**
 * The sequences that a read asks for, both ends included; none if `from` is above `to`.
 *
 * Sequences have no gaps, so the last n entries are a range too: no cursor is needed, which is many times slower.
 */
export function sequenceRange(
  { after, before, limit }: ReadOptions,
  lastSequence: number,
): { from: number; to: number } {
  const from = Math.max(after ?? 0, 0) + 1
  const to = Math.min((before ?? lastSequence + 1) - 1, lastSequence)
  if (limit === undefined) return { from, to }
  return after === undefined
    ? { from: Math.max(from, to - limit + 1), to }
    : { from, to: Math.min(to, from + limit - 1) }
}
