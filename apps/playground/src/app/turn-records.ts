import { type Entry, type Outcome, shallowEqual, type Usage } from '@turnloop/core'
import { wasFollowed } from './followed-turns.ts'
import { type TurnPlace, turnPlaces } from './turn-tree.ts'
import { useTurn } from './use-turn.ts'

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

/**
 * The turns of a log, oldest first, those that were set aside too. Entries outside of turns belong to none. A turn that is
 * as it was in `before` is the same object.
 */
export function readTurns(entries: readonly Entry[], before: readonly TurnRecord[] = []): TurnRecord[] {
  const byId = new Map<string, TurnEntries>()
  for (const entry of entries) {
    const { turnId, path } = entry
    if (turnId === undefined) continue
    const found = byId.get(turnId) ?? { own: [], nested: [] }
    // An agent runs within a turn that has begun.
    if (path === undefined) byId.set(turnId, found)
    ;(path === undefined ? found.own : found.nested).push(entry)
  }
  const places = turnPlaces(entries)
  const known = new Map(before.map((record) => [record.turnId, record]))
  return [...byId].map(([turnId, found], index) => {
    const record = toRecord(turnId, found, { number: index + 1, place: places.get(turnId) ?? {} })
    const same = known.get(turnId)
    return same !== undefined && isSameRecord(same, record) ? same : record
  })
}

/** A log only grows, so that the number of its entries and the last one tell whether a turn has changed. */
function isSameRecord(a: TurnRecord, b: TurnRecord): boolean {
  return (
    a.number === b.number &&
    a.entries.length === b.entries.length &&
    a.entries.at(-1) === b.entries.at(-1) &&
    a.nested?.length === b.nested?.length &&
    a.isSetAside === b.isSetAside &&
    a.cutAt === b.cutAt &&
    a.parentId === b.parentId &&
    a.startsIn === b.startsIn
  )
}

interface TurnEntries {
  readonly own: Entry[]
  readonly nested: Entry[]
}

function toRecord(
  turnId: string,
  { own: entries, nested }: TurnEntries,
  { number, place }: { number: number; place: TurnPlace },
): TurnRecord {
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
    nested,
  }
}

/** Whether a turn began before this page was loaded and went on in it, rather than in another tab. */
export function isResumed({ turnId, startedAt, endedAt }: TurnRecord): boolean {
  if (wasFollowed(turnId)) return false
  const loadedAt = performance.timeOrigin
  return startedAt < loadedAt && (endedAt === undefined || endedAt > loadedAt)
}

/** The turns of the session in the address, as far as its log has been read; those that were set aside too. */
export function useTurnRecords(): readonly TurnRecord[] {
  return useLog().records
}

/** The log of the session in the address. A new array whenever it has changed. */
export function useEntries(): readonly Entry[] {
  return useLog().entries
}

/** A log as it stood, and what it tells. */
interface ReadLog {
  readonly entries: readonly Entry[]
  readonly records: readonly TurnRecord[]
}

const NOTHING_READ: ReadLog = { entries: [], records: [] }

/** The last turn of the way that the conversation is on. */
export function currentTurn(records: readonly TurnRecord[]): TurnRecord | undefined {
  return records.findLast(({ isSetAside }) => !isSetAside)
}

/** What was read of each log last: every part of the page shares it. By the function that gives the log. */
const read = new WeakMap<() => readonly Entry[], ReadLog>()

function useLog(): ReadLog {
  return useTurn(({ getEntries }) => readLog(getEntries), Object.is)
}

/** The same object until the log has changed. */
function readLog(getEntries: () => readonly Entry[]): ReadLog {
  const before = read.get(getEntries) ?? NOTHING_READ
  const log = getEntries()
  // It grows at its ends only, so that these tell whether it has changed.
  if (shallowEqual(endsOf(log), endsOf(before.entries))) return before
  const entries = [...log]
  const next = { entries, records: readTurns(entries, before.records) }
  read.set(getEntries, next)
  return next
}

function endsOf(log: readonly Entry[]): readonly unknown[] {
  return [log.length, log[0], log.at(-1)]
}
