import type { AssistantMessage, Entry, Usage } from '@turnloop/core'
import { formatCount, formatMs } from './format.ts'
import { jsonLine } from './json-text.ts'
import { type Draft, lasting, point } from './timeline-row.ts'

/**
 * The rows that the log alone tells of one agent's part in a turn: model calls, tools, what people were asked, checkpoints.
 * `now` is where what has not ended ends; with `isOver`, nothing of it runs any more.
 */
export function rowsOfEntries(entries: readonly Entry[], { now, isOver }: { now: number; isOver: boolean }): Draft[] {
  const rows: Draft[] = []
  const open = new Map<string, number>()
  const close = (key: string, change: (row: Draft) => Draft): boolean => {
    const index = open.get(key)
    const row = index === undefined ? undefined : rows[index]
    if (index === undefined || row === undefined) return false
    rows[index] = change(row)
    open.delete(key)
    return true
  }
  const begin = (key: string, row: Draft): void => {
    open.set(key, rows.length)
    rows.push(isOver ? row : { ...row, isRunning: true })
  }
  let modelId = 'model'
  for (const entry of entries) {
    if (entry.type === 'turn-started') modelId = entry.modelId
    if (entry.type === 'tool-started') begin(entry.callId, startedRow(entry, now))
    else if (entry.type === 'approval-requested') begin(`ask-${entry.id}`, askedRow(entry, now))
    else if (entry.type === 'tool-settled') {
      const isKnown = !entry.late && close(entry.callId, (row) => settledRow(row, entry))
      if (!isKnown) rows.push(unstartedRow(entry))
    } else if (entry.type === 'approval-decided') close(`ask-${entry.id}`, (row) => decidedRow(row, entry))
    else rows.push(...otherRows(entry, modelId))
  }
  return rows
}

type Of<Kind extends Entry['type']> = Extract<Entry, { type: Kind }>

function startedRow(entry: Of<'tool-started'>, now: number): Draft {
  const { callId, toolName, attempt, at } = entry
  return {
    key: `tool-${entry.sequence}`,
    kind: 'tool',
    label: attempt > 1 ? `${toolName} (attempt ${attempt})` : toolName,
    from: at,
    to: now,
    callId,
    detail: lasting(at, now, jsonLine(entry.input, 60)),
    source: [entry],
  }
}

function settledRow(row: Draft, entry: Of<'tool-settled'>): Draft {
  const { isRunning: _isRunning, ...ended } = row
  const from = entry.startedAt ?? row.from
  const to = entry.durationMs === undefined ? entry.at : from + entry.durationMs
  const detail = lasting(from, to, entry.status !== 'ok' && entry.status)
  return { ...ended, ...toneOf(entry.status), from, to, detail, source: [...row.source, entry] }
}

/** A call that was answered without being run, or an answer that came too late. */
function unstartedRow(entry: Of<'tool-settled'>): Draft {
  return point({
    key: `settled-${entry.sequence}`,
    kind: 'tool',
    label: entry.toolName,
    from: entry.at,
    callId: entry.callId,
    ...toneOf(entry.status),
    detail: entry.late ? `late: ${entry.status}` : entry.status,
    source: [entry],
  })
}

function toneOf(status: string): Pick<Draft, 'tone'> {
  if (status === 'ok') return {}
  return { tone: status === 'error' ? 'bad' : 'warn' }
}

function askedRow(entry: Of<'approval-requested'>, now: number): Draft {
  return {
    key: `ask-${entry.id}`,
    kind: 'wait',
    label: `waits for a person: ${entry.toolName}`,
    from: entry.at,
    to: now,
    under: entry.callId,
    detail: lasting(entry.at, now, entry.ask),
    source: [entry],
  }
}

function decidedRow(row: Draft, entry: Of<'approval-decided'>): Draft {
  const { isRunning: _isRunning, ...ended } = row
  const detail = lasting(row.from, entry.at, entry.allow ? 'allowed' : 'not allowed')
  return { ...ended, to: entry.at, detail, source: [...row.source, entry] }
}

function otherRows(entry: Entry, modelId: string): Draft[] {
  const base = { key: `entry-${entry.sequence}`, from: entry.at, source: [entry] }
  switch (entry.type) {
    case 'message':
      return entry.message.role === 'assistant' ? [modelRow(entry, { modelId, ...entry.message })] : []
    case 'checkpoint':
      return [point({ ...base, kind: 'checkpoint', label: CHECKPOINTS[entry.position], detail: '' })]
    case 'overlay':
      return [point({ ...base, kind: 'compaction', label: `overlay: ${entry.by}`, detail: '' })]
    case 'state-changed':
      return [point({ ...base, kind: 'notice', label: 'state', detail: jsonLine(entry.patch, 60) })]
    case 'stop-requested':
      return [
        point({ ...base, kind: 'notice', label: 'stop asked for', tone: 'warn', detail: jsonLine(entry.reason, 60) }),
      ]
    case 'turn-paused':
      return [point({ ...base, kind: 'notice', label: 'turn paused', detail: `${entry.pending.length} to decide` })]
    case 'turn-ended': {
      const isGood = entry.outcome.kind === 'completed'
      const tone = entry.outcome.kind === 'failed' ? 'bad' : 'warn'
      const row = point({ ...base, kind: 'notice', label: 'turn ended', detail: entry.outcome.kind })
      return [isGood ? row : { ...row, tone }]
    }
    default:
      return []
  }
}

const CHECKPOINTS = { reply: 'reply whole', batch: 'tools answered' } as const

function modelRow(entry: Of<'message'>, message: AssistantMessage & { modelId: string }): Draft {
  const { timing, usage, stopReason } = message
  const from = timing === undefined ? message.createdAt : entry.at - timing.totalMs
  const first = timing?.firstTokenMs
  return {
    key: message.id,
    kind: 'model',
    label: message.modelId,
    from: Math.min(from, entry.at),
    to: entry.at,
    ...(stopReason === 'error' ? { tone: 'bad' } : message.partial && { tone: 'warn' }),
    firstTokenMs: first,
    detail: lasting(
      from,
      entry.at,
      first !== undefined && `first ${formatMs(first)}`,
      tokenWords(usage),
      message.partial && 'cut',
      stopReason !== 'endTurn' && stopReason,
    ),
    source: [entry],
  }
}

/** Tokens in and out, as far as the provider has told. */
export function tokenWords(usage: Usage | undefined): string | undefined {
  const { inputTokens, outputTokens, cachedInputTokens } = usage ?? {}
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  const cached = cachedInputTokens ? ` (${formatCount(cachedInputTokens)} cached)` : ''
  return `${formatCount(inputTokens ?? 0)} in${cached}, ${formatCount(outputTokens ?? 0)} out`
}
