import type { Entry, Outcome, Usage } from '@turnloop/core'
import { useMemo } from 'react'
import { useTurn } from './use-turn.ts'

/** One turn as its log tells it. */
export interface TurnRecord {
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
}

/** The turns of a log, oldest first. Entries outside of turns belong to none. */
export function readTurns(entries: readonly Entry[]): TurnRecord[] {
  const byId = new Map<string, Entry[]>()
  for (const entry of entries) {
    if (entry.turnId === undefined || entry.path !== undefined) continue
    const known = byId.get(entry.turnId)
    if (known === undefined) byId.set(entry.turnId, [entry])
    else known.push(entry)
  }
  return [...byId].map(([turnId, own], index) => toRecord(turnId, own, index + 1))
}

function toRecord(turnId: string, entries: readonly Entry[], number: number): TurnRecord {
  const end = entries.find((entry) => entry.type === 'turn-ended')
  const last = entries.at(-1)
  return {
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
  }
}

/** Whether a turn began before this page was loaded and went on in it. */
export function isResumed({ startedAt, endedAt }: TurnRecord): boolean {
  const loadedAt = performance.timeOrigin
  return startedAt < loadedAt && (endedAt === undefined || endedAt > loadedAt)
}

/** The turns of the session in the address, as far as its log has been read. */
export function useTurnRecords(): TurnRecord[] {
  const entries = useEntries()
  return useMemo(() => readTurns(entries), [entries])
}

/** The log of the session in the address. A new array whenever it has changed. */
export function useEntries(): readonly Entry[] {
  const { getEntries, last } = useTurn((turn) => ({ getEntries: turn.getEntries, last: turn.getEntries().at(-1) }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: a log only grows, so its last entry tells whether it changed
  return useMemo(() => [...getEntries()], [getEntries, last])
}
