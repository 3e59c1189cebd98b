import type { Entry } from '@turnloop/core'
import { type TurnLog, TurnLogReader } from './turn-log.ts'
import type { TurnRecord } from './turn-records.ts'
import { useTurn } from './use-turn.ts'

/** One reader for each log: every part of the page shares what it has read. By the function that gives the log. */
const readers = new WeakMap<() => readonly Entry[], TurnLogReader>()

/** The log of the session in the address, as far as it has been read; another object whenever it has changed. */
export function useTurnLog(): TurnLog {
  return useTurn(({ getEntries }) => readLog(getEntries), Object.is)
}

/** The turns of the session in the address, as far as its log has been read; those that were set aside too. */
export function useTurnRecords(): readonly TurnRecord[] {
  return useTurnLog().records
}

/** The turn that a call was made in, as far as the log tells; renders again only when something of it has changed. */
export function useTurnOf({ turnId }: { readonly turnId: string }): TurnRecord | undefined {
  return useTurn(({ getEntries }) => readLog(getEntries).turn(turnId), Object.is)
}

/** The log of the session in the address. A new array whenever it has changed. */
export function useEntries(): readonly Entry[] {
  return useTurnLog().entries
}

function readLog(getEntries: () => readonly Entry[]): TurnLog {
  const reader = readers.get(getEntries) ?? new TurnLogReader()
  readers.set(getEntries, reader)
  return reader.read(getEntries())
}
