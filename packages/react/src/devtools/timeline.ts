import type { Entry } from '@turnloop/core'
import type { Note } from './notes.ts'
import { rowsOfEntries } from './rows-of-entries.ts'
import { rowsOfNotes } from './rows-of-notes.ts'
import { type Draft, isTry, lasting, type TimelineRow } from './timeline-row.ts'
import type { LoggedTurn } from './turn-log.ts'

/** A turn laid out in time. */
export interface Timeline {
  /** As they are drawn, from top to bottom: iterations, what happens in each by its beginning, and below a call what is its. */
  readonly rows: readonly TimelineRow[]
  /** Epoch ms. */
  readonly from: number
  readonly to: number
}

/**
 * Lay a turn out in time: from its log, and from what was heard while it ran. After a reload there are no notes, and hooks,
 * retries and failed saves are missing. Costs the size of the turn, whatever came before it.
 */
export function timelineOf(turn: LoggedTurn, notes: readonly Note[], now: number): Timeline {
  const isOver = turn.endedAt !== undefined
  const end = turn.endedAt ?? now
  const rows = named(
    rowsOfAgent({ entries: turn.entries, notes: notes.filter(({ turnId }) => turnId === turn.turnId) }, [], {
      now: end,
      isOver,
    }),
  )
  const from = turn.startedAt
  return { rows, from, to: Math.max(from + 1, end, ...rows.map(({ to }) => to)) }
}

/** Each row with a key of its own: two warnings may come in one moment. */
function named(rows: readonly TimelineRow[]): readonly TimelineRow[] {
  const seen = new Map<string, number>()
  return rows.map((row) => {
    const before = seen.get(row.key) ?? 0
    seen.set(row.key, before + 1)
    return before === 0 ? row : { ...row, key: `${row.key}-${before}` }
  })
}

interface Heard {
  readonly entries: readonly Entry[]
  readonly notes: readonly Note[]
}

/** The rows of the agent that `path` leads to; those of agents that its calls run stand below the calls. */
function rowsOfAgent(heard: Heard, path: readonly string[], when: { now: number; isOver: boolean }): TimelineRow[] {
  const own = heard.entries.filter((entry) => pathOf(entry).length === path.length)
  const replies = new Set(own.flatMap((entry) => (entry.type === 'message' ? [entry.message.id] : [])))
  const ownNotes = heard.notes.filter((note) => pathOf(note).length === path.length)
  const drafts = [...rowsOfEntries(own, when), ...rowsOfNotes(ownNotes, { ...when, replies })]
  const inner = byCall(heard, path.length)
  const depth = path.length > 0 ? path.length + 1 : 1
  const { top, below } = placed(drafts)
  const nested = (row: Draft): TimelineRow[] => {
    if (row.kind !== 'tool' || row.callId === undefined) return []
    const hooks = below.get(row.key) ?? []
    const found = inner.get(row.callId)
    const agent = found === undefined ? [] : rowsOfAgent(found, [...path, row.callId], when)
    return [...hooks.map((hook) => ({ ...hook, depth: depth + 1 })), ...agent]
  }
  const flat = top.flatMap((row): TimelineRow[] => [{ ...row, depth }, ...nested(row)])
  return path.length > 0 ? flat : withIterations(flat, ownNotes)
}

function pathOf(event: Entry | Note): readonly string[] {
  return 'path' in event && event.path !== undefined ? event.path : []
}

function byCall({ entries, notes }: Heard, depth: number): ReadonlyMap<string, Heard> {
  const found = new Map<string, { entries: Entry[]; notes: Note[] }>()
  const at = (callId: string): { entries: Entry[]; notes: Note[] } => {
    const known = found.get(callId) ?? { entries: [], notes: [] }
    found.set(callId, known)
    return known
  }
  for (const entry of entries) {
    const callId = pathOf(entry)[depth]
    if (callId !== undefined) at(callId).entries.push(entry)
  }
  for (const note of notes) {
    const callId = pathOf(note)[depth]
    if (callId !== undefined) at(callId).notes.push(note)
  }
  return found
}

/** Sort rows by their beginning, with those around a call apart, by the key of the last run of that call. */
function placed(drafts: readonly Draft[]): { top: Draft[]; below: ReadonlyMap<string, Draft[]> } {
  const calls = new Map(drafts.flatMap(({ kind, callId, key }) => (kind === 'tool' && callId ? [[callId, key]] : [])))
  const below = new Map<string, Draft[]>()
  const top: Draft[] = []
  for (const row of drafts.toSorted((a, b) => a.from - b.from)) {
    const key = row.under === undefined ? undefined : calls.get(row.under)
    if (key === undefined) top.push(row)
    else below.set(key, [...(below.get(key) ?? []), row])
  }
  return { top, below }
}

/** Put a head before each model call and what it led to; tries that failed stand under the head of their reply. */
function withIterations(rows: readonly TimelineRow[], notes: readonly Note[]): TimelineRow[] {
  const starts = notes.flatMap((note) => (note.type === 'iteration-started' ? [note.at] : []))
  const result: TimelineRow[] = []
  let head: { index: number; isAnswered: boolean } | undefined
  let count = 0
  const close = (to: number): void => {
    const row = head && result[head.index]
    if (head && row)
      result[head.index] = { ...row, to: Math.max(row.from, to), detail: lasting(row.from, Math.max(row.from, to)) }
  }
  const open = (from: number): void => {
    close(from)
    count += 1
    head = { index: result.length, isAnswered: false }
    const key = `iteration-${count}`
    result.push({
      key,
      kind: 'iteration',
      label: `Iteration ${count}`,
      from,
      to: from,
      detail: '',
      depth: 0,
      source: [],
    })
  }
  for (const row of rows) {
    const isCall = row.kind === 'model' && row.depth === 1
    // A call that is in the log by its length may seem to begin a moment before its iteration.
    const isStarted = starts[0] !== undefined && starts[0] <= (isCall ? row.to : row.from)
    const started = isStarted ? starts.shift() : undefined
    if (started !== undefined) open(Math.min(started, row.from))
    else if (isCall && (head === undefined || head.isAnswered)) open(row.from)
    if (head && isCall && !isTry(row)) head.isAnswered = true
    result.push(row)
  }
  close(Math.max(0, ...rows.filter(({ kind }) => kind !== 'notice').map(({ to }) => to)))
  return result
}
