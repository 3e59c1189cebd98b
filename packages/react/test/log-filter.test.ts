import type { Entry } from '@turnloop/core'
import { expect, test } from 'vitest'
import { type LogFilter, LogSearch } from '../src/devtools/log-filter.ts'

const EVERYTHING: LogFilter = { text: '', type: '', turnId: '' }

const log: readonly Entry[] = [
  { sequence: 1, at: 0, turnId: 'a', type: 'state-changed', patch: { colour: 'Green' } },
  { sequence: 2, at: 0, turnId: 'a', type: 'checkpoint', position: 'reply' },
  { sequence: 3, at: 0, turnId: 'b', type: 'checkpoint', position: 'batch' },
]

function found(filter: Partial<LogFilter>): number[] {
  return new LogSearch().find(log, log.length, { ...EVERYTHING, ...filter }).map(({ sequence }) => sequence)
}

test('text is found anywhere in an entry, whatever the case', () => {
  expect(found({ text: ' green ' })).toEqual([1])
  expect(found({ text: 'CHECKPOINT' })).toEqual([2, 3])
  expect(found({ text: 'nowhere' })).toEqual([])
})

test('a type and a turn narrow it further', () => {
  expect(found({ type: 'checkpoint' })).toEqual([2, 3])
  expect(found({ type: 'checkpoint', turnId: 'b' })).toEqual([3])
})

test('a log that grows is looked at once', () => {
  const search = new LogSearch()
  const filter = { ...EVERYTHING, type: 'checkpoint' }
  let looks = 0
  const counting = log.map((entry) =>
    Object.defineProperty({ ...entry }, 'type', {
      get: () => {
        looks += 1
        return entry.type
      },
    }),
  )

  expect(search.find(counting, 2, filter)).toHaveLength(1)
  expect(search.find(counting, 3, filter)).toHaveLength(2)
  expect(looks).toBe(3)
})

test('the same list comes back until there is another entry', () => {
  const search = new LogSearch()
  const first = search.find(log, 2, EVERYTHING)

  expect(search.find(log, 2, { ...EVERYTHING })).toBe(first)
  expect(search.find(log, 1, EVERYTHING)).toHaveLength(1)
})
