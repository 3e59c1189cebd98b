import { type Entry, isNested } from './entries.ts'

/** The entries of the last turn in a log, those of its nested agents included, if that turn has not ended. */
export function findOpenTurn(log: readonly Entry[]): { turnId: string; entries: readonly Entry[] } | undefined {
  const start = log.findLastIndex((entry) => entry.type === 'turn-started' && !isNested(entry))
  const turnId = log[start]?.turnId
  if (turnId === undefined) return undefined
  const entries = log.slice(start).filter((entry) => entry.turnId === turnId)
  if (entries.some((entry) => entry.type === 'turn-ended' && !isNested(entry))) return undefined
  return { turnId, entries }
}

/** Whether a turn has paused, with nothing done since: what has been decided by now is still to be acted on. */
export function isPaused(entries: readonly Entry[]): boolean {
  const last = entries.findLast((entry) => entry.type !== 'approval-decided')
  return last?.type === 'turn-paused' && !isNested(last)
}
