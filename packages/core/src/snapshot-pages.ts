import { type Entry, isNested } from './entries.ts'
import { EMPTY_SNAPSHOT, reduceLog, withSource } from './reduce.ts'
import type { SessionHead } from './session-store.ts'
import { startBefore } from './shown-messages.ts'
import type { Snapshot } from './snapshot.ts'

/** The snapshot of the last part of a log, whole turns, with what its head says of the rest. */
export function tailSnapshot(start: Snapshot, entries: readonly Entry[], head: SessionHead): Snapshot {
  const isKnown = ({ sequence }: Entry): boolean => sequence <= head.lastSequence
  const { title, usage, state } = head
  const tail = reduceLog(start, entries.filter(isKnown))
  const headed = { ...tail, usage, state, states: [], ...(head.isNamed && title !== undefined && { title }) }
  const after = reduceLog(
    headed,
    entries.filter((entry) => !isKnown(entry)),
  )
  return entries[0] === undefined ? after : showFrom(after, entries[0].sequence)
}

/** The snapshot with what stands in the log right before what it knows; what it shows stays as it is. */
export function withEarlier(snapshot: Snapshot, older: readonly Entry[]): Snapshot {
  if (older.length === 0) return snapshot
  const before = reduceLog(EMPTY_SNAPSHOT, older)
  const { source } = snapshot
  return {
    ...snapshot,
    calls: new Map([...before.calls, ...snapshot.calls]),
    source: {
      ...source,
      messages: [...before.source.messages, ...source.messages],
      overlays: [...before.source.overlays, ...source.overlays],
      undone: [...before.source.undone, ...source.undone],
      rewinds: [...before.source.rewinds, ...source.rewinds],
    },
  }
}

/** The snapshot with what only the whole log tells: how the state came about, what was used, its title. */
export function withPast(snapshot: Snapshot, log: readonly Entry[]): Snapshot {
  const isToldBy = (entry: Entry): boolean => !isNested(entry) && PAST.has(entry.type)
  const { state, states, usage, title, turn } = reduceLog(EMPTY_SNAPSHOT, log.filter(isToldBy))
  const { title: _title, ...rest } = snapshot
  return {
    ...rest,
    ...{ state, states, usage },
    ...(title !== undefined && { title }),
    ...(snapshot.turn && turn && { turn: { ...snapshot.turn, stateBefore: turn.stateBefore } }),
  }
}

const PAST: ReadonlySet<Entry['type']> = new Set([
  'turn-started',
  'turn-ended',
  'state-changed',
  'rewound',
  'overlay',
  'session-changed',
])

/** Whether an entry changes the state in a way that only the whole log tells. */
export function needsPast(entry: Entry): boolean {
  if (isNested(entry)) return false
  return entry.type === 'rewound' || (entry.type === 'turn-ended' && entry.commitState === false)
}

/** The snapshot with about `count` more messages at its front; `undefined` where more of the log has to be read for that. */
export function showEarlier(
  snapshot: Snapshot,
  { count, isWhole }: { readonly count: number; readonly isWhole: boolean },
): Snapshot | undefined {
  if (snapshot.source.from === undefined) return snapshot
  const from = startBefore(snapshot.source, { count, isWhole })
  return from === 'unread' ? undefined : showFrom(snapshot, from)
}

/** The snapshot that shows messages from a sequence on; `undefined`: all of them. */
export function showFrom(snapshot: Snapshot, from: number | undefined): Snapshot {
  const { from: _from, ...source } = snapshot.source
  return withSource(snapshot, from === undefined ? source : { ...source, from })
}
