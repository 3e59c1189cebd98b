import { type AssistantMessage, EMPTY_SNAPSHOT, type Message, type Snapshot, type UserMessage } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { conversationParts, earlierMessages } from '../src/chat/conversation-parts.ts'

type Source = Snapshot['source']
type Overlay = Source['overlays'][number]

function asked(id: string, more: Partial<UserMessage> = {}): UserMessage {
  return { id, role: 'user', createdAt: 0, content: [{ type: 'text', text: id }], ...more }
}

function answered(id: string): AssistantMessage {
  return { id, role: 'assistant', createdAt: 0, content: [{ type: 'text', text: id }], stopReason: 'endTurn' }
}

function summary(id: string): UserMessage {
  const text = `<summary>\nWhat ${id} says\n</summary>\nThis is a machine-made summary.`
  return asked(id, { synthetic: 'summary', content: [{ type: 'text', text }] })
}

/** A source whose messages stand at sequences 10, 20, 30 and so on. */
function sourceOf(messages: readonly Message[], overlays: readonly Overlay[], more: Partial<Source> = {}): Source {
  const logged = messages.map((message, index) => ({ sequence: (index + 1) * 10, message }))
  return { ...EMPTY_SNAPSHOT.source, messages: logged, overlays, ...more }
}

const [Q1, A1, Q2, A2, Q3, A3] = [
  asked('q1'),
  answered('a1'),
  asked('q2'),
  answered('a2'),
  asked('q3'),
  answered('a3'),
] as const

const FIRST: Overlay = { id: 'first', hides: [[10, 20]], shows: [summary('s1')], at: 100 }
const SECOND: Overlay = { id: 'second', hides: [[10, 40]], shows: [summary('s2')], at: 200 }

describe('earlierMessages', () => {
  it('finds what a summary stands for, the very messages of the log', () => {
    const earlier = earlierMessages(sourceOf([Q1, A1, Q2, A2], [FIRST])).get('s1')

    expect(earlier?.count).toBe(2)
    expect(earlier?.blocks[0]?.user).toBe(Q1)
    expect(earlier?.blocks[0]?.replies[0]).toBe(A1)
  })

  it('counts the messages of an older summary that was folded in', () => {
    const bySummary = earlierMessages(sourceOf([Q1, A1, Q2, A2], [FIRST, SECOND]))

    expect(bySummary.get('s2')).toMatchObject({ count: 4, isNewest: true })
    expect(bySummary.get('s1')?.isNewest).toBe(false)
  })

  it('lets the older summary be taken back once the newer one was', () => {
    const undone = [{ id: 'second', at: 300 }]

    const bySummary = earlierMessages(sourceOf([Q1, A1, Q2, A2], [FIRST, SECOND], { undone }))

    expect(bySummary.get('s1')?.isNewest).toBe(true)
  })

  it('puts no reply of a running turn under an earlier question', () => {
    const overlay: Overlay = {
      ...FIRST,
      hides: [
        [10, 20],
        [40, 40],
      ],
    }

    const earlier = earlierMessages(sourceOf([Q1, A1, Q3, A3], [overlay])).get('s1')

    expect(earlier?.blocks.map(({ key, replies }) => [key, replies.length])).toEqual([
      ['q1', 1],
      ['a3', 1],
    ])
  })
})

describe('conversationParts', () => {
  it('shows a summary in its place, without what is said to the model', () => {
    const bySummary = earlierMessages(sourceOf([Q1, A1, Q2, A2], [FIRST]))

    const parts = conversationParts([summary('s1'), Q2, A2], bySummary)

    expect(parts.map(({ kind }) => kind)).toEqual(['summary', 'turn'])
    expect(parts[0]).toMatchObject({ summary: { text: 'What s1 says' } })
  })

  it('begins anew after a summary in the middle of a turn', () => {
    const parts = conversationParts([Q1, summary('s1'), A2], new Map())

    expect(parts.map((part) => (part.kind === 'turn' ? part.block.key : part.summary.key))).toEqual(['q1', 's1', 'a2'])
  })
})
