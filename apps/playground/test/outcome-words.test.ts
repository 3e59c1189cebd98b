import type { AssistantMessage, Entry } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import type { TurnRecord } from '../src/app/turn-records.ts'
import { activityWords } from '../src/chat/activity-words.ts'
import { previewWords } from '../src/chat/conversation-menu.tsx'
import { blockedText, limitText, outcomeWord } from '../src/chat/outcome-words.ts'

const NOTHING: TurnRecord = { turnId: 't1', number: 1, startedAt: 0, messageIds: [], entries: [] }

function endingWith(content: AssistantMessage['content']): TurnRecord {
  const message: AssistantMessage = { id: 'a', role: 'assistant', createdAt: 0, content, stopReason: 'endTurn' }
  const entry: Entry = { sequence: 1, at: 0, turnId: 't1', type: 'message', message }
  return { ...NOTHING, entries: [entry] }
}

describe('limitText', () => {
  it('tells a limit on the whole turn from a model that does not answer', () => {
    expect(limitText({ kind: 'timed-out', limit: 'turnMs', ms: 120_000 }, NOTHING)).toEqual({
      text: 'The turn reached its time limit of 2 min.',
      offer: 'go-on',
    })
    expect(limitText({ kind: 'timed-out', limit: 'firstTokenMs', ms: 20_000 }, NOTHING)).toEqual({
      text: 'The model did not begin to answer within 20.0 s.',
      offer: 'try-again',
    })
  })

  it('says whether there is an answer over the step limit', () => {
    const outcome = { kind: 'max-iterations', maxIterations: 30 } as const
    const call = { type: 'tool-call', callId: 'c', wireId: 'c', toolName: 'x', inputText: '{}' } as const

    expect(limitText(outcome, endingWith([{ type: 'text', text: 'So far: 12.' }])).text).toContain('The answer rests')
    expect(limitText(outcome, endingWith([{ type: 'text', text: 'Next.' }, call])).text).toContain('without an answer')
  })

  it('says why nothing was gained', () => {
    expect(limitText({ kind: 'no-progress', reason: 'repeated-call' }, NOTHING).text).toContain('the same result')
    expect(limitText({ kind: 'no-progress', reason: 'budget' }, NOTHING).offer).toBe('go-on')
    expect(outcomeWord({ kind: 'no-progress', reason: 'budget' })).toBe('budget used up')
  })

  it('gives the figures of a conversation that is too long', () => {
    const { text, offer } = limitText({ kind: 'context-full', usedTokens: 41_200, windowTokens: 32_000 }, NOTHING)

    expect(text).toContain('41,200 tokens, where it reads 32,000')
    expect(offer).toBe('new-session')
  })
})

describe('blockedText', () => {
  const by = { kind: 'blocked', source: 'guardrail', hook: 'length', message: 'Too long.' } as const

  it('names the check, gives its words, and says what became of the message', () => {
    expect(blockedText({ ...by, phase: 'input' })).toEqual({
      title: 'Your message was held back by the check “length”.',
      text: 'Too long. No model has seen it, and it is not stored.',
    })
    expect(blockedText({ ...by, phase: 'output' }).title).toBe('This answer was withheld by the check “length”.')
  })

  it('has a word for each place that can be blocked', () => {
    const phases = ['input', 'output', 'tool-input', 'tool-result'] as const

    expect(phases.map((phase) => outcomeWord({ ...by, phase }))).toEqual([
      'held back',
      'withheld',
      'blocked',
      'blocked',
    ])
  })

  it('tells what the provider withheld from what a check did', () => {
    const outcome = { kind: 'blocked', source: 'model' } as const

    expect(blockedText(outcome)).toEqual({ title: 'The model’s provider withheld this answer.', text: '' })
    expect(outcomeWord(outcome)).toBe('withheld')
  })
})

describe('an answer that is checked before it is shown', () => {
  it('is told while nothing of it is there', () => {
    const facts = { status: 'running', activity: { kind: 'model', since: 0 }, calls: new Map() } as const

    expect(activityWords({ ...facts, holdsAnswers: true })).toBe('The answer is shown once it is checked…')
    expect(activityWords(facts)).toBe('Waiting for the model…')
  })
})

describe('compaction', () => {
  it('is told while it runs', () => {
    const activity = { kind: 'compaction', since: 0 } as const

    expect(activityWords({ status: 'running', activity, calls: new Map() })).toBe('Summarising earlier messages…')
  })

  it('is told before it is chosen', () => {
    const report = { hidden: 12, kept: 4, tokensBefore: 0, tokensAfter: 0 }

    expect(previewWords(report, false)).toBe('12 messages would be summarised, 4 stay')
    expect(previewWords({ ...report, hidden: 0 }, false)).toBe('Nothing to compact yet')
    expect(previewWords(report, true)).toBe('Not while something runs or waits')
  })
})
