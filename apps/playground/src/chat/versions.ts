import type { TurnLog } from '../app/turn-log.ts'
import { currentTurn, type TurnRecord } from '../app/turn-records.ts'

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

/** The versions of a question and its answer, by the id of its message; `undefined` where it is the only one. */
export function versionsOf(question: string, log: TurnLog): Versions | undefined {
  const current = log.turnOf(question)
  if (current === undefined || current.isSetAside || !asks(current) || current.messageIds[0] !== question)
    return undefined
  const siblings = log
    .following(current.parentId)
    .filter((record) => asks(record) && record.startsIn === current.startsIn)
  const all = siblings.flatMap((record) => [record, ...answersInstead(record, log)])
  if (all.length < 2) return undefined
  const index = all.findLastIndex(({ isSetAside }) => !isSetAside)
  const earlier = endOf(all[index - 1], log)
  const later = endOf(all[index + 1], log)
  return {
    number: index + 1,
    count: all.length,
    ...(earlier !== undefined && { earlier }),
    ...(later !== undefined && { later }),
  }
}

/** Whether a turn put a question into the conversation. */
function asks({ entries }: TurnRecord): boolean {
  const first = entries.find((entry) => entry.type === 'message')
  return first?.message.role === 'user'
}

/** The turns that answered the question of another once more, in place of its answer. */
function answersInstead({ turnId }: TurnRecord, log: TurnLog): readonly TurnRecord[] {
  return log.following(turnId).filter((record) => record.startsIn && !asks(record))
}

/** What was left by going back and has nothing in its place yet; absent where the conversation goes on. */
export function setAsideAtEnd(log: TurnLog): SetAside | undefined {
  const last = currentTurn(log.records)
  const next = log.following(last?.turnId).findLast(({ isSetAside, startsIn }) => isSetAside && !startsIn)
  if (next === undefined) {
    const end = last?.cutAt === undefined || wasCutByGoing(last) ? undefined : lastCheckpoint(last)
    return end === undefined ? undefined : { turns: 0, end }
  }
  const way = wayFrom(next, log)
  const end = lastCheckpoint(way.at(-1))
  return end === undefined ? undefined : { turns: way.length, end }
}

/** Whether a turn was ended only because somebody went away from it: there is no more of it to bring back. */
function wasCutByGoing({ outcome }: TurnRecord): boolean {
  return outcome?.kind === 'cancelled' && outcome.reason === 'rewound'
}

function endOf(record: TurnRecord | undefined, log: TurnLog): number | undefined {
  return record && lastCheckpoint(wayFrom(record, log).at(-1))
}

/** A turn, whole, and those after it, by the way that was taken last. */
function wayFrom(record: TurnRecord, log: TurnLog): TurnRecord[] {
  const way = [record]
  const nextOf = ({ turnId }: TurnRecord): TurnRecord | undefined =>
    log.following(turnId).findLast(({ startsIn }) => !(startsIn && way.length === 1))
  for (let next = nextOf(record); next !== undefined; next = nextOf(next)) way.push(next)
  return way
}

/** Where a turn, or what there is of it, can be gone back to. */
function lastCheckpoint(record: TurnRecord | undefined): number | undefined {
  return record?.entries.findLast((entry) => entry.type === 'turn-ended' || entry.type === 'checkpoint')?.sequence
}
