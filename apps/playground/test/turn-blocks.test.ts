import type { AssistantMessage, Message, UserMessage } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { replySegments } from '../src/chat/reply-segments.ts'
import { isSameBlock, turnBlocks } from '../src/chat/turn-blocks.ts'

function asked(id: string, more: Partial<UserMessage> = {}): UserMessage {
  return { id, role: 'user', createdAt: 0, content: [{ type: 'text', text: id }], ...more }
}

function answered(id: string): AssistantMessage {
  return { id, role: 'assistant', createdAt: 0, content: [{ type: 'text', text: id }], stopReason: 'endTurn' }
}

describe('turnBlocks', () => {
  it('puts every reply under the question before it and leaves tool messages out', () => {
    const tool: Message = { id: 't', role: 'tool', createdAt: 0, results: [] }
    const blocks = turnBlocks([asked('q1'), answered('a1'), tool, answered('a2'), asked('q2')])

    expect(blocks.map(({ key, replies }) => [key, replies.map(({ id }) => id)])).toEqual([
      ['q1', ['a1', 'a2']],
      ['q2', []],
    ])
  })

  it('starts no block for what the loop said in place of a person', () => {
    const blocks = turnBlocks([asked('q1'), answered('a1'), asked('nudge', { synthetic: 'nudge' }), answered('a2')])

    expect(blocks).toHaveLength(1)
  })

  it('keeps the place of a question that was held back', () => {
    const blocks = turnBlocks([asked('q1'), answered('a1'), asked('held', { synthetic: 'blocked', content: [] })])

    expect(blocks.map(({ key }) => key)).toEqual(['q1', 'held'])
  })

  it('puts a comment with what it follows, or alone before the first question', () => {
    const first = asked('n0', { synthetic: 'note' })
    const [alone, answeredBlock] = turnBlocks([
      first,
      asked('q1'),
      answered('a1'),
      asked('n1', { synthetic: 'note' }),
      answered('a2'),
    ])

    expect(alone).toEqual({ key: 'n0', replies: [], comments: [first] })
    expect(answeredBlock?.replies.map(({ id }) => id)).toEqual(['a1', 'a2'])
    expect(answeredBlock?.comments?.map(({ id }) => id)).toEqual(['n1'])
  })

  it('sees that a block got a comment', () => {
    const messages = [asked('q1'), answered('a1')]
    const [before] = turnBlocks(messages)
    const [after] = turnBlocks([...messages, asked('n1', { synthetic: 'note' })])
    if (!before || !after) throw new Error('blocks are missing')

    expect(isSameBlock(before, after)).toBe(false)
    expect(isSameBlock(after, structuredClone(after))).toBe(false)
    expect(isSameBlock(after, { ...after })).toBe(true)
  })

  it('sees the same block again when only another one grew', () => {
    const messages = [asked('q1'), answered('a1'), asked('q2')]
    const [before] = turnBlocks(messages)
    const [after, grown] = turnBlocks([...messages, answered('a2')])
    if (!before || !after || !grown) throw new Error('blocks are missing')

    expect(isSameBlock(before, after)).toBe(true)
    expect(isSameBlock(before, grown)).toBe(false)
  })
})

describe('replySegments', () => {
  it('holds neighbouring calls together and leaves empty text out', () => {
    const call = (callId: string) =>
      ({ type: 'tool-call', callId, wireId: callId, toolName: 'calculate', inputText: '{}' }) as const
    const segments = replySegments([
      { type: 'reasoning', text: 'Let me see' },
      { type: 'text', text: ' \n' },
      call('c1'),
      call('c2'),
      { type: 'text', text: 'Done.' },
    ])

    expect(segments.map(({ kind }) => kind)).toEqual(['reasoning', 'calls', 'text'])
    expect(segments[1]).toMatchObject({ calls: [{ callId: 'c1' }, { callId: 'c2' }] })
  })
})
