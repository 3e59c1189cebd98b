import { describe, expect, it } from 'vitest'
import { type TurnLog, TurnLogReader } from '../src/app/turn-log.ts'
import { setAsideAtEnd, versionsOf } from '../src/chat/versions.ts'
import { toldLog } from './told-log.ts'

const read = (...steps: Steps): TurnLog => new TurnLogReader().read(toldLog(...steps))

type Steps = readonly (string | number)[]

/** Of every question that has any. */
const versions = (...steps: Steps) => {
  const log = read(...steps)
  return log.records.flatMap(({ turnId }) => {
    const found = versionsOf(`${turnId}?`, log)
    return found === undefined ? [] : [[`${turnId}?`, found]]
  })
}

describe('versions', () => {
  it('are the questions that were put in one place', () => {
    expect(versions('a', 'b', 4, 'c', 4, 'd')).toEqual([['d?', { number: 3, count: 3, earlier: 13 }]])
  })

  it('lead to the end of the way that was taken last from each', () => {
    expect(versions('a', 'b', 0, 'c', 8)).toEqual([['a?', { number: 1, count: 2, later: 13 }]])
  })

  it('are also the answers that one question was given', () => {
    expect(versions('a', 2, 'B')).toEqual([['a?', { number: 2, count: 2, earlier: 4 }]])
    expect(versions('a', 2, 'B', 4)).toEqual([['a?', { number: 1, count: 2, later: 8 }]])
    expect(versions('a', 2, 'B', 2, 'C', 'd', 8)).toEqual([['a?', { number: 2, count: 3, earlier: 4, later: 16 }]])
  })

  it('are none where every question has its own place', () => {
    expect(versions('a', 'b')).toEqual([])
  })
})

describe('what is set aside at the end', () => {
  it('is as many turns as were left, to be brought back by their end', () => {
    expect(setAsideAtEnd(read('a', 'b', 'c', 4))).toEqual({ turns: 2, end: 12 })
    expect(setAsideAtEnd(read('a', 'b', 0))).toEqual({ turns: 2, end: 8 })
  })

  it('is the rest of a turn that was gone back into', () => {
    expect(setAsideAtEnd(read('a', 'b', 7))).toEqual({ turns: 0, end: 8 })
  })

  it('is no other answer to the last question', () => {
    expect(setAsideAtEnd(read('a', 2, 'B', 4))).toBeUndefined()
  })

  it('is nothing once something was asked in its place, or it was brought back', () => {
    expect(setAsideAtEnd(read('a', 'b', 4, 'c'))).toBeUndefined()
    expect(setAsideAtEnd(read('a', 'b', 4, 8))).toBeUndefined()
    expect(setAsideAtEnd(read('a'))).toBeUndefined()
  })
})
