import type { AssistantMessage, CallView } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { formatBytes, formatDuration, joinWords } from '../src/app/format.ts'
import type { TurnRecord } from '../src/app/turn-records.ts'
import { activityWords } from '../src/chat/activity-words.ts'
import { leftBehind } from '../src/chat/outcome-words.ts'
import { callProgress, callStateWord, callSubject } from '../src/chat/tool-words.ts'

function call(toolName: string, more: Partial<CallView> = {}): CallView {
  return { callId: toolName, toolName, turnId: 't1', state: 'running', inputText: '{}', ...more }
}

function settledAs(toolName: string, status: 'ok' | 'cancelled' | 'unknown' | 'not-run'): CallView {
  return call(toolName, { state: 'settled', result: { callId: toolName, toolName, status, result: { content: [] } } })
}

const RECORD: TurnRecord = { turnId: 't1', number: 1, startedAt: 0, messageIds: [], entries: [] }

describe('the words of a call', () => {
  it('say what it is about, from the argument that tells most', () => {
    expect(callSubject(call('query_table', { input: { limit: 5, sql: 'SELECT\n  1' } }))).toBe('SELECT 1')
    expect(callSubject(call('slow_count', { input: { to: 20 } }))).toBe('to 20')
    expect(callSubject(call('unknown_tool', { input: { nested: {}, city: 'Beijing' } }))).toBe('Beijing')
  })

  it('say nothing of arguments that are still being written', () => {
    expect(callSubject(call('query_table', { state: 'input-streaming', inputText: '{"sql":"SEL' }))).toBe('')
  })

  it('name an outcome that nobody knows', () => {
    expect(callStateWord(settledAs('slow_count', 'unknown'))).toBe('outcome unknown')
  })

  it('read progress with and without a known end', () => {
    expect(callProgress(call('slow_count', { progress: { label: 'Counted 5 of 20', done: 5, total: 20 } }))).toEqual({
      label: 'Counted 5 of 20',
      share: 0.25,
    })
    expect(callProgress(call('slow_count', { progress: { label: 'Reading' } }))).toEqual({ label: 'Reading' })
    expect(callProgress(call('slow_count', { progress: 7 }))).toBeUndefined()
  })
})

describe('activityWords', () => {
  const running = { status: 'running', calls: new Map<string, CallView>() } as const

  it('tells a running tool in its own words', () => {
    const calls = new Map([['a', call('slow_count', { progress: { label: 'Counted 5 of 20' } })]])

    const turn = { openCalls: ['a'] }
    expect(activityWords({ ...running, calls, turn, activity: { kind: 'tools', since: 0 } })).toBe('Counted 5 of 20…')
  })

  it('counts tools that run at the same time', () => {
    const calls = new Map([
      ['a', call('query_table')],
      ['b', call('calculate')],
    ])

    const turn = { openCalls: ['a', 'b'] }
    expect(activityWords({ ...running, calls, turn, activity: { kind: 'tools', since: 0 } })).toBe(
      'Running 2 tools at the same time…',
    )
  })

  it('tells thinking from writing', () => {
    const open: AssistantMessage = { id: 'm', role: 'assistant', createdAt: 0, content: [], stopReason: 'other' }
    const thinking = { ...open, content: [{ type: 'reasoning', text: 'hm' } as const] }
    const activity = { kind: 'model', since: 0 } as const

    expect(activityWords({ ...running, activity })).toBe('Waiting for the model…')
    expect(activityWords({ ...running, activity, open: thinking })).toBe('Thinking…')
  })

  it('is silent when nothing runs', () => {
    expect(activityWords({ status: 'idle', calls: new Map() })).toBe('')
  })
})

describe('leftBehind', () => {
  it('tells what is kept, what was stopped and what nobody knows', () => {
    const calls = [
      settledAs('query_table', 'ok'),
      settledAs('save_note', 'unknown'),
      settledAs('draw_chart', 'not-run'),
    ]

    expect(leftBehind(RECORD, calls).join(' ')).toBe(
      'What query_table found is kept. Whether save_note took effect is not known. draw_chart did not run.',
    )
  })

  it('says that the question is kept when nothing else had happened', () => {
    expect(leftBehind(RECORD, [])).toEqual(['Your question is kept; nothing else had happened yet.'])
  })
})

describe('figures for people', () => {
  it('are given at the precision one reads', () => {
    expect([124.4, 2104, 59_960, 65_000].map(formatDuration)).toEqual(['124 ms', '2.1 s', '1 min', '1 min 5 s'])
    expect([812, 812_400, 1_440_000].map(formatBytes)).toEqual(['812 bytes', '812 kB', '1.4 MB'])
    expect(joinWords(['a', 'b', 'c'])).toBe('a, b and c')
  })
})
