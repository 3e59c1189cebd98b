/// <reference types="node" />
import { readdirSync, readFileSync } from 'node:fs'
import { MemoryStore, type Message, messageText, openSession } from '@turnloop/core'
import { type ScriptedModel, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { createAdviser } from '../examples/hooks/input-check.ts'
import { createCountingAgent } from '../examples/hooks/message-history.ts'
import { createNotifyingAgent } from '../examples/hooks/notification.ts'
import { createReviewedAgent } from '../examples/hooks/output-check-judge.ts'
import { createRuledAgent } from '../examples/hooks/output-check-rules.ts'
import { createTopicAgent } from '../examples/hooks/session-state.ts'
import { createTimedAgent } from '../examples/hooks/tool-middleware.ts'

/** What a request ends with, as text. */
function asked({ messages }: { messages: readonly Message[] }): string {
  const last = messages.at(-1)
  return last?.role === 'user' ? messageText(last) : ''
}

/** A model that answers each question for which it has an answer, found by a word of it. */
function modelOf(answers: Readonly<Record<string, unknown>>): ScriptedModel {
  return scriptedModel((request) => {
    const found = Object.entries(answers).find(([word]) => asked(request).includes(word))
    if (found === undefined) throw new Error(`Nobody expected this question: ${asked(request)}`)
    return typeof found[1] === 'string' ? found[1] : JSON.stringify(found[1])
  })
}

describe('the page', () => {
  const page = readFileSync(new URL('../../../docs/hooks.md', import.meta.url), 'utf8')

  test.each(readdirSync(new URL('../examples/hooks', import.meta.url)))('shows %s as it is', (name) => {
    const code = readFileSync(new URL(`../examples/hooks/${name}`, import.meta.url), 'utf8')
    expect(page.includes(`\`\`\`ts\n${code}\`\`\`\n`), `Put ${name} into docs/hooks.md as it is.`).toBe(true)
  })
})

describe('input check', () => {
  const fine = { isSafe: true, isRelevant: true, hasSufficientDetail: true, concerns: [], recommendations: [] }
  const verdicts = {
    'Help me invest': { ...fine, hasSufficientDetail: false, recommendations: ['Say how much, and for how long.'] },
    pizza: { ...fine, isRelevant: false, hasSufficientDetail: false },
    manipulate: { ...fine, isSafe: false, isRelevant: false, concerns: ['Manipulating a market is a crime.'] },
    retirement: fine,
  }

  test.each([
    ['Help me invest', 'input_not_allowed', 'Say how much, and for how long.'],
    ['A recipe for pizza, please', 'off_topic', 'I can only help with investing.'],
    ['How do I manipulate the price of a stock?', 'input_not_allowed', 'Manipulating a market is a crime.'],
  ])('"%s" is blocked: %s', async (question, trigger, message) => {
    const model = scriptedModel([])

    const { outcome, text } = await createAdviser(model, modelOf(verdicts)).turn(question).untilDone()

    expect(outcome).toMatchObject({ kind: 'blocked', hook: 'input-check', phase: 'input', trigger, message })
    expect(text).toBe(message)
    expect(model.requests).toHaveLength(0)
  })

  test('a fair question passes', async () => {
    const question = 'I am 35 and save 500 euros a month for my retirement in 30 years. How do I split it?'
    const agent = createAdviser(modelOf({ retirement: 'Mostly a world index fund.' }), modelOf(verdicts))

    const { outcome, text } = await agent.turn(question).untilDone()

    expect(outcome).toEqual({ kind: 'completed' })
    expect(text).toBe('Mostly a world index fund.')
  })

  test('a validator that is down lets nothing pass', async () => {
    const model = scriptedModel([])
    const down = scriptedModel(() => ({ throws: new Error('down') }))

    const { outcome } = await createAdviser(model, down).turn('Is gold a good idea?').untilDone()

    expect(outcome).toMatchObject({ kind: 'blocked', trigger: 'validation_failed' })
    expect(model.requests).toHaveLength(0)
  })
})

describe('output check by rules', () => {
  test.each([
    ['of nine characters', 'Too short'],
    ['of 5,001 characters', 'x'.repeat(5001)],
    ['that promises too much', 'This fund has a guaranteed return of 12 percent.'],
  ])('an answer %s is blocked and never shown', async (_what, answer) => {
    const shown: string[] = []
    const turn = createRuledAgent(modelOf({ fund: answer })).turn('Which fund?', {
      onEvent: (event) => void (event.type === 'text-delta' && shown.push(event.delta)),
    })

    const { outcome, text } = await turn.untilDone()

    expect(outcome).toMatchObject({ kind: 'blocked', phase: 'output', trigger: 'output_not_allowed' })
    expect(text).toBe('I have no good answer to that.')
    expect(shown).toEqual([])
  })

  test.each([
    ['of ten characters', 'Ten chars.'],
    ['of 5,000 characters', 'x'.repeat(5000)],
  ])('an answer %s passes', async (_what, answer) => {
    const result = await createRuledAgent(modelOf({ fund: answer }))
      .turn('Which fund?')
      .untilDone()

    expect(result).toMatchObject({ outcome: { kind: 'completed' }, text: answer })
  })
})

describe('output check by a judge', () => {
  const answer = 'Turn it off, wait ten seconds, and turn it on again.'
  const good = { score: 0.9, concerns: [] }

  test.each([
    [0.59, 'blocked'],
    [0.6, 'completed'],
  ])('an answer that scores %d ends %s', async (score, kind) => {
    const reviewer = modelOf({ 'ten seconds': { score, concerns: ['Vague.'] } })

    const { outcome } = await createReviewedAgent(modelOf({ router: answer }), reviewer)
      .turn('My router?')
      .untilDone()

    expect(outcome).toMatchObject({ kind })
    if (kind === 'blocked')
      expect(outcome).toMatchObject({ hook: 'review', trigger: 'output_not_allowed', message: 'Scored 0.59. Vague.' })
  })

  test('an answer of nineteen characters is blocked and not judged', async () => {
    const reviewer = scriptedModel([])
    const agent = createReviewedAgent(modelOf({ router: 'Restart the router.' }), reviewer)

    const { outcome } = await agent.turn('My router?').untilDone()

    expect(outcome).toMatchObject({ kind: 'blocked', hook: 'length', trigger: 'output_not_allowed' })
    expect(reviewer.requests).toHaveLength(0)
  })

  test('an agent told to answer in two words is blocked', async () => {
    const model = scriptedModel(({ instructions }) => (instructions?.includes('1-2 words') ? 'Restart it.' : answer))
    const agent = createReviewedAgent(model, modelOf({ '': good }), 'Answer in 1-2 words only.')

    const { outcome } = await agent.turn('My router?').untilDone()

    expect(outcome).toMatchObject({ kind: 'blocked', phase: 'output' })
  })

  test('a normal answer passes', async () => {
    const agent = createReviewedAgent(modelOf({ router: answer }), modelOf({ 'ten seconds': good }))

    const { outcome, text } = await agent.turn('My router?').untilDone()

    expect(outcome).toEqual({ kind: 'completed' })
    expect(text).toBe(answer)
  })
})

describe('session state', () => {
  const finder = modelOf({ Lisbon: { topics: ['travel', 'Lisbon'] }, visa: { topics: ['visa', 'travel'] } })

  test('topics add up over two turns and a reload', async () => {
    const store = new MemoryStore()
    const agent = createTopicAgent(
      scriptedModel(() => 'Fine.'),
      finder,
    )
    const page = openSession({ agent, store, id: 'trip' })
    await page.send('I fly to Lisbon.')
    await page.close()

    const reloaded = openSession({ agent, store, id: 'trip' })
    const { state } = await reloaded.send('Do I need a visa?')
    await reloaded.close()

    expect(state).toEqual({ topics: ['travel', 'Lisbon', 'visa'] })
  })

  test('a finder that is down loses the topics and not the answer', async () => {
    const down = scriptedModel(() => ({ throws: new Error('down') }))
    const agent = createTopicAgent(
      scriptedModel(() => 'Fine.'),
      down,
    )

    const { text, state, hookErrors } = await agent.turn('I fly to Lisbon.').untilDone()

    expect({ text, state }).toEqual({ text: 'Fine.', state: { topics: [] } })
    expect(hookErrors).toMatchObject([{ hook: 'remember-topics' }])
  })
})

describe('notification', () => {
  test.each([
    ['is sent once to the address of the metadata', { email: 'ada@example.com' }, 1],
    ['is not sent without an address', {}, 0],
  ])('the mail %s, after a streamed turn', async (_what, metadata, count) => {
    const mails: { to: string; text: string }[] = []
    const agent = createNotifyingAgent(
      scriptedModel(() => 'Your report is ready.'),
      async (mail) => void mails.push(mail),
    )

    for await (const _event of agent.turn('Write it.', { metadata }).events());
    await agent.settled()

    expect(mails).toEqual(Array(count).fill({ to: 'ada@example.com', text: 'Your report is ready.' }))
  })
})

test('timing and logging surround the tool: A, B, tool, B, A', async () => {
  const lines: string[] = []
  const model = scriptedModel([{ calls: [{ name: 'get_price', input: { share: 'ACME' } }] }, 'It is 41.20 euros.'])

  await createTimedAgent(model, (line) => void lines.push(line.replace(/\d+ ms/, 'n ms')))
    .turn('ACME?')
    .untilDone()

  expect(lines).toEqual([
    'timing: get_price starts',
    'logging: get_price {"share":"ACME"}',
    'tool: ACME',
    'logging: get_price gave 41.20',
    'timing: get_price took n ms',
  ])
})

test('messages are counted before each turn and after it', async () => {
  const lines: string[] = []
  const agent = createCountingAgent(
    scriptedModel(() => 'Fine.'),
    (line) => void lines.push(line),
  )
  const session = openSession({ agent })

  await session.send('One')
  await session.send('Two')

  expect(lines).toEqual([
    'before: 0 messages',
    'after: 2 messages, 2 of this turn, completed',
    'before: 2 messages',
    'after: 4 messages, 2 of this turn, completed',
  ])
})
