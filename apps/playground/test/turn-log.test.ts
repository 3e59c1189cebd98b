import type { Entry } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { readTurns, TurnLogReader } from '../src/app/turn-log.ts'
import { currentTurn } from '../src/app/turn-records.ts'
import { toldLog } from './told-log.ts'

const places = (entries: Entry[]) =>
  readTurns(entries).map(({ turnId, parentId = '', isSetAside, cutAt }) =>
    [parentId, '>', turnId, isSetAside ? ' aside' : '', cutAt === undefined ? '' : ` to ${cutAt}`].join(''),
  )

describe('readTurns', () => {
  it('sets aside what was left by going back', () => {
    expect(places(toldLog('a', 'b', 4, 'c'))).toEqual(['>a', 'a>b aside', 'a>c'])
  })

  it('brings back what is gone to again', () => {
    expect(places(toldLog('a', 'b', 4, 'c', 8))).toEqual(['>a', 'a>b', 'a>c aside'])
  })

  it('knows how much of a turn counts where one went back into it', () => {
    expect(places(toldLog('a', 'b', 7))).toEqual(['>a', 'a>b to 7'])
    expect(places(toldLog('a', 'b', 7, 'c'))).toEqual(['>a', 'a>b to 7', 'b>c'])
  })

  it('takes what follows from outside of turns for no part of one', () => {
    const entries: Entry[] = [...toldLog('a', 3), { type: 'session-changed', title: 'Renamed', sequence: 6, at: 0 }]

    expect(places(entries)).toEqual(['>a to 3'])
  })

  it('begins anew at the start', () => {
    expect(places(toldLog('a', 0, 'b'))).toEqual(['>a aside', '>b'])
    expect(currentTurn(readTurns(toldLog('a', 0)))).toBeUndefined()
  })

  it('keeps the object of a turn that has not changed', () => {
    const entries = toldLog('a', 'b', 4)
    const reader = new TurnLogReader()
    const before = reader.read(entries.slice(0, 8)).records
    const after = reader.read(entries).records

    expect(after[0]).toBe(before[0])
    expect(after[1]).not.toBe(before[1])
  })
})

describe('TurnLogReader', () => {
  const WAYS = [
    toldLog('a', 'b', 4, 'c', 8, 'd'),
    toldLog('a', 'b', 7, 'c', 0, 'd', 16),
    toldLog('a', 2, 'B', 2, 'C', 'd', 8),
    [...toldLog('a', 'b'), ...late('a', 9), ...late('b', 10)],
  ]

  it('tells of a log that grows what reading it at once tells', () => {
    for (const entries of WAYS) {
      const reader = new TurnLogReader()
      for (const [index] of entries.entries()) {
        const known = entries.slice(0, index + 1)
        expect(reader.read(known).records).toEqual(readTurns(known))
      }
    }
  })

  it('reads an array that grows in place, and gives the same log until it does', () => {
    const reader = new TurnLogReader()
    const entries = toldLog('a')
    const before = reader.read(entries)
    expect(reader.read(entries)).toBe(before)
    expect(reader.read([...entries])).toBe(before)

    entries.push(...toldLog('a', 'b').slice(4))

    expect(reader.read(entries).records.map(({ turnId }) => turnId)).toEqual(['a', 'b'])
    expect(reader.read(entries).records[0]).toBe(before.records[0])
    expect(before.records).toHaveLength(1)
  })

  it('counts anew once what came before is read, and keeps no turn whose entry was replaced', () => {
    const reader = new TurnLogReader()
    const entries = toldLog('a', 'b', 'c')
    reader.read(entries.slice(4))
    const whole = reader.read(entries).records
    expect(whole.map(({ number }) => number)).toEqual([1, 2, 3])

    const replaced = reader.read(entries.map((entry, index) => (index === 5 ? { ...entry } : entry))).records

    expect(replaced.map((record, index) => record === whole[index])).toEqual([true, false, true])
  })

  it('finds the turn of a message, and what follows a turn', () => {
    const log = new TurnLogReader().read(toldLog('a', 'b', 4, 'c'))

    expect(log.turnOf('b!')?.turnId).toBe('b')
    expect(log.turnOf('nothing')).toBeUndefined()
    expect(log.following('a').map(({ turnId }) => turnId)).toEqual(['b', 'c'])
    expect(log.following(undefined).map(({ turnId }) => turnId)).toEqual(['a'])
  })

  it('reads only the turns that have changed', () => {
    const reader = new TurnLogReader()
    const entries = toldLog(...Array.from({ length: 1000 }, (_, index) => `turn ${index}`))
    const before = reader.read(entries).records
    entries.push(...toldLog('last').map((entry) => ({ ...entry, sequence: entries.length + entry.sequence })))

    const after = reader.read(entries).records

    expect(after.filter((record, index) => record !== before[index]).map(({ turnId }) => turnId)).toEqual(['last'])
  })
})

/** A turn ends once more, after others have begun. */
function late(turnId: string, sequence: number): Entry[] {
  const end = toldLog(turnId).at(-1)
  return end === undefined ? [] : [{ ...end, sequence }]
}
