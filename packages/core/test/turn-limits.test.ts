import { createAgent, type ModelRequest, tool, type Usage } from '@turnloop/core'
import { deafTool, manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { echo, lastResultTexts, obedientTool, outline, say } from './loop-setup.ts'

/** Asks for the tool as long as it is let, and answers when it must not. */
function keepsCalling(request: ModelRequest, index: number) {
  return request.toolChoice === 'none' ? 'That is all I know.' : { calls: [say(`${index}`)] }
}

describe('over the cap on iterations', () => {
  test('C7: a turn that is to answer makes one more call, with tools off', async () => {
    const model = scriptedModel(keepsCalling)
    const agent = createAgent({ model, tools: [echo], maxIterations: 3, onMaxIterations: 'answer' })
    const result = await agent.turn('Go').untilDone()
    expect(result.outcome).toEqual({ kind: 'max-iterations', maxIterations: 3 })
    expect([model.requests.length, result.iterations, result.text]).toEqual([5, 4, 'That is all I know.'])
    expect(model.requests.at(-1)).toMatchObject({ toolChoice: 'none', tools: [{ name: 'echo' }] })
  })

  test('C7: calls that come all the same are answered, not run', async () => {
    const model = scriptedModel((_request, index) => ({ calls: [say(`${index}`)] }))
    const agent = createAgent({ model, tools: [echo], maxIterations: 0, onMaxIterations: 'answer' })
    const result = await agent.turn('Go').untilDone()
    expect(result.outcome.kind).toBe('max-iterations')
    expect(outline(result.messages).slice(-2)).toEqual(['assistant: ', 'tool: not-run'])
    expect(model.requests).toHaveLength(2)
  })
})

describe('a turn that may spend so much', () => {
  const usage: Usage = { inputTokens: 100, outputTokens: 10, totalTokens: 110 }
  const spender = () =>
    scriptedModel((_request, index) => (index < 5 ? { calls: [say(`${index}`)], usage } : { text: 'Done.', usage }))

  test.each([
    ['tokens', { totalTokens: 200 }, 2],
    ['written tokens', { outputTokens: 30 }, 3],
    ['money', { cost: 3, priceOf: ({ outputTokens = 0 }: Usage) => outputTokens / 10 }, 3],
  ])('in %s runs the tools it asked for and then ends', async (_name, budget, calls) => {
    const model = spender()
    const result = await createAgent({ model, tools: [echo], budget })
      .turn('Go')
      .untilDone()
    expect(result.outcome).toEqual({ kind: 'no-progress', reason: 'budget' })
    expect([model.requests.length, result.messages.at(-1)?.role]).toEqual([calls, 'tool'])
  })

  test('completes although its answer went over', async () => {
    const model = scriptedModel([{ text: 'Done.', usage }])
    const result = await createAgent({ model, budget: { totalTokens: 50 } })
      .turn('Go')
      .untilDone()
    expect(result.outcome.kind).toBe('completed')
  })

  test('cannot count money without a price', () => {
    expect(() => createAgent({ model: spender(), budget: { cost: 1 } })).toThrow(/priceOf/)
  })
})

describe('a turn that may take so long', () => {
  const timeouts = { turnMs: 5000 }

  test('ends as timed out, and no text says that a person stopped it', async () => {
    const clock = manualClock()
    const { tool, started } = obedientTool('slow')
    const model = scriptedModel([{ calls: [{ name: 'slow' }, { name: 'slow' }] }])
    const agent = createAgent({ model, clock, timeouts, tools: [tool], toolExecution: 'sequential' })
    const done = agent.turn('Go').untilDone()
    await started
    await clock.advance(5000)
    const { outcome, messages } = await done
    expect(outcome).toEqual({ kind: 'timed-out', limit: 'turnMs', ms: 5000 })
    expect(lastResultTexts({ messages })).toEqual([
      'The turn reached its time limit during this call. It stopped.',
      'The turn reached its time limit before this call started. It was not run.',
    ])
  })

  test('gives a deaf tool no more than its grace', async () => {
    const clock = manualClock()
    const deaf = deafTool({ name: 'deaf' })
    const model = scriptedModel([{ calls: [{ name: 'deaf' }] }])
    const done = createAgent({ model, clock, timeouts, tools: [deaf] })
      .turn('Go')
      .untilDone()
    await deaf.started
    await clock.advance(5000 + 800)
    const { messages } = await done
    expect(lastResultTexts({ messages })).toEqual([
      'The turn reached its time limit during this call. It may or may not have taken effect.',
    ])
  })

  test('leaves no timer behind when it is done in time', async () => {
    const clock = manualClock()
    await createAgent({ model: scriptedModel(['Hello']), clock, timeouts })
      .turn('Go')
      .untilDone()
    expect(clock.pending).toBe(0)
  })
})

describe('results that are the answer', () => {
  test('make one model call', async () => {
    const model = scriptedModel([{ calls: [say('a'), say('b')], usage: { outputTokens: 7 } }])
    const agent = createAgent({ model, tools: [echo], toolResultMode: 'passthrough' })
    const result = await agent.turn('Go').untilDone()
    expect([result.outcome.kind, result.text, model.requests.length]).toEqual(['completed', 'ab', 1])
    expect(result.message).toMatchObject({
      stopReason: 'endTurn',
      synthetic: 'passthrough',
      usage: { outputTokens: 7 },
    })
    expect(result.usage.outputTokens).toBe(7)
  })

  test('come after the cap', async () => {
    const model = scriptedModel([{ calls: [say('a')] }])
    const agent = createAgent({ model, tools: [echo], toolResultMode: 'passthrough', maxIterations: 0 })
    expect((await agent.turn('Go').untilDone()).outcome.kind).toBe('max-iterations')
  })

  test('may be so for one turn only', async () => {
    const model = scriptedModel([{ calls: [say('a')] }, { calls: [say('b')] }, 'Answered.'])
    const agent = createAgent({ model, tools: [echo] })
    expect((await agent.turn('Go', { toolResultMode: 'passthrough' }).untilDone()).text).toBe('a')
    expect((await agent.turn('Go').untilDone()).text).toBe('Answered.')
  })
})

test('C1: the same call with the same result is refused, then ends the turn', async () => {
  const model = scriptedModel(() => ({ calls: [say('again')] }))
  const result = await createAgent({ model, tools: [echo], repeatLimit: 2 })
    .turn('Go')
    .untilDone()
  expect(result.outcome).toEqual({ kind: 'no-progress', reason: 'repeated-call' })
  expect(model.requests).toHaveLength(4)
})

describe('a tool whose result ends the turn', () => {
  const ender = tool({
    name: 'handOver',
    description: 'Hands over',
    effect: 'read',
    stopAfter: true,
    execute: () => 'yours',
  })

  test('ends it after its whole batch', async () => {
    const model = scriptedModel([{ calls: [{ name: 'HANDOVER' }, say('too')] }])
    const result = await createAgent({ model, tools: [ender, echo] })
      .turn('Go')
      .untilDone()
    expect(result.outcome).toEqual({ kind: 'completed', stoppedBy: 'handOver' })
    expect(outline(result.messages).at(-1)).toBe('tool: ok, ok')
  })

  test('does not when it fails', async () => {
    const broken = { ...ender, execute: () => Promise.reject(new Error('No.')) }
    const model = scriptedModel([{ calls: [{ name: 'handOver' }] }, 'Then I will do it.'])
    const result = await createAgent({ model, tools: [broken] })
      .turn('Go')
      .untilDone()
    expect(result.text).toBe('Then I will do it.')
  })
})
