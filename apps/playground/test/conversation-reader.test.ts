import { EMPTY_SNAPSHOT, type Entry, type Message, reduce, type Snapshot } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { TurnLogReader } from '../src/app/turn-log.ts'
import { blocksOf, conversationParts, earlierMessages, keyOf } from '../src/chat/conversation-parts.ts'
import { conversationPlaces } from '../src/chat/conversation-places.ts'
import { ConversationReader } from '../src/chat/conversation-reader.ts'
import { toldLog } from './told-log.ts'

function snapshotOf(entries: readonly Entry[]): Snapshot {
  return entries.reduce(reduce, EMPTY_SNAPSHOT)
}

/** As a page sees it: the reply that grows is the last message. */
function growing(snapshot: Snapshot, text: string): Snapshot {
  const open: Message = {
    id: 'open',
    role: 'assistant',
    createdAt: 0,
    content: [{ type: 'text', text }],
    stopReason: 'other',
  }
  return { ...snapshot, messages: [...snapshot.messages, open] }
}

/** A summary laid over the first turn, of four entries. */
function summarised(entries: readonly Entry[]): Entry[] {
  const sequence = entries.length + 1
  const shows: Message[] = [{ id: 'sum', role: 'user', createdAt: 0, content: [], synthetic: 'summary' }]
  const overlay = { type: 'overlay', id: 'over', by: 'compaction', hides: [[1, 4]], shows, critical: true } as const
  return [...entries, { ...overlay, hides: [[1, 4]], sequence, at: 0 }]
}

/** Which turn each question shows the end of. */
function ends(entries: readonly Entry[]): string[] {
  const shown = new ConversationReader().read(snapshotOf(entries))
  const places = conversationPlaces(shown, new TurnLogReader().read(entries))
  return shown.parts.flatMap(blocksOf).map((block) => `${block.key} ${places.of(block).record?.turnId ?? 'nothing'}`)
}

describe('ConversationReader', () => {
  it('cuts a conversation that grows as one that is read at once', () => {
    for (const entries of [toldLog('a', 'B', 'c', 4, 'd', 8), summarised(toldLog('a', 'b', 'C'))]) {
      const reader = new ConversationReader()
      for (const [index] of entries.entries()) {
        const snapshot = snapshotOf(entries.slice(0, index + 1))
        const whole = conversationParts(snapshot.messages, earlierMessages(snapshot.source))
        expect(reader.read(snapshot).parts).toEqual(whole)
      }
    }
  })

  it('keeps every other piece while a reply grows', () => {
    const reader = new ConversationReader()
    const snapshot = snapshotOf(toldLog('a', 'b', 'c'))
    const before = reader.read(snapshot).parts
    const once = reader.read(growing(snapshot, 'Once')).parts
    const twice = reader.read(growing(snapshot, 'Once upon')).parts

    expect(once.map((part, index) => part === before[index])).toEqual([true, true, false])
    expect(twice.map((part, index) => part === once[index])).toEqual([true, true, false])
  })

  it('gives the same object until a message has changed', () => {
    const reader = new ConversationReader()
    const snapshot = snapshotOf(toldLog('a'))

    const another: Snapshot = { ...snapshot, usage: { inputTokens: 1 } }

    expect(reader.read(another)).toBe(reader.read(snapshot))
  })

  it('forgets where messages were shown that are gone', () => {
    const reader = new ConversationReader()
    const entries = toldLog('a', 'b', 4)
    expect(reader.read(snapshotOf(entries.slice(0, 8))).blockOf('b!')).toBe('b?')

    expect(reader.read(snapshotOf(entries)).blockOf('b!')).toBeUndefined()
  })

  it('puts what was read before in front', () => {
    const reader = new ConversationReader()
    const { messages, source } = snapshotOf(toldLog('a', 'b', 'c'))
    reader.read({ messages: messages.slice(4), source: { ...source, messages: source.messages.slice(4) } })

    expect(reader.read({ messages, source }).parts.map(keyOf)).toEqual(['a?', 'b?', 'c?'])
  })
})

describe('conversationPlaces', () => {
  it('gives a question the turn that went on from it without one', () => {
    expect(ends(toldLog('a', 'b', 'B2', 'c'))).toEqual(['a? a', 'b? B2', 'c? c'])
  })

  it('gives a question no turn that was set aside, or that was gone back into', () => {
    expect(ends(toldLog('a', 'b', 4, 'c'))).toEqual(['a? a', 'c? c'])
    expect(ends(toldLog('a', 'b', 7))).toEqual(['a? a', 'b? nothing'])
  })

  it('leaves each turn its end, behind a summary too', () => {
    expect(ends(summarised(toldLog('a', 'b')))).toEqual(['a? a', 'b? b'])
  })
})
