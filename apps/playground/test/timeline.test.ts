import type { AssistantMessage, Entry, EntryDraft } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { readTurns } from '../src/app/turn-log.ts'
import type { TurnRecord } from '../src/app/turn-records.ts'
import { buildTimeline } from '../src/inspector/timeline.ts'

const BEGAN = 1_000_000

function log(facts: readonly (readonly [ms: number, draft: EntryDraft])[]): Entry[] {
  return facts.map(([ms, draft], index) => ({ turnId: 't1', ...draft, sequence: index + 1, at: BEGAN + ms }))
}

const reply: AssistantMessage = {
  id: 'm1',
  role: 'assistant',
  createdAt: BEGAN,
  content: [],
  stopReason: 'toolUse',
  timing: { firstTokenMs: 100, totalMs: 300 },
}

function started(callId: string, attempt = 1): EntryDraft {
  return { type: 'tool-started', callId, toolName: 'calculate', input: {}, idempotencyKey: callId, attempt }
}

function settled(callId: string, startedMs: number, durationMs: number): EntryDraft {
  const time = { startedAt: BEGAN + startedMs, durationMs }
  return { type: 'tool-settled', callId, toolName: 'calculate', status: 'ok', result: { content: [] }, ...time }
}

const START: EntryDraft = { type: 'turn-started', agentName: 'a', modelId: 'm', history: true }
const END: EntryDraft = { type: 'turn-ended', outcome: { kind: 'completed' }, usage: {}, iterations: 1 }

function onlyTurn(entries: Entry[]): TurnRecord {
  const [record] = readTurns(entries)
  if (record === undefined) throw new Error('the log has no turn')
  return record
}

describe('buildTimeline', () => {
  it('ends what was started before where a call is started again', () => {
    const entries = log([
      [0, START],
      [400, { type: 'message', message: reply }],
      [410, started('c1')],
      [900, started('c1', 2)],
      [1100, settled('c1', 900, 200)],
    ])

    const { steps } = buildTimeline(onlyTurn(entries), { now: BEGAN + 1200, calls: new Map() })

    const tools = steps.flatMap(({ rows }) => rows.filter(({ kind }) => kind === 'tool'))
    expect(tools.map(({ fromMs, toMs, isRunning, tone }) => [fromMs, toMs, isRunning, tone])).toEqual([
      [410, 900, false, 'warn'],
      [900, 1100, false, 'plain'],
    ])
  })

  it('lets tools that ran at the same time overlap', () => {
    const entries = log([
      [0, START],
      [400, { type: 'message', message: reply }],
      [410, started('c1')],
      [410, started('c2')],
      [610, settled('c2', 410, 200)],
      [910, settled('c1', 410, 500)],
      [1000, END],
    ])

    const { steps, totalMs } = buildTimeline(onlyTurn(entries), { now: 0, calls: new Map() })

    expect(totalMs).toBe(1000)
    expect(steps).toHaveLength(1)
    expect(steps[0]?.rows.map(({ kind, fromMs, toMs }) => [kind, fromMs, toMs])).toEqual([
      ['start', 0, 100],
      ['model', 100, 400],
      ['tool', 410, 910],
      ['tool', 410, 610],
      ['checkpoint', 1000, 1000],
    ])
  })

  it('shows how long a call waited for a person', () => {
    const request = { id: 'r', callId: 'c1', toolName: 'calculate', ask: 'approve', input: {}, inputHash: '' } as const
    const entries = log([
      [0, START],
      [400, { type: 'message', message: reply }],
      [410, { type: 'approval-requested', ...request }],
      [420, { type: 'turn-paused', pending: [request] }],
      [5000, { type: 'approval-decided', id: 'r', allow: true, by: 'user' }],
    ])
    const waits = (count: number) => {
      const { steps } = buildTimeline(onlyTurn(entries.slice(0, count)), { now: BEGAN + 9000, calls: new Map() })
      const row = steps[0]?.rows.at(-1)
      return [row?.kind, row?.fromMs, row?.toMs, row?.facts[1]?.[1]]
    }

    expect(waits(4)).toEqual(['wait', 410, 420, 'not yet'])
    expect(waits(5)).toEqual(['wait', 410, 5000, 'Allowed by you'])
  })

  it('draws what is going on up to now', () => {
    const entries = log([
      [0, START],
      [400, { type: 'message', message: reply }],
      [410, started('c1')],
    ])

    const { steps, totalMs } = buildTimeline(onlyTurn(entries), { now: BEGAN + 900, calls: new Map() })

    expect(totalMs).toBe(900)
    expect(steps[0]?.rows.at(-1)).toMatchObject({ isRunning: true, fromMs: 410, toMs: 900 })
  })

  it('adds the model call that has not ended as a step of its own', () => {
    const entries = log([[0, START]])
    const live = { now: BEGAN + 500, calls: new Map(), modelSince: BEGAN + 10 }

    const { steps } = buildTimeline(onlyTurn(entries), live)

    expect(steps[0]?.rows).toMatchObject([{ kind: 'model', isRunning: true, fromMs: 10, toMs: 500 }])
  })

  it('puts what an agent did under the call that ran it, on the same axis', () => {
    const inside = (draft: EntryDraft): EntryDraft => ({ ...draft, path: ['c1'] })
    const said: AssistantMessage = { ...reply, id: 'm2', content: [{ type: 'text', text: 'Three.' }] }
    const entries = log([
      [0, START],
      [400, { type: 'message', message: reply }],
      [410, started('c1')],
      [420, inside(START)],
      [500, inside(started('c2'))],
      [600, inside(settled('c2', 500, 100))],
      [900, inside({ type: 'message', message: said })],
      [910, inside(END)],
      [920, settled('c1', 410, 510)],
      [1000, END],
    ])

    const rows = buildTimeline(onlyTurn(entries), { now: 0, calls: new Map() }).steps.flatMap((step) => step.rows)
    const nested = rows.filter(({ parent }) => parent !== undefined)

    expect(nested.map(({ parent, label, fromMs, toMs }) => [parent, label, fromMs, toMs])).toEqual([
      ['c1-1', 'calculate', 500, 600],
      ['c1-1', 'model', 600, 900],
    ])
    expect(nested[1]?.facts[0]).toEqual(['said', 'Three.'])
  })
})

describe('readTurns', () => {
  it('tells a turn that waits from one that goes on', () => {
    const entries = log([
      [0, START],
      [10, { type: 'turn-paused', pending: [] }],
      [20, { type: 'approval-decided', id: 'r', allow: true, by: 'user' }],
    ])

    expect(onlyTurn(entries.slice(0, 2))).toMatchObject({ outcome: { kind: 'awaiting' }, endedAt: BEGAN + 10 })
    expect(onlyTurn(entries).outcome).toBeUndefined()
  })

  it('numbers turns, ends them, and leaves out entries between them', () => {
    const entries = log([
      [0, START],
      [10, END],
      [20, { type: 'session-changed', title: 'Cars' }],
    ]).map((entry) => (entry.type === 'session-changed' ? withoutTurn(entry) : entry))
    const second = log([[30, START]]).map((entry) => ({ ...entry, turnId: 't2', sequence: 4 }))

    const records = readTurns([...entries, ...second])

    expect(records.map(({ number, outcome }) => [number, outcome?.kind])).toEqual([
      [1, 'completed'],
      [2, undefined],
    ])
  })
})

function withoutTurn({ turnId: _turnId, ...entry }: Entry): Entry {
  return entry
}
