import {
  agentTool,
  createAgent,
  createMemoryLog,
  type Entry,
  structured,
  type Tool,
  ToolRunner,
  tool,
} from '@turnloop/core'
import { deferred, manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { collect, echo, lastResultTexts, obedientTool, outline, say } from './loop-setup.ts'

const described = { name: 'helper', description: 'Helps' }
const askHelper = { calls: [{ name: 'helper', input: { task: 'Look it up' } }] }

test('its answer is the result, and its transcript its own', async () => {
  const inner = scriptedModel([{ calls: [say('deep')] }, 'Found it.'])
  const outer = scriptedModel([askHelper, 'Thanks.'])
  const helper = agentTool(createAgent({ model: inner, tools: [echo] }), described)
  const result = await createAgent({ model: outer, tools: [helper] })
    .turn('Find it')
    .untilDone()
  expect(outline(inner.requests[0]?.messages ?? [])).toEqual(['user: Look it up'])
  expect(lastResultTexts(outer.requests[1])).toEqual(['Found it.'])
  expect(outline(result.messages)).toEqual(['user: Find it', 'assistant: ', 'tool: ok', 'assistant: Thanks.'])
})

test('its usage counts for the turn that called it', async () => {
  const inner = scriptedModel([{ text: 'Found it.', usage: { inputTokens: 5, outputTokens: 2 } }])
  const outer = scriptedModel([
    { ...askHelper, usage: { inputTokens: 10, outputTokens: 3 } },
    { text: 'Thanks.', usage: {} },
  ])
  const helper = agentTool(createAgent({ model: inner }), described)
  const { usage } = await createAgent({ model: outer, tools: [helper] })
    .turn('Go')
    .untilDone()
  expect(usage).toMatchObject({ inputTokens: 15, outputTokens: 5 })
})

test('its events come with the path that leads to it', async () => {
  const inner = scriptedModel(['Found it.'])
  const middle = createAgent({
    model: scriptedModel([askHelper, 'Passed on.']),
    tools: [agentTool(createAgent({ model: inner }), described)],
  })
  const outer = createAgent({
    model: scriptedModel([{ calls: [{ name: 'boss', input: { task: 'x' } }] }, 'Done.']),
    tools: [agentTool(middle, { name: 'boss', description: 'Delegates' })],
  })
  const events = await collect(outer.turn('Go').events())
  const depths = (type: string): number[] =>
    events.filter((event) => event.type === type).map(({ path }) => path?.length ?? 0)
  expect(depths('turn-ended')).toEqual([2, 1, 0])
  expect(depths('model-started')).toEqual([0, 1, 2, 1, 0])
  expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: { kind: 'completed' } })
  const deltas = events.flatMap((event) =>
    event.type === 'text-delta' && event.path?.length === 2 ? [event.delta] : [],
  )
  expect(deltas.join('')).toBe('Found it.')
})

test('its entries are in the one log, numbered along', async () => {
  const clock = manualClock()
  const log = createMemoryLog(clock)
  const helper = agentTool(createAgent({ model: scriptedModel(['Found it.']), clock }), described)
  const agent = createAgent({ model: scriptedModel([askHelper, 'Thanks.']), clock, tools: [helper] })
  await new ToolRunner(agent.parts(log), 'Go').untilDone()
  expect(log.entries.map(({ sequence }) => sequence)).toEqual(log.entries.map((_entry, index) => index + 1))
  const nested = log.entries.filter(({ path }) => path !== undefined).map(({ type }) => type)
  expect(nested).toEqual(['turn-started', 'message', 'message', 'checkpoint', 'turn-ended'])
})

test('structured output becomes structured content', async () => {
  const model = scriptedModel(['{"sum":3}'], { capabilities: { structuredOutput: true } })
  const adder = createAgent({ model, output: structured(z.object({ sum: z.number() })) })
  const outer = scriptedModel([askHelper, 'Three.'])
  const result = await createAgent({ model: outer, tools: [agentTool(adder, described)] })
    .turn('Add')
    .untilDone()
  expect(result.messages[2]).toMatchObject({ results: [{ result: { structuredContent: { sum: 3 } } }] })
})

test('an end that is no answer is an error result that says which', async () => {
  const inner = createAgent({ model: scriptedModel(() => ({ calls: [say('on')] })), tools: [echo], maxIterations: 0 })
  const outer = scriptedModel([askHelper, 'Sorry.'])
  await createAgent({ model: outer, tools: [agentTool(inner, described)] })
    .turn('Go')
    .untilDone()
  expect(lastResultTexts(outer.requests[1])).toEqual(['The agent helper ended max-iterations.'])
})

test('Stop reaches it, and what it did not finish is said to have stopped', async () => {
  const slow = obedientTool('slow')
  const inner = scriptedModel([{ calls: [{ name: 'slow' }] }])
  const helper = agentTool(createAgent({ model: inner, tools: [slow.tool] }), described)
  const outer = scriptedModel([askHelper])
  const runner = createAgent({ model: outer, tools: [helper] }).turn('Go')
  const done = runner.untilDone()
  await slow.started
  runner.cancel()
  const { outcome, messages } = await done
  expect([outcome.kind, outline(messages).at(-1)]).toEqual(['cancelled', 'tool: cancelled'])
  expect([inner.requests.length, outer.requests.length]).toEqual([1, 1])
})

test('agents may stand four deep, and not five', async () => {
  const texts: string[] = []
  let agent = createAgent({ model: scriptedModel(['Bottom.']) })
  for (let level = 0; level < 5; level += 1) {
    const model = scriptedModel((request, index) => {
      if (index === 0) return { calls: [{ name: 'helper', input: { task: 'down' } }] }
      texts.push(...lastResultTexts(request))
      return `Level ${level}.`
    })
    agent = createAgent({ model, tools: [agentTool(agent, described)] })
  }
  await agent.turn('Go').untilDone()
  expect(texts[0]).toMatch(/at most 4 deep/)
  expect(texts.slice(1)).toEqual(['Level 0.', 'Level 1.', 'Level 2.', 'Level 3.'])
})

test('two at once do not mix', async () => {
  const inner = scriptedModel((request) => {
    const asked = request.messages[0]
    return asked?.role === 'user' && asked.content[0]?.type === 'text' ? `Did ${asked.content[0].text}.` : '?'
  })
  const helper = agentTool(createAgent({ model: inner }), described)
  const both = ['one', 'two'].map((task) => ({ name: 'helper', input: { task } }))
  const outer = scriptedModel([{ calls: both }, 'Done.'])
  await createAgent({ model: outer, tools: [helper] })
    .turn('Go')
    .untilDone()
  expect(lastResultTexts(outer.requests[1])).toEqual(['Did one.', 'Did two.'])
})

describe('after a crash', () => {
  /** A world whose inner agent pays once and then looks; counts what really happened. */
  function world(gate?: Promise<void>) {
    const deeds: string[] = []
    const pay: Tool = tool({ name: 'pay', description: 'Pays', execute: () => void deeds.push('pay') })
    const look: Tool = tool({
      name: 'look',
      description: 'Looks',
      effect: 'read',
      execute: async () => {
        deeds.push('look')
        await gate
        return 'seen'
      },
    })
    const clock = manualClock()
    const inner = scriptedModel((request) => {
      const answered = request.messages.filter(({ role }) => role === 'tool').length
      return [{ calls: [{ name: 'pay' }] }, { calls: [{ name: 'look' }] }, 'Paid and seen.'][answered] ?? '?'
    })
    const outer = scriptedModel((request) => (request.messages.at(-1)?.role === 'tool' ? 'Done.' : askHelper))
    const helper = agentTool(createAgent({ model: inner, clock, tools: [pay, look] }), described)
    return { deeds, inner, agent: createAgent({ model: outer, clock, tools: [helper] }), clock }
  }

  test('after any append it goes on where it was and pays at most once', async () => {
    const first = world()
    const log = createMemoryLog(first.clock)
    const cuts: number[] = []
    const append: typeof log.append = (...drafts) => {
      const appended = log.append(...drafts)
      cuts.push(log.entries.length)
      return appended
    }
    await new ToolRunner(first.agent.parts({ append }), 'Go').untilDone()
    const ends = await Promise.all(
      cuts.slice(0, -1).map(async (cut) => {
        const kept: Entry[] = log.entries.slice(0, cut)
        const second = world()
        const copy = createMemoryLog(second.clock)
        for (const { sequence: _sequence, at: _at, ...draft } of kept) copy.append(draft)
        const { outcome, text } = await ToolRunner.from(second.agent.parts(copy), copy.entries.slice()).untilDone()
        const paidBefore = kept.some((entry) => entry.type === 'tool-settled' && entry.toolName === 'pay')
        const startedBefore = kept.some((entry) => entry.type === 'tool-started' && entry.toolName === 'pay')
        const times = second.deeds.filter((deed) => deed === 'pay').length
        return { outcome: outcome.kind, text, isOnce: times === (paidBefore || startedBefore ? 0 : 1) }
      }),
    )
    expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(
      new Set([JSON.stringify({ outcome: 'completed', text: 'Done.', isOnce: true })]),
    )
    expect(ends.length).toBeGreaterThan(12)
  })

  test('in the middle of its second tool, its first model calls are not made again', async () => {
    const gate = deferred<void>()
    const first = world(gate.promise)
    const log = createMemoryLog(first.clock)
    void new ToolRunner(first.agent.parts(log), 'Go').untilDone()
    while (!first.deeds.includes('look')) await Promise.resolve()
    const second = world()
    await ToolRunner.from(second.agent.parts(createMemoryLog(second.clock)), log.entries.slice()).untilDone()
    expect([second.inner.requests.length, second.deeds]).toEqual([1, ['look']])
    gate.resolve()
  })
})
