import { currentTurn, type TurnRecord } from '../app/turn-records.ts'
import { turnsByQuestion } from './turn-places.ts'

/** The other questions that were put in the place of one, and where each of their ways ends. */
export interface Versions {
  /** Of how many, in the order they were asked. From 1. */
  readonly number: number
  readonly count: number
  /** The checkpoint that the one before this leads to, if there is one. */
  readonly earlier?: number
  readonly later?: number
}

/** What was set aside behind the end of the conversation: how much, and the checkpoint that brings it back. */
export interface SetAside {
  readonly turns: number
  readonly end: number
}

/** The versions of each question that has several, by the id of its message. */
export function versionsOf(records: readonly TurnRecord[]): ReadonlyMap<string, Versions> {
  const byPlace = new Map<string | undefined, TurnRecord[]>()
  for (const record of turnsByQuestion(records).values()) {
    const siblings = byPlace.get(record.parentId)
    if (siblings === undefined) byPlace.set(record.parentId, [record])
    else siblings.push(record)
  }
  const byQuestion = new Map<string, Versions>()
  for (const siblings of byPlace.values()) {
    const index = siblings.findIndex(({ isSetAside }) => !isSetAside)
    const key = siblings[index]?.messageIds[0]
    if (siblings.length < 2 || key === undefined) continue
    const earlier = endOf(siblings[index - 1], records)
    const later = endOf(siblings[index + 1], records)
    byQuestion.set(key, {
      number: index + 1,
      count: siblings.length,
      ...(earlier !== undefined && { earlier }),
      ...(later !== undefined && { later }),
    })
  }
  return byQuestion
}

/** What was left by going back and has nothing in its place yet; absent where the conversation goes on. */
export function setAsideAtEnd(records: readonly TurnRecord[]): SetAside | undefined {
  const last = currentTurn(records)
  const next = records.findLast(({ parentId, isSetAside }) => isSetAside && parentId === last?.turnId)
  if (next === undefined) {
    const end = last?.cutAt === undefined || wasCutByGoing(last) ? undefined : lastCheckpoint(last)
    return end === undefined ? undefined : { turns: 0, end }
  }
  const way = wayFrom(next, records)
  const end = lastCheckpoint(way.at(-1))
  return end === undefined ? undefined : { turns: way.length, end }
}

/** Whether a turn was ended only because somebody went away from it: there is no more of it to bring back. */
function wasCutByGoing({ outcome }: TurnRecord): boolean {
  return outcome?.kind === 'cancelled' && outcome.reason === 'rewound'
}

function endOf(record: TurnRecord | undefined, records: readonly TurnRecord[]): number | undefined {
  return record && lastCheckpoint(wayFrom(record, records).at(-1))
}

/** A turn and those after it, by the way that was taken last. */
function wayFrom(record: TurnRecord, records: readonly TurnRecord[]): TurnRecord[] {
  const way = [record]
  for (let on: TurnRecord | undefined = record; on !== undefined; ) {
    const { turnId }: TurnRecord = on
    on = records.findLast(({ parentId }) => parentId === turnId)
    if (on !== undefined) way.push(on)
  }
  return way
}

/** Where a turn, or what there is of it, can be gone back to. */
function lastCheckpoint(record: TurnRecord | undefined): number | undefined {
  return record?.entries.findLast((entry) => entry.type === 'turn-ended' || entry.type === 'checkpoint')?.sequence
}
