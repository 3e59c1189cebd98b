import type { HookEvent } from '@turnloop/core'
import type { Note, NotedEvent, StorageNote } from './notes.ts'
import { type Draft, lasting, point, tryKey } from './timeline-row.ts'

/** When rows end that have not. */
export interface Horizon {
  readonly now: number
  /** Nothing of the turn runs any more. */
  readonly isOver: boolean
  /** The replies that are in the log: their model calls are told there. */
  readonly replies: ReadonlySet<string>
}

/** The rows that only live events tell: hooks and guardrails, retries, failed tries, compactions, storage that does not save, warnings. */
export function rowsOfNotes(notes: readonly Note[], horizon: Horizon): Draft[] {
  return [
    ...hookRows(notes, horizon),
    ...tryRows(notes, horizon),
    ...compactionRows(notes, horizon),
    ...saveRows(notes, horizon),
    ...notes.flatMap(noticeRows),
  ]
}

type Noted<Kind extends NotedEvent['type']> = Extract<NotedEvent, { type: Kind }>
type HookNote = Extract<NotedEvent, HookEvent>

function hookRows(notes: readonly Note[], horizon: Horizon): Draft[] {
  const told = notes.filter((note): note is HookNote => note.type.startsWith('hook-'))
  const ends = new Map(told.flatMap((note) => (note.type === 'hook-started' ? [] : [[note.id, note]])))
  return told.flatMap((note) => (note.type === 'hook-started' ? [hookRow(note, ends.get(note.id), horizon)] : []))
}

/** Slots whose hooks say whether something may go on. */
const CHECKS: ReadonlySet<string> = new Set(['toolGuardrails', 'preHooks', 'postHooks'])

function hookRow(started: HookNote, end: HookNote | undefined, { now, isOver }: Horizon): Draft {
  const { id, hook, slot, callId, at } = started
  const to = end === undefined ? now : at + (end.durationMs ?? end.at - at)
  const did = end === undefined ? (isOver ? 'never ended' : 'runs') : didWord(end)
  return {
    key: `hook-${id}`,
    kind: CHECKS.has(slot) ? 'check' : 'hook',
    label: hook,
    from: at,
    to,
    ...(end === undefined && !isOver && { isRunning: true }),
    ...(did === 'blocked' ? { tone: 'warn' } : did === 'failed' && { tone: 'bad' }),
    detail: lasting(at, to, slot, did),
    under: callId,
    source: end === undefined ? [started] : [started, end],
  }
}

function didWord({ type, changed, slot }: HookNote): string {
  if (type === 'hook-blocked') return 'blocked'
  if (type === 'hook-failed') return 'failed'
  if (changed) return 'changed'
  return CHECKS.has(slot) ? 'passed' : 'ran'
}

/** Model calls that are no reply in the log: tries that failed, and the one that is going on. */
function tryRows(notes: readonly Note[], { now, isOver, replies }: Horizon): Draft[] {
  const rows: Draft[] = []
  let open: Noted<'model-started'> | undefined
  const end = (to: number, retry?: Noted<'retry'>): void => {
    if (open === undefined) return
    const { at, messageId, modelId } = open
    if (!replies.has(messageId)) rows.push(tryRow(open, { to, retry, label: modelId, at, isOver }))
    open = undefined
  }
  for (const note of notes) {
    if (note.type === 'model-started') {
      end(note.at)
      open = note
    } else if (note.type === 'retry') {
      end(note.at, note)
      rows.push(retryRow(note))
    }
  }
  end(now)
  return rows
}

interface Try {
  readonly at: number
  readonly to: number
  readonly label: string
  readonly retry: Noted<'retry'> | undefined
  readonly isOver: boolean
}

function tryRow(started: Noted<'model-started'>, { at, to, label, retry, isOver }: Try): Draft {
  const isRunning = retry === undefined && !isOver
  return {
    key: tryKey(started.messageId, at),
    kind: 'model',
    label,
    from: at,
    to,
    ...(isRunning ? { isRunning } : { tone: 'bad' }),
    detail: lasting(at, to, isRunning ? 'answers' : 'no reply'),
    source: retry === undefined ? [started] : [started, retry],
  }
}

function retryRow(note: Noted<'retry'>): Draft {
  const { at, delayMs, reason } = note
  const to = at + delayMs
  return {
    key: `retry-${at}`,
    kind: 'retry',
    label: 'waits to try again',
    from: at,
    to,
    tone: 'warn',
    detail: lasting(at, to, reason),
    source: [note],
  }
}

function compactionRows(notes: readonly Note[], { now, isOver }: Horizon): Draft[] {
  const rows: Draft[] = []
  for (const note of notes) {
    if (note.type === 'compaction-started') {
      const base = { key: `compaction-${note.at}`, kind: 'compaction', label: 'compaction', from: note.at } as const
      const running = isOver ? {} : ({ isRunning: true } as const)
      rows.push({ ...base, ...running, to: now, detail: `${note.hidden} messages`, source: [note] })
    } else if (note.type === 'compaction-finished' || note.type === 'compaction-failed') {
      const started = rows.pop()
      if (started === undefined) continue
      const { isRunning: _isRunning, from, source, ...rest } = started
      const words =
        note.type === 'compaction-failed' ? note.error.message : `${note.tokensBefore} to ${note.tokensAfter} tokens`
      const tone = note.type === 'compaction-failed' ? ({ tone: 'bad' } as const) : {}
      rows.push({
        ...rest,
        ...tone,
        from,
        to: note.at,
        detail: lasting(from, note.at, words),
        source: [...source, note],
      })
    }
  }
  return rows
}

/** From the first entry that waits to be saved until none does; a store that does not save is told as what is wrong with it. */
function saveRows(notes: readonly Note[], { now, isOver }: Horizon): Draft[] {
  const rows: Draft[] = []
  let open: StorageNote[] = []
  const end = (to: number): void => {
    const [first] = open
    if (first === undefined) return
    const most = Math.max(...open.map(({ storage }) => storage.waiting))
    const worst = open.find(({ storage }) => isBad(storage.state))?.storage
    rows.push({
      key: `save-${first.at}-${first.after}`,
      kind: 'save',
      label: worst === undefined ? 'save' : `storage ${worst.state}`,
      from: first.at,
      to,
      ...(worst && { tone: 'bad' }),
      detail: lasting(first.at, to, worst?.message ?? `${most} waiting at most`),
      source: open,
    })
    open = []
  }
  for (const note of notes) {
    if (note.type !== 'storage') continue
    const isWaiting = note.storage.waiting > 0 || isBad(note.storage.state)
    if (isWaiting || open.length > 0) open.push(note)
    if (!isWaiting) end(note.at)
  }
  if (open.length > 0) end(isOver ? (open.at(-1)?.at ?? now) : now)
  return rows
}

function isBad(state: StorageNote['storage']['state']): boolean {
  return state !== 'ready' && state !== 'memory'
}

function noticeRows(note: Note): Draft[] {
  const base = { key: `${note.type}-${note.at}-${note.after}`, kind: 'notice', from: note.at, source: [note] } as const
  switch (note.type) {
    case 'warning':
      return [point({ ...base, label: 'warning', tone: 'warn', detail: note.message })]
    case 'background-hook-failed':
      return [
        point({
          ...base,
          kind: 'hook',
          label: note.hook,
          tone: 'bad',
          detail: `in the background: ${note.error.message}`,
        }),
      ]
    case 'eval-result':
      return [point({ ...base, kind: 'hook', label: `eval ${note.name}`, detail: `score ${note.score}` })]
    case 'content-retracted':
      return [point({ ...base, kind: 'check', label: 'text taken back', tone: 'warn', detail: '' })]
    case 'custom':
      return [point({ ...base, label: note.name, detail: 'custom event' })]
    default:
      return []
  }
}
