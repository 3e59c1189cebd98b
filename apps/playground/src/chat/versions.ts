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

/** The versions of each question and its answer where there are several, by the id of the question's message. */
export function versionsOf(records: readonly TurnRecord[]): ReadonlyMap<string, Versions> {
  const asked = turnsByQuestion(records)
  const byQuestion = new Map<string, Versions>()
  for (const siblings of siblingsOf([...asked.values()])) {
    const current = siblings.find(({ isSetAside }) => !isSetAside)
    const all = siblings.flatMap((record) => [record, ...answersInstead(record, records, asked)])
    const key = current?.messageIds[0]
    if (all.length < 2 || key === undefined) continue
    const index = all.findLastIndex(({ isSetAside }) => !isSetAside)
    const earlier = endOf(all[index - 1], records)
    const later = endOf(all[index + 1], records)
    byQuestion.set(key, {
      number: index + 1,
      count: all.length,
      ...(earlier !== undefined && { earlier }),
      ...(later !== undefined && { later }),
    })
  }
  return byQuestion
}

/** Turns that asked something in the same place, in the order in which they did. */
function siblingsOf(asked: readonly TurnRecord[]): Iterable<readonly TurnRecord[]> {
  const byPlace = new Map<string, TurnRecord[]>()
  for (const record of asked) {
    const place = `${record.startsIn ? 'in' : 'after'} ${record.parentId ?? ''}`
    const siblings = byPlace.get(place)
    if (siblings === undefined) byPlace.set(place, [record])
    else siblings.push(record)
  }
  return byPlace.values()
}

/** The turns that answered the question of another once more, in place of its answer. */
function answersInstead(
  { turnId }: TurnRecord,
  records: readonly TurnRecord[],
  asked: ReadonlyMap<string, TurnRecord>,
): TurnRecord[] {
  return records.filter(
    (record) => record.startsIn && record.parentId === turnId && asked.get(record.messageIds[0] ?? '') !== record,
  )
}

/** What was left by going back and has nothing in its place yet; absent where the conversation goes on. */
export function setAsideAtEnd(records: readonly TurnRecord[]): SetAside | undefined {
  const last = currentTurn(records)
  const next = records.findLast(
    ({ parentId, isSetAside, startsIn }) => isSetAside && !startsIn && parentId === last?.turnId,
  )
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

/** A turn, whole, and those after it, by the way that was taken last. */
function wayFrom(record: TurnRecord, records: readonly TurnRecord[]): TurnRecord[] {
  const way = [record]
  const isNext = ({ parentId, startsIn }: TurnRecord): boolean =>
    parentId === way.at(-1)?.turnId && !(startsIn && way.length === 1)
  for (let next = records.findLast(isNext); next !== undefined; next = records.findLast(isNext)) way.push(next)
  return way
}

/** Where a turn, or what there is of it, can be gone back to. */
function lastCheckpoint(record: TurnRecord | undefined): number | undefined {
  return record?.entries.findLast((entry) => entry.type === 'turn-ended' || entry.type === 'checkpoint')?.sequence
}
