import type { SessionHead } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { findSessions, groupSessions } from '../src/sessions/group-sessions.ts'

function session(title: string, updatedAt: Date): SessionHead {
  const at = updatedAt.getTime()
  return { id: title, title, createdAt: at, updatedAt: at, lastSequence: 1, turns: 1, state: {}, usage: {}, queue: [] }
}

const NOW = new Date(2026, 10, 30, 0, 30).getTime()

describe('groupSessions', () => {
  it('goes by the calendar, not by hours', () => {
    const sessions = [
      session('just now', new Date(2026, 10, 30, 0, 5)),
      session('an hour ago', new Date(2026, 10, 29, 23, 50)),
      session('days ago', new Date(2026, 10, 28, 23, 59)),
      session('a week ago', new Date(2026, 10, 23, 0, 0)),
      session('long ago', new Date(2026, 10, 22, 23, 59)),
    ]

    const groups = groupSessions(sessions, NOW)

    expect(groups.map(({ label, sessions: own }) => [label, own.map(({ title }) => title)])).toEqual([
      ['Today', ['just now']],
      ['Yesterday', ['an hour ago']],
      ['Last 7 days', ['days ago', 'a week ago']],
      ['Earlier', ['long ago']],
    ])
  })
})

describe('findSessions', () => {
  it('wants every word, in any order and case', () => {
    const sessions = [session('Average horsepower by origin', new Date(NOW)), session('Rain by month', new Date(NOW))]

    expect(findSessions(sessions, 'ORIGIN average').map(({ title }) => title)).toEqual(['Average horsepower by origin'])
    expect(findSessions(sessions, '  ')).toHaveLength(2)
  })
})
