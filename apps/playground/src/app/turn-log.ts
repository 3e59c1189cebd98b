import type { Entry } from '@turnloop/core'
import { isSameRecord, type TurnRecord, toRecord } from './turn-records.ts'
import { TurnTree } from './turn-tree.ts'

/** A log as it stood, by its turns. Entries outside of turns belong to none. */
export interface TurnLog {
  readonly entries: readonly Entry[]
  /** Oldest first, those that were set aside too. A turn that has not changed is the same object in the next log. */
  readonly records: readonly TurnRecord[]
  turn(turnId: string): TurnRecord | undefined
  /** The turn that put a message into the log. */
  turnOf(messageId: string): TurnRecord | undefined
  /** The turns that follow one, or without an id those that begin the conversation, in the order in which they started. */
  following(turnId: string | undefined): readonly TurnRecord[]
}

/** The turns of a log that is read once. */
export function readTurns(entries: readonly Entry[]): readonly TurnRecord[] {
  return new TurnLogReader().read(entries).records
}

/**
 * Reads a log again whenever it has changed. What came at its end costs as much as the turns that it is about; the rest is
 * read anew only where something came before it, or was replaced.
 */
export class TurnLogReader {
  #source: readonly Entry[] = []
  #log: TurnLog = NOTHING_READ
  #index = new TurnIndex()

  /** The same object until the log has changed. */
  read(source: readonly Entry[]): TurnLog {
    const { entries } = this.#log
    const isGrown = source === this.#source || beginsWith(source, entries)
    this.#source = source
    if (isGrown && source.length === entries.length) return this.#log
    if (!isGrown) this.#index = new TurnIndex()
    for (let at = isGrown ? entries.length : 0; at < source.length; at++) {
      const entry = source[at]
      if (entry !== undefined) this.#index.add(entry)
    }
    this.#log = this.#index.log([...source], this.#log.records)
    return this.#log
  }
}

function beginsWith(entries: readonly Entry[], start: readonly Entry[]): boolean {
  return entries.length >= start.length && start.every((entry, index) => entry === entries[index])
}

const NOTHING_READ: TurnLog = {
  entries: [],
  records: [],
  turn: () => undefined,
  turnOf: () => undefined,
  following: () => [],
}

/** What is known of one turn. */
interface Turn {
  /** Of the turns, from 0. */
  readonly index: number
  readonly own: Entry[]
  readonly nested: Entry[]
}

/** The turns of a log that grows at its end. */
class TurnIndex {
  readonly #tree = new TurnTree()
  readonly #turns = new Map<string, Turn>()
  readonly #turnOfMessage = new Map<string, string>()
  readonly #following = new Map<string | undefined, string[]>()
  readonly #changed = new Set<string>()
  #isAllChanged = true

  add(entry: Entry): void {
    if (this.#tree.add(entry)) this.#isAllChanged = true
    const { turnId, path } = entry
    if (turnId === undefined) return
    const turn = this.#turns.get(turnId) ?? (path === undefined ? this.#begin(turnId) : undefined)
    // An agent runs within a turn that has begun.
    if (turn === undefined) return
    this.#changed.add(turnId)
    if (path !== undefined) {
      turn.nested.push(entry)
      return
    }
    turn.own.push(entry)
    if (entry.type === 'message') this.#turnOfMessage.set(entry.message.id, turnId)
  }

  /** What has been read so far. Records that tell the same as those of `before` are the same objects. */
  log(entries: readonly Entry[], before: readonly TurnRecord[]): TurnLog {
    const records = this.#isAllChanged ? this.#readAll(before) : this.#readChanged(before)
    this.#isAllChanged = false
    this.#changed.clear()
    // What is read later knows more; where a turn stands among the others stays.
    const recordOf = (turnId: string | undefined): TurnRecord | undefined =>
      turnId === undefined ? undefined : records[this.#turns.get(turnId)?.index ?? -1]
    return {
      entries,
      records,
      turn: recordOf,
      turnOf: (messageId) => recordOf(this.#turnOfMessage.get(messageId)),
      following: (turnId) =>
        (this.#following.get(turnId) ?? []).flatMap((id) => {
          const record = recordOf(id)
          return record === undefined ? [] : [record]
        }),
    }
  }

  #begin(turnId: string): Turn {
    const turn: Turn = { index: this.#turns.size, own: [], nested: [] }
    this.#turns.set(turnId, turn)
    const { parentId } = this.#tree.placeOf(turnId)
    const siblings = this.#following.get(parentId)
    if (siblings === undefined) this.#following.set(parentId, [turnId])
    else siblings.push(turnId)
    return turn
  }

  #readAll(before: readonly TurnRecord[]): readonly TurnRecord[] {
    const known = new Map(before.map((record) => [record.turnId, record]))
    return [...this.#turns].map(([turnId, turn]) => {
      const record = this.#read(turnId, turn)
      const same = known.get(turnId)
      return same !== undefined && isSameRecord(same, record) ? same : record
    })
  }

  #readChanged(before: readonly TurnRecord[]): readonly TurnRecord[] {
    if (this.#changed.size === 0) return before
    const records = [...before]
    for (const turnId of this.#changed) {
      const turn = this.#turns.get(turnId)
      if (turn !== undefined) records[turn.index] = this.#read(turnId, turn)
    }
    return records
  }

  #read(turnId: string, turn: Turn): TurnRecord {
    return toRecord(turnId, turn, { number: turn.index + 1, place: this.#tree.placeOf(turnId) })
  }
}
