import type { AssistantMessage, Entry, EntryDraft, Outcome } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import type { HookNote } from '../src/app/hook-notes.ts'
import { readTurns } from '../src/app/turn-log.ts'
import type { TurnRecord } from '../src/app/turn-records.ts'
import { buildTimeline } from '../src/inspector/timeline.ts'

const BEGAN = 1_000_000

/** A turn of one call: the entries 1 to 8, ten milliseconds apart. */
function turn(end: Partial<Extract<EntryDraft, { type: 'turn-ended' }>> = {}): TurnRecord {
  const reply: AssistantMessage = {
    id: 'm1',
    role: 'assistant',
    createdAt: BEGAN,
    content: [],
    stopReason: 'toolUse',
    timing: { totalMs: 10 },
  }
  const result = { toolName: 'calculate', status: 'ok', result: { content: [] } } as const
  const drafts: EntryDraft[] = [
    { type: 'turn-started', agentName: 'a', modelId: 'm', history: true },
    { type: 'message', message: { id: 'q', role: 'user', createdAt: BEGAN, content: [] } },
    { type: 'message', message: reply },
    { type: 'checkpoint', position: 'reply' },
    { type: 'tool-started', callId: 'c', toolName: 'calculate', input: {}, idempotencyKey: 'c', attempt: 1 },
    { type: 'tool-settled', callId: 'c', ...result },
    { type: 'checkpoint', position: 'batch' },
    { type: 'turn-ended', outcome: { kind: 'completed' }, usage: {}, iterations: 1, ...end },
  ]
  const entries = drafts.map((draft, index): Entry => {
    return { turnId: 't1', ...draft, sequence: index + 1, at: BEGAN + 10 * index }
  })
  const [record] = readTurns(entries)
  if (record === undefined) throw new Error('the log has no turn')
  return record
}

interface Ran {
  readonly after: number
  readonly callId?: string
  readonly changed?: true
  readonly did?: 'hook-finished' | 'hook-failed' | 'hook-blocked'
}

/** What a hook of a slot, named after it, tells of one run of three milliseconds. */
function ran(slot: string, { after, callId, changed, did = 'hook-finished' }: Ran): HookNote[] {
  const at = BEGAN + 10 * after
  const call = callId !== undefined && { callId }
  const base = { turnId: 't1', after, id: `${slot} ${after}`, hook: slot, slot, ...call }
  return [
    { ...base, type: 'hook-started', at },
    { ...base, type: did, at: at + 3, durationMs: 3, ...(changed && { changed }) },
  ]
}

function rowsOf(record: TurnRecord, notes: readonly HookNote[]): (readonly [string, readonly string[]])[] {
  const { steps } = buildTimeline(record, { now: 0, calls: new Map(), notes })
  return steps.map(({ label, rows }) => [
    label,
    rows.map((row) => [row.parent === undefined ? '' : '> ', row.label, row.detail && `: ${row.detail}`].join('')),
  ])
}

describe('hooks in the time line', () => {
  it('stand under the call or the model call they were around', () => {
    const notes = [
      ...ran('preHooks', { after: 1, changed: true }),
      ...ran('beforeModelCall', { after: 2 }),
      ...ran('postHooks', { after: 2 }),
      ...ran('beforeToolCall', { after: 4 }),
      ...ran('toolHooks', { after: 4, callId: 'c' }),
      ...ran('afterToolCall', { after: 6 }),
      ...ran('afterTurn', { after: 7 }),
    ]

    expect(rowsOf(turn(), notes)).toEqual([
      ['your question', ['preHooks: changed · 3 ms']],
      [
        'iteration 1',
        [
          'model',
          '> beforeModelCall: ran · 3 ms',
          '> postHooks: passed · 3 ms',
          'checkpoint: reply whole',
          'beforeToolCall: ran · 3 ms',
          'calculate',
          '> toolHooks: ran · 3 ms',
          'afterToolCall: ran · 3 ms',
          'checkpoint: tools answered',
        ],
      ],
      ['end of the turn', ['afterTurn: ran · 3 ms', 'checkpoint: turn over']],
    ])
  })

  it('say what they did not let go on, and what failed', () => {
    const notes = [
      ...ran('preHooks', { after: 1, did: 'hook-failed' }),
      ...ran('postHooks', { after: 2, did: 'hook-blocked' }),
    ]

    expect(rowsOf(turn(), notes).flatMap(([, rows]) => rows)).toEqual(
      expect.arrayContaining(['preHooks: failed · 3 ms', '> postHooks: blocked · 3 ms']),
    )
  })

  it('show evals, text that was taken back, and what failed later', () => {
    const base = { turnId: 't1', at: BEGAN + 25 }
    const error = { name: 'Error', code: 'internal', message: 'No mail was sent.' } as const
    const notes: HookNote[] = [
      { ...base, after: 1, type: 'eval-result', name: 'tone', phase: 'input', score: 0.25, passed: false },
      { ...base, after: 2, type: 'content-retracted', messageId: 'm1' },
      { ...base, after: 8, type: 'background-hook-failed', hook: 'mail', slot: 'afterTurn', error },
    ]

    const rows = rowsOf(turn(), notes)

    expect(rows[0]).toEqual(['your question', ['tone: score 0.25, not passed']])
    expect(rows[1]?.[1]).toContain('> text taken back: did not pass')
    expect(rows[2]).toEqual(['end of the turn', ['mail: failed in the background', 'checkpoint: turn over']])
  })

  it('of another turn are not shown', () => {
    const notes = ran('preHooks', { after: 1 }).map((note) => ({ ...note, turnId: 't0' }))

    expect(rowsOf(turn(), notes).map(([label]) => label)).toEqual(['iteration 1'])
  })
})

describe('what only the log tells of hooks', () => {
  const error = { name: 'Error', code: 'internal', message: 'No.' } as const
  const outcome: Outcome = { kind: 'blocked', source: 'guardrail', hook: 'words', slot: 'postHooks', phase: 'output' }
  const ended = turn({
    outcome: { ...outcome, message: 'Not this.', trigger: 'off_topic' },
    hookErrors: [{ hook: 'preHooks', slot: 'preHooks', error }],
    evals: [{ name: 'tone', phase: 'output', score: 1 }],
  })

  it('is shown without times', () => {
    expect(rowsOf(ended, [])).toEqual([
      ['your question', ['preHooks: failed']],
      ['iteration 1', expect.arrayContaining(['> tone: score 1', '> words: blocked'])],
    ])
  })

  it('is shown once where the page has heard it', () => {
    const heard = ran('preHooks', { after: 1, did: 'hook-failed' })

    expect(rowsOf(ended, heard)[0]).toEqual(['your question', ['preHooks: failed · 3 ms']])
  })
})
