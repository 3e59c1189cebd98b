import type { Entry, EntryDraft } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { currentTurn, readTurns } from '../src/app/turn-records.ts'
import { setAsideAtEnd, versionsOf } from '../src/chat/versions.ts'

/**
 * A log from what happened, in order: a name is a turn of four entries, or of three if it is in capitals and asks nothing; a
 * number goes back to that entry.
 */
function log(...steps: readonly (string | number)[]): Entry[] {
  const entries: Entry[] = []
  const add = (draft: EntryDraft): void => void entries.push({ ...draft, sequence: entries.length + 1, at: 0 })
  for (const step of steps) {
    if (typeof step === 'number') add({ type: 'rewound', to: step, critical: true })
    else
      for (const draft of turn(step).filter((_, index) => index !== 1 || step !== step.toUpperCase()))
        add({ ...draft, turnId: step })
  }
  return entries
}

function turn(id: string): EntryDraft[] {
  const said = { createdAt: 0, content: [] } as const
  const ended = { outcome: { kind: 'completed' }, usage: {}, iterations: 1, hookErrors: [], evals: [] } as const
  return [
    { type: 'turn-started', agentName: 'agent', modelId: 'model', history: true },
    { type: 'message', message: { ...said, id: `${id}?`, role: 'user' } },
    { type: 'message', message: { ...said, id: `${id}!`, role: 'assistant', stopReason: 'endTurn' } },
    { type: 'turn-ended', ...ended },
  ]
}

const places = (entries: Entry[]) =>
  readTurns(entries).map(({ turnId, parentId = '', isSetAside, cutAt }) =>
    [parentId, '>', turnId, isSetAside ? ' aside' : '', cutAt === undefined ? '' : ` to ${cutAt}`].join(''),
  )

describe('readTurns', () => {
  it('sets aside what was left by going back', () => {
    expect(places(log('a', 'b', 4, 'c'))).toEqual(['>a', 'a>b aside', 'a>c'])
  })

  it('brings back what is gone to again', () => {
    expect(places(log('a', 'b', 4, 'c', 8))).toEqual(['>a', 'a>b', 'a>c aside'])
  })

  it('knows how much of a turn counts where one went back into it', () => {
    expect(places(log('a', 'b', 7))).toEqual(['>a', 'a>b to 7'])
    expect(places(log('a', 'b', 7, 'c'))).toEqual(['>a', 'a>b to 7', 'b>c'])
  })

  it('takes what follows from outside of turns for no part of one', () => {
    const entries: Entry[] = [...log('a', 3), { type: 'session-changed', title: 'Renamed', sequence: 6, at: 0 }]

    expect(places(entries)).toEqual(['>a to 3'])
  })

  it('begins anew at the start', () => {
    expect(places(log('a', 0, 'b'))).toEqual(['>a aside', '>b'])
    expect(currentTurn(readTurns(log('a', 0)))).toBeUndefined()
  })

  it('keeps the object of a turn that has not changed', () => {
    const entries = log('a', 'b', 4)
    const before = readTurns(entries.slice(0, 8))
    const after = readTurns(entries, before)

    expect(after[0]).toBe(before[0])
    expect(after[1]).not.toBe(before[1])
  })
})

describe('versions', () => {
  it('are the questions that were put in one place', () => {
    const versions = versionsOf(readTurns(log('a', 'b', 4, 'c', 4, 'd')))

    expect([...versions]).toEqual([['d?', { number: 3, count: 3, earlier: 13 }]])
  })

  it('lead to the end of the way that was taken last from each', () => {
    const versions = versionsOf(readTurns(log('a', 'b', 0, 'c', 8)))

    expect([...versions]).toEqual([['a?', { number: 1, count: 2, later: 13 }]])
  })

  it('are also the answers that one question was given', () => {
    expect([...versionsOf(readTurns(log('a', 2, 'B')))]).toEqual([['a?', { number: 2, count: 2, earlier: 4 }]])
    expect([...versionsOf(readTurns(log('a', 2, 'B', 4)))]).toEqual([['a?', { number: 1, count: 2, later: 8 }]])
    expect([...versionsOf(readTurns(log('a', 2, 'B', 2, 'C', 'd', 8)))]).toEqual([
      ['a?', { number: 2, count: 3, earlier: 4, later: 16 }],
    ])
  })

  it('are none where every question has its own place', () => {
    expect(versionsOf(readTurns(log('a', 'b')))).toEqual(new Map())
  })
})

describe('what is set aside at the end', () => {
  it('is as many turns as were left, to be brought back by their end', () => {
    expect(setAsideAtEnd(readTurns(log('a', 'b', 'c', 4)))).toEqual({ turns: 2, end: 12 })
    expect(setAsideAtEnd(readTurns(log('a', 'b', 0)))).toEqual({ turns: 2, end: 8 })
  })

  it('is the rest of a turn that was gone back into', () => {
    expect(setAsideAtEnd(readTurns(log('a', 'b', 7)))).toEqual({ turns: 0, end: 8 })
  })

  it('is no other answer to the last question', () => {
    expect(setAsideAtEnd(readTurns(log('a', 2, 'B', 4)))).toBeUndefined()
  })

  it('is nothing once something was asked in its place, or it was brought back', () => {
    expect(setAsideAtEnd(readTurns(log('a', 'b', 4, 'c')))).toBeUndefined()
    expect(setAsideAtEnd(readTurns(log('a', 'b', 4, 8)))).toBeUndefined()
    expect(setAsideAtEnd(readTurns(log('a')))).toBeUndefined()
  })
})
