import type { AssistantMessage, Message, UserMessage, UserPart } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { textAttachment } from '../src/attachments/text-attachment.ts'
import { eraseAnswerWords, eraseQuestionWords, isErased } from '../src/chat/erased.ts'
import { nameWithout } from '../src/chat/use-erase.ts'

const asked = (id: string, ...content: UserPart[]): UserMessage => ({ id, role: 'user', createdAt: 0, content })
const text = (words: string): UserPart => ({ type: 'text', text: words })
const reply = (...content: AssistantMessage['content']): AssistantMessage => ({
  id: 'a',
  role: 'assistant',
  createdAt: 0,
  content,
  stopReason: 'endTurn',
})
const call = (toolName: string) =>
  ({ type: 'tool-call', callId: toolName, wireId: '', toolName, inputText: '{}' }) as const

describe('what an erasure takes away', () => {
  test('a question is named by its words and files', () => {
    const notes = textAttachment({ name: 'notes.md', mediaType: 'text/markdown', text: 'x' })

    expect(eraseQuestionWords(asked('q', text('Who is\nshe?'), notes)).gone).toMatch(
      /^“Who is she\?” with notes\.md is /,
    )
    expect(eraseQuestionWords(asked('q', notes)).gone).toMatch(/^“notes\.md” is /)
  })

  test('a long question is cut at a word', () => {
    expect(eraseQuestionWords(asked('q', text('word '.repeat(40)))).gone).toMatch(/^“(word )+word…” is/)
  })

  test('an answer is named with its tool calls', () => {
    const answer = [reply(call('query_table'), call('query_table')), reply(call('draw_chart')), reply(text('Done.'))]

    expect(eraseAnswerWords(answer).gone).toMatch(
      /what came of 3 tool calls \(query_table and draw_chart\), is taken out/,
    )
    expect(eraseAnswerWords([reply(text('Done.'))]).gone).toMatch(/^The answer is taken out/)
  })

  test('only what core has left counts as erased', () => {
    expect(
      [asked('q', text('[Erased.]')), reply(text('[Erased.]'), call('x')), asked('q', text('Erased?'))].map(isErased),
    ).toEqual([true, true, false])
  })
})

describe('the name of a session', () => {
  const messages: Message[] = [
    asked('1', text('who is she?')),
    asked('2', text('[Erased.]')),
    asked('3', text('and he?')),
  ]

  test('is that of the next question where it told of the erased one', () => {
    expect(nameWithout(['1'], { title: 'Who is she?', messages })).toBe('And he?')
    expect(nameWithout(['1', '3'], { title: 'Who is she?', messages })).toBe('Untitled session')
  })

  test('stays where it tells of something else', () => {
    expect(nameWithout(['3'], { title: 'Who is she?', messages })).toBeUndefined()
    expect(nameWithout(['1'], { title: 'My own', messages })).toBeUndefined()
  })
})
