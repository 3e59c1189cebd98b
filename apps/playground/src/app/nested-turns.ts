import { EMPTY_SNAPSHOT, type Entry, reduce, type Snapshot } from '@turnloop/core'
import { readTurns } from './turn-log.ts'
import type { TurnRecord } from './turn-records.ts'

/** The entries of the agent that a call runs, as if it had a log of its own. Empty for a call that runs none. */
function nestedEntries(entries: readonly Entry[], callId: string): Entry[] {
  return entries.flatMap((entry): Entry[] => {
    const at = entry.path?.indexOf(callId) ?? -1
    if (at === -1) return []
    const { path = [], ...own } = entry
    const rest = path.slice(at + 1)
    return [rest.length === 0 ? own : { ...own, path: rest }]
  })
}

/** The turn of the agent that a call runs; its times count from the beginning of the turn around it. */
export function nestedTurn({ nested = [], startedAt }: TurnRecord, callId: string): TurnRecord | undefined {
  const entries = nestedEntries(nested, callId)
  const [turn] = readTurns(entries)
  return turn && { ...turn, startedAt }
}

/** The transcript of the agent that a call runs, with its calls; `undefined` where there is none. */
export function nestedSnapshot(entries: readonly Entry[], callId: string): Snapshot | undefined {
  const own = nestedEntries(entries, callId)
  return own.length === 0 ? undefined : own.reduce(reduce, EMPTY_SNAPSHOT)
}
