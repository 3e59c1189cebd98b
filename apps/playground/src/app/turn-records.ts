import type { Entry, Outcome, Usage } from '@turnloop/core'
import { wasFollowed } from './followed-turns.ts'
import type { TurnPlace } from './turn-tree.ts'

/** One turn as its log tells it. */
export interface TurnRecord extends TurnPlace {
  readonly turnId: string
  /** Counts the turns of the session from 1. */
  readonly number: number
  readonly startedAt: number
  /** When it ended, or began to wait for people. */
  readonly endedAt?: number
  /** How it ended, or that it waits; absent while it runs. */
  readonly outcome?: Outcome
  readonly usage?: Usage
  readonly messageIds: readonly string[]
  readonly entries: readonly Entry[]
  /** Those of agents that ran as tools in it. */
  readonly nested?: readonly Entry[]
}

/** What a log holds of one turn, oldest first. */
export interface TurnEntries {
  readonly own: readonly Entry[]
  readonly nested: readonly Entry[]
}

/** Read what a log holds of one turn. */
export function toRecord(
  turnId: string,
  { own, nested }: TurnEntries,
  { number, place }: { number: number; place: TurnPlace },
): TurnRecord {
  const entries = [...own]
  const end = entries.find((entry) => entry.type === 'turn-ended')
  const last = entries.at(-1)
  return {
    ...place,
    turnId,
    number,
    startedAt: entries[0]?.at ?? 0,
    ...(end !== undefined && { endedAt: end.at, outcome: end.outcome, usage: end.usage }),
    ...(last?.type === 'turn-paused' && {
      endedAt: last.at,
      outcome: { kind: 'awaiting' as const, pending: last.pending },
    }),
    messageIds: entries.flatMap((entry) => (entry.type === 'message' ? [entry.message.id] : [])),
    entries,
    nested: [...nested],
  }
}

/** Whether two readings of a turn tell the same. */
export function isSameRecord(a: TurnRecord, b: TurnRecord): boolean {
  return (
    a.number === b.number &&
    areSame(a.entries, b.entries) &&
    areSame(a.nested ?? [], b.nested ?? []) &&
    a.isSetAside === b.isSetAside &&
    a.cutAt === b.cutAt &&
    a.parentId === b.parentId &&
    a.startsIn === b.startsIn
  )
}

function areSame(a: readonly Entry[], b: readonly Entry[]): boolean {
  return a.length === b.length && a.every((entry, index) => entry === b[index])
}

/** Whether a turn began before this page was loaded and went on in it, rather than in another tab. */
export function isResumed({ turnId, startedAt, endedAt }: TurnRecord): boolean {
  if (wasFollowed(turnId)) return false
  const loadedAt = performance.timeOrigin
  return startedAt < loadedAt && (endedAt === undefined || endedAt > loadedAt)
}

/** The last turn of the way that the conversation is on. */
export function currentTurn(records: readonly TurnRecord[]): TurnRecord | undefined {
  return records.findLast(({ isSetAside }) => !isSetAside)
}
