import type { Entry, Outcome, Usage } from '@turnloop/core'

/** One turn of a log. A new object whenever it has changed; its entries are one list that grows. */
export interface LoggedTurn {
  readonly turnId: string
  /** Counts the turns that are known from 1. */
  readonly number: number
  readonly startedAt: number
  /** When it ended, or began to wait for people. */
  readonly endedAt?: number
  /** How it ended, or that it waits. */
  readonly outcome?: Outcome
  readonly usage?: Usage
  readonly entries: readonly Entry[]
}

/** The turns of a log that grows: each entry is looked at once. */
export class TurnLog {
  #source: readonly Entry[] = []
  #count = 0
  #turns: readonly LoggedTurn[] = []
  readonly #byId = new Map<string, { index: number; entries: Entry[] }>()

  /**
   * The turns of the first `count` entries, oldest first; the same list until one has changed. Another list than the last
   * time, or less of it, is read from the start.
   */
  read(entries: readonly Entry[], count: number = entries.length): readonly LoggedTurn[] {
    if (entries !== this.#source || count < this.#count) this.#restart(entries)
    if (count === this.#count) return this.#turns
    const turns = [...this.#turns]
    for (let index = this.#count; index < count; index += 1) this.#add(turns, entries[index])
    this.#count = count
    this.#turns = turns
    return turns
  }

  #restart(entries: readonly Entry[]): void {
    this.#source = entries
    this.#count = 0
    this.#turns = []
    this.#byId.clear()
  }

  #add(turns: LoggedTurn[], entry: Entry | undefined): void {
    const turnId = entry?.turnId
    if (entry === undefined || turnId === undefined) return
    const found = this.#byId.get(turnId) ?? { index: turns.length, entries: [] }
    this.#byId.set(turnId, found)
    found.entries.push(entry)
    const before = turns[found.index] ?? {
      turnId,
      number: found.index + 1,
      startedAt: entry.at,
      entries: found.entries,
    }
    turns[found.index] = after(before, entry)
  }
}

function after(turn: LoggedTurn, entry: Entry): LoggedTurn {
  // What an agent that runs as a tool comes to is not the turn's own.
  if (entry.path !== undefined && entry.path.length > 0) return { ...turn }
  if (entry.type === 'turn-ended') return { ...turn, endedAt: entry.at, outcome: entry.outcome, usage: entry.usage }
  if (entry.type === 'turn-paused')
    return { ...turn, endedAt: entry.at, outcome: { kind: 'awaiting', pending: entry.pending } }
  if (turn.outcome?.kind !== 'awaiting') return { ...turn }
  // It goes on, or is about to: somebody has decided.
  const { endedAt: _endedAt, outcome: _outcome, ...running } = turn
  return running
}

/** A rewind, as a snapshot's `source` has it. */
interface Rewind {
  readonly to: number
  readonly at: number
}

/** Which turns rewinds left behind, by id. */
export function turnsSetAside(turns: readonly LoggedTurn[], rewinds: readonly Rewind[]): ReadonlySet<string> {
  const live: Rewind[] = []
  // A rewind that a later one left behind counts no more.
  for (const rewind of rewinds.toReversed())
    if (!live.some(({ to, at }) => rewind.at > to && rewind.at < at)) live.push(rewind)
  const isLeft = (sequence: number): boolean => live.some(({ to, at }) => sequence > to && sequence < at)
  return new Set(turns.flatMap(({ turnId, entries: [first] }) => (first && isLeft(first.sequence) ? [turnId] : [])))
}
