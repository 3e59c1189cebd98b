import { type EntryDraft, messageText, reduce, type Snapshot, type ToolMessage } from '@turnloop/core'
import { expect, test, vi } from 'vitest'
import {
  answers,
  events,
  modelStarted,
  play,
  reply,
  settled,
  started,
  text,
  toolStarted,
  user,
} from './reduce-setup.ts'

const DELTA = 'five!'

/** A conversation with one big tool result, in which a reply begins to grow. */
function withBigResult(): Snapshot {
  const big = settled('c')
  const content = [{ type: 'text' as const, text: 'x'.repeat(2_000_000) }]
  // What settles a call, with a result of two megabytes.
  const draft = { ...big, result: { content } } as EntryDraft
  return play([started, user('u'), reply('a', 'c'), toolStarted('c'), draft, answers('r', 'c'), modelStarted('b')])
}

/** Let the reply grow; tells what was read of the big result meanwhile. */
function grow(deltas: number): { snapshot: Snapshot; reads: number } {
  const before = withBigResult()
  const tool = before.messages.find((message): message is ToolMessage => message.role === 'tool')
  let reads = 0
  const watched = new Proxy(tool?.results[0]?.result ?? { content: [] }, {
    get(target, key, receiver) {
      reads += 1
      return Reflect.get(target, key, receiver)
    },
    ownKeys(target) {
      reads += 1
      return Reflect.ownKeys(target)
    },
  })
  const messages = before.messages.map((message) =>
    message === tool
      ? { ...message, results: [{ callId: 'c', toolName: 'sum', status: 'ok' as const, result: watched }] }
      : message,
  )
  let snapshot: Snapshot = { ...before, messages }
  for (const event of events(
    Array.from({ length: deltas }, () => text('b', DELTA)),
    9,
  ))
    snapshot = reduce(snapshot, event)
  return { snapshot, reads }
}

test('deltas beside a 2 MB tool result never look at it nor clone anything [D2]', () => {
  const clone = vi.spyOn(globalThis, 'structuredClone')
  const { snapshot, reads } = grow(2000)
  expect([reads, clone.mock.calls.length]).toEqual([0, 0])
  clone.mockRestore()
  expect(snapshot.open && messageText(snapshot.open)).toBe(DELTA.repeat(2000))
})

test('closed messages are shared by every snapshot of a growing reply [D2]', () => {
  const before = withBigResult()
  let snapshot = before
  const lists = new Set<unknown>()
  for (const event of events(
    Array.from({ length: 500 }, () => text('b', DELTA)),
    9,
  )) {
    snapshot = reduce(snapshot, event)
    lists.add(snapshot.messages)
  }
  expect([lists.size, lists.has(before.messages)]).toEqual([1, true])
})
