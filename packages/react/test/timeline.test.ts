import { type AssistantMessage, type Entry, type EntryDraft, type LiveEvent, systemClock } from '@turnloop/core'
import { expect, test } from 'vitest'
import type { Note } from '../src/devtools/notes.ts'
import { type Timeline, timelineOf } from '../src/devtools/timeline.ts'
import { TurnLog } from '../src/devtools/turn-log.ts'

/** An entry at a time, in ms after the turn began. */
type Timed = readonly [at: number, draft: EntryDraft]
type NoteDraft = LiveEvent extends infer One
  ? One extends LiveEvent
    ? Omit<One, 'turnId' | 'at' | 'after'>
    : never
  : never

function logOf(...drafts: readonly Timed[]): Entry[] {
  return drafts.map(([at, draft], index) => ({ turnId: 't', ...draft, at, sequence: index + 1 }))
}

function note(at: number, draft: NoteDraft): Note {
  // Each kind is whole once these three are added, which the compiler cannot tell of a union.
  return { ...draft, turnId: 't', at, after: 0 } as Note
}

function layOut(entries: readonly Entry[], notes: readonly Note[] = [], now = 1_000): Timeline {
  const [turn] = new TurnLog().read(entries)
  if (turn === undefined) throw new Error('no turn')
  return timelineOf(turn, notes, now)
}

/** One line a row: how deep, what, from and to. */
function drawn({ rows }: Timeline): string[] {
  return rows.map(({ depth, kind, label, from, to }) => `${'  '.repeat(depth)}${kind} ${label} ${from}-${to}`)
}

const STARTED: Timed = [0, { type: 'turn-started', agentName: 'a', modelId: 'm', history: true }]
const ENDED = { type: 'turn-ended', outcome: { kind: 'completed' }, usage: {}, iterations: 1 } as const

function reply(id: string, totalMs: number, more: Partial<AssistantMessage> = {}): EntryDraft {
  const base = { id, role: 'assistant', createdAt: 0, content: [], stopReason: 'endTurn', modelId: 'm' } as const
  return { type: 'message', message: { ...base, timing: { totalMs }, ...more } }
}

function started(callId: string, toolName: string): EntryDraft {
  return { type: 'tool-started', callId, toolName, input: {}, idempotencyKey: callId, attempt: 1 }
}

function settled(callId: string, toolName: string, startedAt: number, durationMs: number): EntryDraft {
  return { type: 'tool-settled', callId, toolName, status: 'ok', result: { content: [] }, startedAt, durationMs }
}

test('calls of one batch overlap, under the iteration that asked for them', () => {
  const entries = logOf(
    STARTED,
    [100, reply('r1', 90, { stopReason: 'toolUse' })],
    [110, started('a', 'slow')],
    [111, started('b', 'quick')],
    [150, settled('b', 'quick', 111, 39)],
    [200, settled('a', 'slow', 110, 90)],
    [290, reply('r2', 80)],
    [291, ENDED],
  )

  expect(drawn(layOut(entries))).toEqual([
    'iteration Iteration 1 10-210',
    '  model m 10-100',
    '  tool slow 110-200',
    '  tool quick 111-150',
    'iteration Iteration 2 210-290',
    '  model m 210-290',
    '  notice turn ended 291-291',
  ])
})

test('a model call tells its first token and its tokens', () => {
  const timing = { firstTokenMs: 40, totalMs: 90 }
  const usage = { inputTokens: 1_200, outputTokens: 34, cachedInputTokens: 1_000 }
  const { rows } = layOut(logOf(STARTED, [100, reply('r', 90, { timing, usage })]))

  expect(rows.find(({ kind }) => kind === 'model')).toMatchObject({
    firstTokenMs: 40,
    detail: '90 ms · first 40 ms · 1,200 in (1,000 cached), 34 out',
  })
})

test('what goes on has no end yet', () => {
  const entries = logOf(STARTED, [100, reply('r', 90, { stopReason: 'toolUse' })], [110, started('a', 'slow')])
  const { rows, to } = layOut(entries, [], 500)

  expect(rows.at(-1)).toMatchObject({ label: 'slow', to: 500, isRunning: true })
  expect(to).toBe(500)
})

test('a call that never settled does not run in a turn that is over', () => {
  const entries = logOf(STARTED, [110, started('a', 'slow')], [200, ENDED])

  expect(layOut(entries).rows.some(({ isRunning }) => isRunning)).toBe(false)
})

test('a call that was refused and one that came late are points', () => {
  const refused = {
    type: 'tool-settled',
    callId: 'a',
    toolName: 'one',
    status: 'denied',
    result: { content: [] },
  } as const
  const late = { ...refused, callId: 'b', status: 'ok', late: true } as const
  const { rows } = layOut(logOf(STARTED, [10, refused], [20, late]))

  expect(rows.map(({ label, from, to, detail }) => [label, from, to, detail])).toEqual([
    ['one', 10, 10, 'denied'],
    ['one', 20, 20, 'late: ok'],
  ])
})

test('a question to a person lasts until it is decided', () => {
  const asked = { id: 'q', callId: 'a', toolName: 'pay', ask: 'approve', input: {}, inputHash: 'h' } as const
  const entries = logOf(
    STARTED,
    [10, { type: 'approval-requested', ...asked }],
    [70, { type: 'approval-decided', id: 'q', allow: false, by: 'user' }],
  )

  expect(layOut(entries).rows).toMatchObject([{ kind: 'wait', from: 10, to: 70, detail: '60 ms · not allowed' }])
})

test('a try that failed stands with its retry under the iteration of the reply', () => {
  const entries = logOf(STARTED, [400, reply('r2', 90)], [401, ENDED])
  const notes = [
    note(10, { type: 'iteration-started', iteration: 1 }),
    note(10, { type: 'model-started', messageId: 'r1', modelId: 'm' }),
    note(60, { type: 'retry', reason: 'overloaded', delayMs: 250, discarded: 'r1' }),
    note(310, { type: 'model-started', messageId: 'r2', modelId: 'm' }),
  ]

  expect(drawn(layOut(entries, notes))).toEqual([
    'iteration Iteration 1 10-400',
    '  model m 10-60',
    '  retry waits to try again 60-310',
    '  model m 310-400',
    '  notice turn ended 401-401',
  ])
})

test('the reply that grows is a model call that runs', () => {
  const notes = [
    note(10, { type: 'iteration-started', iteration: 1 }),
    note(11, { type: 'model-started', messageId: 'r', modelId: 'm' }),
  ]

  expect(layOut(logOf(STARTED), notes, 90).rows.at(-1)).toMatchObject({
    kind: 'model',
    from: 11,
    to: 90,
    isRunning: true,
  })
})

test('a hook around a call stands below it, and others in their time', () => {
  const entries = logOf(
    STARTED,
    [100, reply('r', 80, { stopReason: 'toolUse' })],
    [110, started('a', 'slow')],
    [200, settled('a', 'slow', 110, 90)],
  )
  const hook = (id: string, slot: string, callId?: string): NoteDraft => ({
    ...{ type: 'hook-started', id, hook: id, slot },
    ...(callId && { callId }),
  })
  const notes = [
    note(5, hook('question', 'preHooks')),
    note(8, { type: 'hook-blocked', id: 'question', hook: 'question', slot: 'preHooks' }),
    note(105, hook('around', 'toolHooks', 'a')),
    note(205, { type: 'hook-finished', id: 'around', hook: 'around', slot: 'toolHooks', callId: 'a' }),
  ]

  expect(drawn(layOut(entries, notes)).slice(0, 5)).toEqual([
    '  check question 5-8',
    'iteration Iteration 1 20-205',
    '  model m 20-100',
    '  tool slow 110-200',
    '    hook around 105-205',
  ])
})

test('an agent that runs as a tool stands below its call', () => {
  const inner = (draft: EntryDraft): EntryDraft => ({ ...draft, path: ['a'] })
  const entries = logOf(
    STARTED,
    [10, started('a', 'researcher')],
    [50, inner(reply('i1', 30, { stopReason: 'toolUse' }))],
    [60, inner(started('b', 'search'))],
    [80, inner(settled('b', 'search', 60, 20))],
    [90, settled('a', 'researcher', 10, 80)],
  )

  expect(drawn(layOut(entries))).toEqual(['  tool researcher 10-90', '    model m 20-50', '    tool search 60-80'])
})

test('saves last until nothing waits, and a full store is told', () => {
  const storage = (at: number, waiting: number, state: 'ready' | 'full' = 'ready'): Note => ({
    ...{ type: 'storage', turnId: 't', at, after: at },
    storage: { state, waiting, ...(state === 'full' && { message: 'No room.' }) },
  })
  const notes = [storage(10, 1), storage(12, 2), storage(30, 0), storage(50, 3, 'full'), storage(90, 0)]

  expect(layOut(logOf(STARTED), notes).rows).toMatchObject([
    { kind: 'save', label: 'save', from: 10, to: 30, detail: '20 ms · 2 waiting at most' },
    { kind: 'save', label: 'storage full', from: 50, to: 90, tone: 'bad', detail: '40 ms · No room.' },
  ])
})

test('a compaction lasts from its start to its report', () => {
  const report = { hidden: 8, kept: 2, tokensBefore: 900, tokensAfter: 100 }
  const notes = [
    note(10, { type: 'compaction-started', hidden: 8, usedTokens: 900 }),
    note(40, { type: 'compaction-finished', ...report }),
  ]

  expect(layOut(logOf(STARTED), notes).rows).toMatchObject([
    { kind: 'compaction', from: 10, to: 40, detail: '30 ms · 900 to 100 tokens' },
  ])
})

test('two warnings of one moment are two rows', () => {
  const notes = ['one', 'two'].map((message) => note(10, { type: 'warning', message }))

  const { rows } = layOut(logOf(STARTED), notes)
  expect(new Set(rows.map(({ key }) => key)).size).toBe(2)
})

test('notes of other turns are not drawn', () => {
  const other: Note = { type: 'warning', message: 'elsewhere', turnId: 'u', at: systemClock.now(), after: 0 }

  expect(layOut(logOf(STARTED), [other]).rows).toEqual([])
})
