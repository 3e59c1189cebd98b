import type { Message } from '@turnloop/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shownMessages } from '../src/shown-messages.ts'
import {
  EMPTY_SOURCE,
  historyItems,
  historyMessages,
  joinsAtEnd,
  type LoggedMessage,
  type LoggedOverlay,
  sourceOf,
  type TranscriptSource,
} from '../src/transcript.ts'

function message(id: string): Message {
  return { id, role: 'user', createdAt: 0, content: [{ type: 'text', text: id }] }
}

/** Messages m1, m2 and so on, at the sequences of their numbers. */
function logged(count: number, extra: Partial<LoggedMessage> = {}): LoggedMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    sequence: index + 1,
    message: message(`m${index + 1}`),
    ...extra,
  }))
}

function source(count: number, changes: Partial<TranscriptSource> = {}): TranscriptSource {
  return { ...EMPTY_SOURCE, messages: logged(count), ...changes }
}

function overlay(at: number, hides: LoggedOverlay['hides'], shows: string[] = [], id = `o${at}`): LoggedOverlay {
  return { id, at, hides, shows: shows.map(message) }
}

function ids(messages: readonly Message[]): string {
  return messages.map(({ id }) => id).join(' ')
}

test('without changes the transcript is the messages themselves', () => {
  const plain = source(3)
  expect(shownMessages(plain)).toEqual(plain.messages.map((one) => one.message))
  expect(shownMessages(plain)[0]).toBe(plain.messages[0]?.message)
})

test('an overlay shows its messages in place of the first it hides', () => {
  const changed = source(5, { overlays: [overlay(6, [[2, 3]], ['sum'])] })
  expect(ids(shownMessages(changed))).toBe('m1 sum m4 m5')
})

test('an overlay that hides several ranges shows its messages once', () => {
  const ranges = [
    [1, 1],
    [3, 4],
  ] as const
  expect(ids(shownMessages(source(5, { overlays: [overlay(6, ranges, ['sum'])] })))).toBe('sum m2 m5')
})

test('an overlay may hide without showing anything', () => {
  expect(ids(shownMessages(source(3, { overlays: [overlay(4, [[2, 2]])] })))).toBe('m1 m3')
})

test('a later overlay that hides more folds the earlier one in', () => {
  const overlays = [overlay(6, [[1, 2]], ['first']), overlay(7, [[1, 4]], ['second'])]
  expect(ids(shownMessages(source(5, { overlays })))).toBe('second m5')
})

test('two overlays that do not meet both show', () => {
  const overlays = [overlay(6, [[1, 2]], ['first']), overlay(7, [[4, 5]], ['second'])]
  expect(ids(shownMessages(source(5, { overlays })))).toBe('first m3 second')
})

test('an overlay taken back shows what it hid', () => {
  const overlays = [overlay(4, [[1, 2]], ['sum'])]
  expect(ids(shownMessages(source(3, { overlays, undone: [{ id: 'o4', at: 5 }] })))).toBe('m1 m2 m3')
})

test('an overlay of the same name that comes after counts again', () => {
  const overlays = [overlay(4, [[1, 1]], ['one'], 'o'), overlay(6, [[1, 2]], ['two'], 'o')]
  expect(ids(shownMessages(source(3, { overlays, undone: [{ id: 'o', at: 5 }] })))).toBe('two m3')
})

test('a rewind leaves out what stands between its target and itself', () => {
  expect(ids(shownMessages(source(6, { rewinds: [{ to: 2, at: 5 }] })))).toBe('m1 m2 m5 m6')
})

test('a rewind to the start leaves nothing of before', () => {
  expect(ids(shownMessages(source(3, { rewinds: [{ to: 0, at: 4 }] })))).toBe('')
})

test('a rewind to before an overlay takes the overlay with it', () => {
  const changed = source(4, { overlays: [overlay(5, [[1, 3]], ['sum'])], rewinds: [{ to: 4, at: 6 }] })
  expect(ids(shownMessages(changed))).toBe('m1 m2 m3 m4')
})

test('an overlay made after a rewind holds although it names rewound messages', () => {
  const changed = source(9, { rewinds: [{ to: 2, at: 5 }], overlays: [overlay(10, [[3, 7]], ['sum'])] })
  expect(ids(shownMessages(changed))).toBe('m1 m2 sum m8 m9')
})

test('a rewind to before an undoing brings the overlay back', () => {
  const overlays = [overlay(4, [[1, 2]], ['sum'])]
  const changed = source(3, { overlays, undone: [{ id: 'o4', at: 5 }], rewinds: [{ to: 4, at: 6 }] })
  expect(ids(shownMessages(changed))).toBe('sum m3')
})

test('a rewind that a later one leaves behind no longer counts', () => {
  const rewinds = [
    { to: 1, at: 4 },
    { to: 3, at: 6 },
  ]
  expect(ids(shownMessages(source(7, { rewinds })))).toBe('m1 m2 m3 m6 m7')
})

test('history leaves out what is detached or blocked, and the screen does not', () => {
  const messages = [
    ...logged(1),
    { sequence: 2, message: message('aside'), detached: true as const },
    { sequence: 3, message: message('refused'), blocked: true as const },
  ]
  const mixed = source(0, { messages })
  expect([ids(shownMessages(mixed)), ids(historyMessages(mixed))]).toEqual(['m1 aside refused', 'm1'])
})

/** What has to be hidden for each message of a history, by its id. */
function covers(of: TranscriptSource): Record<string, unknown> {
  return Object.fromEntries(historyItems(of).map(({ message: { id }, covers }) => [id, covers]))
}

test('messages from outside a log come before a log of their own', () => {
  const messages = ['a', 'b', 'c'].map(message)
  expect(sourceOf(messages).messages.map(({ sequence }) => sequence)).toEqual([-2, -1, 0])
  expect(historyMessages(sourceOf(messages))).toEqual(messages)
  expect(historyMessages(sourceOf([]))).toEqual([])
})

test('an item reaches back to the message before it, whatever became of that', () => {
  const messages = [
    { sequence: 2, message: message('first') },
    { sequence: 7, message: message('second') },
    { sequence: 9, message: message('aside'), detached: true as const },
    { sequence: 12, message: message('third') },
  ]
  expect(covers(source(0, { messages }))).toEqual({ first: [[2, 2]], second: [[3, 7]], third: [[10, 12]] })
})

test('an item of an overlay covers what that hides and stands at its first', () => {
  const items = historyItems(source(6, { overlays: [overlay(7, [[2, 3]], ['sum', 'more'])] }))
  const [, sum, more, next] = items
  expect([sum?.covers, sum?.sequence, sum?.isOverlay]).toEqual([[[2, 3]], 2, true])
  expect(more?.covers).toBe(sum?.covers)
  expect([next?.sequence, next?.isOverlay]).toEqual([4, false])
})

test('an item of an overlay leaves to a later one what that hides', () => {
  const overlays = [overlay(8, [[1, 6]], ['sum']), overlay(9, [[3, 3]], ['safe']), overlay(10, [[6, 7]], ['end'])]
  expect(covers(source(7, { overlays }))).toEqual({
    sum: [
      [1, 2],
      [4, 5],
    ],
    safe: [[3, 3]],
    end: [[6, 7]],
  })
})

test('what an overlay hides beyond the known messages is covered, too', () => {
  const known = source(0, { messages: logged(9).slice(5), overlays: [overlay(10, [[1, 7]], ['sum'])] })
  expect(covers(known)).toEqual({ sum: [[1, 7]], m8: [[8, 8]], m9: [[9, 9]] })
})

test('an undone or rewound overlay gives its messages their own cover back', () => {
  const overlays = [overlay(4, [[1, 2]], ['sum'])]
  const own = { m1: [[1, 1]], m2: [[2, 2]], m3: [[3, 3]] }
  expect(covers(source(3, { overlays, undone: [{ id: 'o4', at: 5 }] }))).toEqual(own)
  expect(covers(source(3, { overlays, rewinds: [{ to: 3, at: 5 }] }))).toEqual(own)
})

test('a new message joins at the end unless an overlay says otherwise', () => {
  expect(joinsAtEnd(source(2), 3)).toBe(true)
  expect(joinsAtEnd(source(2, { overlays: [overlay(4, [[1, 2]])], rewinds: [{ to: 0, at: 3 }] }), 5)).toBe(true)
  expect(joinsAtEnd(source(2, { overlays: [overlay(4, [[1, 9]])] }), 5)).toBe(false)
})

const range = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.nat(4)).map(([from, more]) => [from, from + more] as const)
const overlays = fc.array(
  fc.record({ at: fc.integer({ min: 13, max: 30 }), hides: fc.array(range, { minLength: 1, maxLength: 3 }) }),
  { maxLength: 4 },
)

test('hiding what some items cover leaves exactly the others, in their order', () => {
  fc.assert(
    fc.property(
      overlays,
      fc.array(fc.boolean(), { maxLength: 20 }),
      fc.subarray([2, 5, 6, 11]),
      (given, picks, asides) => {
        const messages = logged(12).map((one) =>
          asides.includes(one.sequence) ? { ...one, detached: true as const } : one,
        )
        const sums = given.map(({ at, hides }, index) => overlay(at, hides, [`s${index}`], `o${index}`))
        const before = source(0, { messages, overlays: sums })
        const items = historyItems(before)
        const goes = items.filter((_, index) => picks[index])
        const added = overlay(
          40,
          goes.flatMap((item) => item.covers),
        )
        expect(historyItems({ ...before, overlays: [...sums, added] }).map((item) => item.message)).toEqual(
          items.filter((item) => !goes.includes(item)).map((item) => item.message),
        )
      },
    ),
  )
})

test('every message is shown once or hidden, in log order, and the same object', () => {
  fc.assert(
    fc.property(overlays, fc.option(fc.nat(11)), (given, to) => {
      const changed = source(12, {
        overlays: given.map(({ at, hides }) => overlay(at, hides)),
        rewinds: to === null ? [] : [{ to, at: 13 }],
      })
      const result = shownMessages(changed)
      const places = result.map((one) => changed.messages.findIndex(({ message: own }) => own === one))
      expect(places).toEqual([...places].sort((a, b) => a - b))
      expect(new Set(places).size).toBe(places.length)
      for (const { sequence, message: own } of changed.messages) {
        const isRewound = to !== null && sequence > to
        const isHidden = given.some(({ hides }) => hides.some(([from, end]) => sequence >= from && sequence <= end))
        expect(result.includes(own)).toBe(!isRewound && !isHidden)
      }
    }),
  )
})
