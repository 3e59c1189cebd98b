import { createAgent, type TurnEvent, type TurnOptions, type TurnResult } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { listedWords } from '../src/hooks/answer-words.ts'
import { playgroundHooks } from '../src/hooks/playground-hooks.ts'
import { readToolTimes } from '../src/hooks/tool-times.ts'
import { practiceModel } from '../src/model/practice-model.ts'
import type { CheckSettings } from '../src/settings/check-settings.ts'
import { calculate } from '../src/tools/calculate.ts'
import { failOnPurpose } from '../src/tools/slow-count.ts'

const OFF: CheckSettings = {
  guardsQuestions: false,
  onPersonalData: 'mask',
  checksAnswers: false,
  words: 'rules, guess*',
  timesTools: false,
}

const QUESTION = 'Who is ada@lovelace.org?'
/** What the practice model answers begins so. */
const ANSWER = 'I cannot answer that'

interface Asked {
  readonly result: TurnResult
  readonly events: readonly TurnEvent[]
}

async function ask(settings: CheckSettings, question: string, options: TurnOptions = {}): Promise<Asked> {
  const agent = createAgent({
    model: practiceModel({ tables: () => [], speed: 'full' }),
    tools: [calculate, failOnPurpose],
    hooks: playgroundHooks(settings),
  })
  const events: TurnEvent[] = []
  const onEvent = (event: TurnEvent): void => void events.push(event)
  const result = await agent.turn(question, { ...options, onEvent }).untilDone()
  return { result, events }
}

describe('playgroundHooks', () => {
  it('gives none where nothing is switched on, or no word is listed', () => {
    expect(playgroundHooks(OFF)).toEqual([])
    expect(playgroundHooks({ ...OFF, checksAnswers: true, words: ' , *' })).toEqual([])
    expect(listedWords(' guess*,, as an AI ')).toEqual(['guess*', 'as an AI'])
  })
})

describe('personal data in a question', () => {
  it('is masked before the model, and stands in no event', async () => {
    const { result, events } = await ask({ ...OFF, guardsQuestions: true }, QUESTION)

    expect(result.outcome.kind).toBe('completed')
    expect(JSON.stringify(result.messages)).toContain('Who is [email]?')
    expect(JSON.stringify(events)).not.toContain('ada@lovelace.org')
    expect(events.find(({ type }) => type === 'hook-finished')).toMatchObject({ hook: 'personal data', changed: true })
  })

  it('holds the question back where that was chosen, and stands in no event', async () => {
    const { result, events } = await ask({ ...OFF, guardsQuestions: true, onPersonalData: 'hold-back' }, QUESTION)

    expect(result.outcome).toMatchObject({ kind: 'blocked', phase: 'input', hook: 'personal data' })
    expect(events.some(({ type }) => type === 'model-started')).toBe(false)
    expect(JSON.stringify(events)).not.toContain('ada@lovelace.org')
  })

  it('is what is looked for: another question passes as it is', async () => {
    const { events } = await ask({ ...OFF, guardsQuestions: true }, '12 % of 340')

    expect(events.find(({ type }) => type === 'hook-finished')).not.toHaveProperty('changed')
  })
})

describe('an answer with a listed word', () => {
  it('is withheld, and nothing of it stands in any event', async () => {
    const { result, events } = await ask({ ...OFF, checksAnswers: true }, 'Who was Ada?')

    expect(result.outcome).toMatchObject({ kind: 'blocked', phase: 'output', hook: 'answer words' })
    expect(JSON.stringify(events)).not.toContain(ANSWER)
  })

  it('is shown where the word is not listed, once it is whole', async () => {
    const { result, events } = await ask({ ...OFF, checksAnswers: true, words: 'guess*' }, 'Who was Ada?')

    expect(result.text).toContain(ANSWER)
    const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.delta] : []))
    expect(deltas).toEqual([result.text])
  })
})

describe('tool times', () => {
  it('adds up over calls and turns, failed calls too', async () => {
    const on = { ...OFF, timesTools: true }
    const first = await ask(on, '12 % of 340')
    const second = await ask(on, '5 % of 200', { state: first.result.state })
    const { result } = await ask(on, 'fail on purpose', { state: second.result.state })

    const times = readToolTimes(result.state)
    expect([...times].map(([name, { runs }]) => [name, runs])).toEqual([
      ['calculate', 2],
      ['fail_on_purpose', 1],
    ])
  })
})
