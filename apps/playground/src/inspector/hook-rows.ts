import { formatDuration } from '../app/format.ts'
import type { HookNote, HookRun } from '../app/hook-notes.ts'
import type { TurnRecord } from '../app/turn-records.ts'
import { callAnchor } from '../chat/places.ts'
import {
  DID_MEANING,
  didWord,
  evalFacts,
  failureFacts,
  type Place,
  placeOf,
  RETRACTED,
  type RowFacts,
  slotWords,
} from './hook-words.ts'
import { factMs, knownFacts, type TimelineRow } from './timeline-step.ts'

/** A row about a hook, and where in its turn it belongs. */
export interface HookRow {
  readonly row: TimelineRow
  readonly place: Place | 'call'
  /** The last entry that was in the log by then. */
  readonly after: number
}

/**
 * What hooks did in a turn, in order: as this page has heard it, and what only the log tells, as after a reload: who
 * blocked, what failed, what evals found, without times.
 */
export function hookRows(record: TurnRecord, notes: readonly HookNote[], now: number): HookRow[] {
  const own = notes.filter(({ turnId }) => turnId === record.turnId)
  const ends = new Map(own.flatMap((note) => (isRun(note) && note.type !== 'hook-started' ? [[note.id, note]] : [])))
  const heard = own.flatMap((note): HookRow[] => {
    if (!isRun(note)) return [noteRow(note, record)]
    return note.type === 'hook-started' ? [runRow(note, ends.get(note.id), { record, now })] : []
  })
  return [...heard, ...storedRows(record, own)]
}

function isRun(note: HookNote): note is HookRun {
  return 'id' in note
}

function runRow(
  started: HookRun,
  end: HookRun | undefined,
  { record, now }: { record: TurnRecord; now: number },
): HookRow {
  const { id, hook, slot, callId, at, after } = started
  const fromMs = Math.max(0, at - record.startedAt)
  const isRunning = end === undefined && record.endedAt === undefined
  const durationMs = end === undefined ? Math.max(0, now - at) : (end.durationMs ?? end.at - at)
  const did = didWord(end ?? started, isRunning)
  const why = end?.type === 'hook-blocked' ? blockWords(record, end) : end?.error?.message
  return {
    place: callId === undefined ? placeOf(slot) : 'call',
    after,
    row: {
      key: `hook-${id}`,
      kind: 'hook',
      label: hook,
      fromMs,
      toMs: fromMs + durationMs,
      isRunning,
      tone: toneOf(end),
      detail: `${did} · ${formatDuration(durationMs)}`,
      ...(callId !== undefined && { callId, anchor: callAnchor(callId) }),
      facts: knownFacts([
        ['where', slotWords(slot)],
        ['did', DID_MEANING[did]],
        ['why', why],
        ['took', factMs(durationMs)],
      ]),
    },
  }
}

function toneOf(end: HookRun | undefined): TimelineRow['tone'] {
  return end?.type === 'hook-blocked' || end?.type === 'hook-failed' ? 'warn' : 'plain'
}

/** Why a turn was blocked, where that is what this hook did. */
function blockWords({ outcome }: TurnRecord, { hook, slot }: { hook: string; slot: string }): string | undefined {
  if (outcome?.kind !== 'blocked' || outcome.hook !== hook || outcome.slot !== slot) return undefined
  return outcome.trigger === undefined ? outcome.message : `${outcome.message} (${outcome.trigger})`
}

function noteRow(note: Exclude<HookNote, HookRun>, record: TurnRecord): HookRow {
  const { at, after } = note
  const ms = Math.max(0, at - record.startedAt)
  const about = note.type === 'eval-result' ? note.name : note.type === 'content-retracted' ? note.messageId : note.hook
  const base = { key: `${note.type}-${about}-${at}`, kind: 'hook', fromMs: ms, toMs: ms, isRunning: false } as const
  switch (note.type) {
    case 'eval-result':
      return { place: note.phase === 'input' ? 'question' : 'model', after, row: { ...base, ...evalFacts(note) } }
    case 'background-hook-failed': {
      const row = { ...base, ...failureFacts(note), detail: 'failed in the background' }
      return { place: placeOf(note.slot), after, row }
    }
    case 'content-retracted':
      return { place: 'model', after, row: { ...base, ...RETRACTED } }
  }
}

/** What the end of a turn tells of its hooks and the page has not heard. */
function storedRows(record: TurnRecord, heard: readonly HookNote[]): HookRow[] {
  const end = record.entries.find((entry) => entry.type === 'turn-ended')
  if (end === undefined) return []
  const { outcome, hookErrors = [], evals = [] } = end
  const atMs = Math.max(0, end.at - record.startedAt)
  const base = { kind: 'hook', fromMs: atMs, toMs: atMs, isRunning: false } as const
  const wasHeard = (type: HookNote['type'], name: string): boolean =>
    heard.some((note) => note.type === type && ('hook' in note ? note.hook : 'name' in note && note.name) === name)
  const rows: HookRow[] = []
  const add = (place: HookRow['place'], facts: RowFacts): void => {
    rows.push({ place, after: end.sequence, row: { ...base, key: `stored-${rows.length}`, ...facts } })
  }
  for (const failure of hookErrors)
    if (!wasHeard('hook-failed', failure.hook)) add(placeOf(failure.slot), failureFacts(failure))
  for (const result of evals)
    if (!wasHeard('eval-result', result.name)) add(result.phase === 'input' ? 'question' : 'model', evalFacts(result))
  if (outcome.kind === 'blocked' && outcome.hook !== undefined && !wasHeard('hook-blocked', outcome.hook)) {
    const { hook, slot = '' } = outcome
    const facts = knownFacts([
      ['where', slotWords(slot)],
      ['did', DID_MEANING.blocked],
      ['why', blockWords(record, { hook, slot })],
    ])
    add(placeOf(slot), { label: hook, detail: 'blocked', tone: 'warn', facts })
  }
  return rows
}
