import type { AssistantMessage, CallView, Entry, Usage } from '@turnloop/core'
import type { HookNote } from '../app/hook-notes.ts'
import type { TurnRecord } from '../app/turn-records.ts'
import { decisionWords } from '../chat/decided-calls.ts'
import { callAnchor, messageAnchor } from '../chat/places.ts'
import { callStateWord } from '../chat/tool-words.ts'
import { hookRows } from './hook-rows.ts'
import { nestedRows } from './nested-rows.ts'
import { placeHooks } from './place-hooks.ts'
import { factMs, knownFacts, type TimelineRow, type TimelineStep } from './timeline-step.ts'

/** A turn laid out in time: its steps in order, and how long all of it took. */
export interface Timeline {
  readonly steps: readonly TimelineStep[]
  readonly totalMs: number
}

/** What is going on and is not in the log yet. */
export interface LiveFacts {
  readonly now: number
  readonly open?: AssistantMessage | undefined
  /** Since when the model has been working; absent while it is not. */
  readonly modelSince?: number | undefined
  readonly calls: ReadonlyMap<string, CallView>
  /** What hooks have told. Default: nothing. */
  readonly notes?: readonly HookNote[]
}

/** Lay a turn out in time: what its log says, and, if it runs, what is going on now. */
export function buildTimeline(record: TurnRecord, live: LiveFacts): Timeline {
  const isRunning = record.endedAt === undefined
  const end = record.endedAt ?? live.now
  const steps: { number: number; rows: TimelineRow[] }[] = []
  const step = (): TimelineRow[] => {
    if (steps.length === 0) steps.push({ number: 1, rows: [] })
    return steps.at(-1)?.rows ?? []
  }
  for (const entry of record.entries) {
    if (entry.type === 'message' && entry.message.role === 'assistant') {
      steps.push({ number: steps.length + 1, rows: [modelRow(entry.message, entry, record)] })
    } else if (entry.type === 'tool-started') {
      const row = toolRow(entry, record, { ...live, now: end })
      step().push(row, ...nestedRows(record, row, (turn) => buildTimeline(turn, { now: end, calls: NO_CALLS }).steps))
    } else if (entry.type === 'approval-requested') {
      step().push(waitRow(entry, record, end))
    } else if (entry.type === 'checkpoint') {
      step().push(checkpointRow(entry, entry.position, record))
    }
  }
  const growing = isRunning ? growingModelRow(record, live) : undefined
  if (growing) steps.push({ number: steps.length + 1, rows: [growing] })
  const hooks = hookRows(record, live.notes ?? [], end)
  const askedMs = Math.max(0, ...hooks.map(({ place, row }) => (place === 'question' ? row.toMs : 0)))
  const first = steps[0]?.rows[0]
  if (first !== undefined && first.fromMs - askedMs >= SHORTEST_START_MS)
    steps[0]?.rows.unshift(startRow(askedMs, first.fromMs))
  const labelled = steps.map((step) => ({ ...step, label: `iteration ${step.number}` }))
  const placed = placeHooks(labelled, hooks, repliesOf(record))
  return { steps: withEnd(placed, record), totalMs: Math.max(1, end - record.startedAt) }
}

/** The end of a turn is a checkpoint too, behind all that hooks still did in it. */
function withEnd(steps: readonly TimelineStep[], record: TurnRecord): readonly TimelineStep[] {
  const ended = record.entries.find(({ type }) => type === 'turn-ended')
  const last = steps.at(-1)
  if (ended === undefined || last === undefined) return steps
  return [...steps.slice(0, -1), { ...last, rows: [...last.rows, checkpointRow(ended, 'end', record)] }]
}

const NO_CALLS: ReadonlyMap<string, CallView> = new Map()

function repliesOf({ entries }: TurnRecord): number[] {
  return entries.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'assistant' ? [entry.sequence] : [],
  )
}

/** A shorter beginning is not worth a row. */
const SHORTEST_START_MS = 20

function startRow(fromMs: number, toMs: number): TimelineRow {
  return {
    key: 'start',
    kind: 'start',
    label: 'getting ready',
    fromMs,
    toMs,
    isRunning: false,
    tone: 'plain',
    facts: [['meaning', 'The session opens its log, lists the tools and asks for the instructions.']],
  }
}

function modelRow(message: AssistantMessage, entry: Entry, record: TurnRecord): TimelineRow {
  const totalMs = message.timing?.totalMs ?? entry.at - message.createdAt
  const toMs = entry.at - record.startedAt
  return {
    key: message.id,
    kind: 'model',
    label: 'model',
    fromMs: Math.max(0, toMs - totalMs),
    toMs,
    isRunning: false,
    tone: message.stopReason === 'error' ? 'bad' : message.partial || message.synthetic ? 'warn' : 'plain',
    sequence: entry.sequence,
    anchor: messageAnchor(message.id),
    facts: knownFacts([
      ['model', message.modelId],
      ['first token', factMs(message.timing?.firstTokenMs)],
      ['total', factMs(totalMs)],
      ['tokens', tokens(message.usage)],
      ['stop reason', message.stopReason],
      ['entry', `#${entry.sequence}`],
    ]),
  }
}

function growingModelRow(record: TurnRecord, live: LiveFacts): TimelineRow | undefined {
  if (live.modelSince === undefined) return undefined
  return {
    key: 'growing',
    kind: 'model',
    label: 'model',
    fromMs: Math.max(0, live.modelSince - record.startedAt),
    toMs: live.now - record.startedAt,
    isRunning: true,
    tone: 'plain',
    facts: [],
    ...(live.open && { anchor: messageAnchor(live.open.id) }),
  }
}

function toolRow(entry: Extract<Entry, { type: 'tool-started' }>, record: TurnRecord, live: LiveFacts): TimelineRow {
  const call = live.calls.get(entry.callId)
  const again = record.entries.find((other) => isLaterStart(other, entry))
  const settled = record.entries.find(
    (other) => other.type === 'tool-settled' && other.callId === entry.callId && other.late !== true,
  )
  const result = settled?.type === 'tool-settled' && again === undefined ? settled : undefined
  const from = result?.startedAt ?? entry.at
  const durationMs = result ? (result.durationMs ?? result.at - from) : (again?.at ?? live.now) - from
  const word = again ? 'started again' : call ? callStateWord(call) : ''
  return {
    key: `${entry.callId}-${entry.attempt}`,
    kind: 'tool',
    label: entry.toolName,
    fromMs: Math.max(0, from - record.startedAt),
    toMs: from + durationMs - record.startedAt,
    isRunning: result === undefined && again === undefined && record.endedAt === undefined,
    tone: again ? 'warn' : toneOf(result?.status),
    anchor: callAnchor(entry.callId),
    callId: entry.callId,
    sequence: entry.sequence,
    facts: knownFacts([
      ['state', word],
      ['took', factMs(durationMs)],
      ['attempt', String(entry.attempt)],
      ['arguments', JSON.stringify(entry.input)],
      ['entries', result ? `#${entry.sequence}, #${result.sequence}` : `#${entry.sequence}`],
    ]),
  }
}

/** Whether a call was started again, as after a reload: then what was started before has come to nothing. */
function isLaterStart(other: Entry, { callId, attempt }: Extract<Entry, { type: 'tool-started' }>): boolean {
  return other.type === 'tool-started' && other.callId === callId && other.attempt > attempt
}

/** From the question to the decision; what was never decided waited to the end of the turn. */
function waitRow(entry: Extract<Entry, { type: 'approval-requested' }>, record: TurnRecord, end: number): TimelineRow {
  const found = record.entries.find((other) => other.type === 'approval-decided' && other.id === entry.id)
  const decided = found?.type === 'approval-decided' ? found : undefined
  const isOpen = record.outcome === undefined || record.outcome.kind === 'awaiting'
  const words = decided && decisionWords({ asked: entry, decided })
  return {
    key: `wait-${entry.id}`,
    kind: 'wait',
    label: 'waits for you',
    fromMs: Math.max(0, entry.at - record.startedAt),
    toMs: (decided?.at ?? end) - record.startedAt,
    isRunning: false,
    tone: 'plain',
    anchor: callAnchor(entry.callId),
    callId: entry.callId,
    sequence: entry.sequence,
    facts: [
      ['tool', entry.toolName],
      ['decided', words ?? (isOpen ? 'not yet' : 'never')],
      ['shown', JSON.stringify(entry.input)],
      ['entries', decided ? `#${entry.sequence}, #${decided.sequence}` : `#${entry.sequence}`],
    ],
  }
}

function toneOf(status: string | undefined): TimelineRow['tone'] {
  if (status === undefined || status === 'ok') return 'plain'
  return status === 'error' ? 'bad' : 'warn'
}

type CheckpointPosition = keyof typeof CHECKPOINTS

function checkpointRow(entry: Entry, position: CheckpointPosition, record: TurnRecord): TimelineRow {
  const at = entry.at - record.startedAt
  const { label, meaning } = CHECKPOINTS[position]
  return {
    key: `checkpoint-${entry.sequence}`,
    kind: 'checkpoint',
    label: `checkpoint: ${label}`,
    fromMs: at,
    toMs: at,
    isRunning: false,
    tone: 'plain',
    sequence: entry.sequence,
    ...(position !== 'reply' && { isPlace: true as const }),
    facts: [
      ['meaning', meaning],
      ['entry', `#${entry.sequence}`],
    ],
  }
}

const CHECKPOINTS = {
  reply: {
    label: 'reply whole',
    meaning: 'After a crash the turn goes on from here: the reply is whole, its tools are run.',
  },
  batch: {
    label: 'tools answered',
    meaning: 'After a crash the turn goes on from here: every tool is answered, the model is asked next.',
  },
  end: { label: 'turn over', meaning: 'The turn has ended: what is asked next follows from here.' },
} as const

function tokens(usage: Usage | undefined): string {
  if (usage === undefined) return ''
  const parts = [
    usage.inputTokens !== undefined && `${usage.inputTokens.toLocaleString('en')} in`,
    usage.outputTokens !== undefined && `${usage.outputTokens.toLocaleString('en')} out`,
    usage.cachedInputTokens !== undefined && `${usage.cachedInputTokens.toLocaleString('en')} cached`,
  ]
  return parts.filter(Boolean).join(', ')
}
