import {
  type Agent,
  agentTool,
  createAgent,
  type LiveEvent,
  resultText,
  type Tool,
  type TurnEvent,
  tool,
} from '@turnloop/core'
import { deafTool, manualClock, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { echo, lastResults, lastResultTexts, obedientTool, outline, say } from './loop-setup.ts'
import { askHelper, callerOf, described } from './nested-setup.ts'
import { openPage } from './session-setup.ts'

test('an unsafe call in doubt inside an agent leaves the call of that agent in doubt', async () => {
  const clock = manualClock()
  const pay = deafTool({ name: 'pay' })
  const inner = createAgent({ model: scriptedModel([{ calls: [{ name: 'pay' }] }]), clock, tools: [pay] })
  const runner = callerOf(inner, clock).turn('Go')
  const done = runner.untilDone()
  await pay.started
  runner.cancel()
  await clock.advance(1600)
  expect(lastResults(await done).map(({ status }) => status)).toEqual(['unknown'])
})

test('an agent over its time limit with a call in doubt is in doubt itself', async () => {
  const clock = manualClock()
  const pay = deafTool({ name: 'pay' })
  const inner = createAgent({ model: scriptedModel([{ calls: [{ name: 'pay' }] }]), clock, tools: [pay] })
  const done = callerOf(inner, clock, { toolMs: 1000 }).turn('Go').untilDone()
  await pay.started
  await clock.advance(1000 + 1600)
  const { messages } = await done
  expect(outline(messages)[2]).toBe('tool: unknown')
})

test('an agent that ended by itself with a call in doubt says so', async () => {
  const clock = manualClock()
  const pay = deafTool({ name: 'pay' })
  const model = scriptedModel([{ calls: [{ name: 'pay' }] }])
  const inner = createAgent({ model, clock, tools: [pay], timeouts: { turnMs: 1000 } })
  const done = callerOf(inner, clock).turn('Go').untilDone()
  await pay.started
  await clock.advance(1000 + 1600)
  const [result] = lastResults({ messages: (await done).messages.slice(0, 3) })
  expect(result?.status).toBe('unknown')
  expect(resultText(result?.result ?? { content: [] })).toBe(
    'The agent helper ended timed-out.\nOne of its calls may or may not have taken effect.',
  )
})

test.each([1, 2, 3, 4])('with a deaf tool %i agents deep, Stop ends all within twice the grace', async (depth) => {
  const clock = manualClock()
  const deaf = deafTool({ name: 'deaf' })
  let agent = createAgent({ model: scriptedModel([{ calls: [{ name: 'deaf' }] }]), clock, tools: [deaf] })
  for (let level = 0; level < depth; level += 1) {
    agent = createAgent({ model: scriptedModel([askHelper]), clock, tools: [agentTool(agent, described)] })
  }
  const events: TurnEvent[] = []
  const runner = agent.turn('Go', { onEvent: (event) => void events.push(event) })
  const done = runner.untilDone()
  await deaf.started
  runner.cancel()
  await clock.advance(1600)
  expect(outline((await done).messages).at(-1)).toBe('tool: unknown')
  const ends = events.flatMap((event) => (event.type === 'turn-ended' ? [event.path?.length ?? 0] : []))
  expect(ends).toEqual(Array.from({ length: depth + 1 }, (_, at) => depth - at))
  const told = events.length
  deaf.release('late')
  await clock.advance(5000)
  expect([events.length, clock.pending]).toEqual([told, 0])
})

test('an answer that was there when Stop came is the result', async () => {
  const inner = createAgent({ model: scriptedModel(['Found.']) })
  const runner = callerOf(inner).turn('Go', {
    onEvent: (event) => {
      if (event.type === 'turn-ended' && event.path !== undefined) runner.cancel()
    },
  })
  const result = await runner.untilDone()
  expect([result.outcome.kind, lastResultTexts(result)]).toEqual(['cancelled', ['Found.']])
})

test('a time limit on the call of an agent is not told as a person who stopped it', async () => {
  const clock = manualClock()
  const slow = obedientTool('slow')
  const inner = createAgent({ model: scriptedModel([{ calls: [{ name: 'slow' }] }]), clock, tools: [slow.tool] })
  const events: TurnEvent[] = []
  const runner = callerOf(inner, clock, { toolMs: 1000 }).turn('Go', { onEvent: (event) => void events.push(event) })
  const done = runner.untilDone()
  await slow.started
  await clock.advance(1000)
  expect((await done).outcome.kind).toBe('completed')
  const nested = events.filter(({ path }) => path !== undefined)
  const texts = nested.flatMap((event) => (event.type === 'tool-settled' ? [resultText(event.result)] : []))
  expect(texts).toEqual(['The turn reached its time limit during this call. It stopped.'])
  expect(nested.find(({ type }) => type === 'turn-ended')).toMatchObject({ outcome: { kind: 'timed-out', ms: 1000 } })
})

test('an agent that a tool brought to its end answers with what that tool said', async () => {
  const hand = tool({
    name: 'hand',
    description: 'Hands over',
    effect: 'read',
    stopAfter: true,
    execute: () => 'Yours.',
  })
  const inner = createAgent({ model: scriptedModel([{ calls: [say('x'), { name: 'hand' }] }]), tools: [hand, echo] })
  const { messages } = await callerOf(inner).turn('Go').untilDone()
  expect(lastResultTexts({ messages: messages.slice(0, 3) })).toEqual(['Yours.'])
})

test('what tries that failed inside an agent cost counts for the turn', async () => {
  const clock = manualClock()
  const unreachable = Object.assign(new Error('down'), { name: 'ModelError', code: 'model-unreachable' })
  const broken = { usage: { inputTokens: 7 }, error: unreachable }
  const inner = createAgent({
    model: scriptedModel([broken, { text: 'Fine.', usage: { inputTokens: 1 } }]),
    clock,
    retry: { restart: true },
  })
  const model = scriptedModel([
    { ...askHelper, usage: {} },
    { text: 'Done.', usage: {} },
  ])
  const done = createAgent({ model, clock, tools: [agentTool(inner, described)] })
    .turn('Go')
    .untilDone()
  await clock.advance(500)
  expect((await done).usage.inputTokens).toBe(8)
})

test('results that are the answer of an agent cost nothing again', async () => {
  const inner = createAgent({
    model: scriptedModel([{ calls: [say('a')], usage: { inputTokens: 7 } }]),
    tools: [echo],
    toolResultMode: 'passthrough',
  })
  const model = scriptedModel([
    { ...askHelper, usage: {} },
    { text: 'Done.', usage: {} },
  ])
  const { usage } = await createAgent({ model, tools: [agentTool(inner, described)] })
    .turn('Go')
    .untilDone()
  expect(usage.inputTokens).toBe(7)
})

test('live events of agents side by side follow the entry that came last', async () => {
  const inner = createAgent({ model: scriptedModel(() => 'One two three four.') })
  const both = ['one', 'two'].map((task) => ({ name: 'helper', input: { task } }))
  const model = scriptedModel([{ calls: both }, 'Done.'])
  const events: TurnEvent[] = []
  const onEvent = (event: TurnEvent) => void events.push(event)
  await createAgent({ model, tools: [agentTool(inner, described)] })
    .turn('Go', { onEvent })
    .untilDone()
  let last = 0
  for (const event of events) {
    if ('sequence' in event) last = event.sequence
    else
      expect([event.type, event.path?.length, (event as LiveEvent).after]).toEqual([
        event.type,
        event.path?.length,
        last,
      ])
  }
})

test('tools of an agent in a session know which session it is', async () => {
  const seen: (string | undefined)[] = []
  const look: Tool = tool({
    name: 'look',
    description: 'Looks',
    effect: 'read',
    execute: (_input, { sessionId }) => {
      seen.push(sessionId)
      return 'seen'
    },
  })
  const inner = createAgent({ model: scriptedModel([{ calls: [{ name: 'look' }] }, 'Seen.']), tools: [look] })
  const { session } = openPage([askHelper, 'Done.'], { tools: [agentTool(inner, described)] })
  await session.send('Go')
  expect(seen).toEqual(['s'])
})

test('a tool that calls two agents gets the answer of each', async () => {
  const make = (answer: string): Tool => agentTool(createAgent({ model: scriptedModel([answer]) }), described)
  const [one, two] = [make('One.'), make('Two.')]
  const both = tool({
    name: 'helper',
    description: 'Asks both',
    effect: 'read',
    execute: async (_input, context) => {
      const first = await one.execute({ task: 'x' }, context)
      const second = await two.execute({ task: 'y' }, context)
      return `${resultText(first as never)} ${resultText(second as never)}`
    },
  })
  const model = scriptedModel([{ calls: [{ name: 'helper' }] }, 'Done.'])
  const { messages } = await createAgent({ model, tools: [both] })
    .turn('Go')
    .untilDone()
  expect(lastResultTexts({ messages: messages.slice(0, 3) })).toEqual(['One. Two.'])
})

test.each<[string, unknown, unknown]>([
  ['agent', {}, described],
  ['agent', undefined, described],
  ['toInput', createAgent({ model: scriptedModel([]) }), { ...described, toInput: 'x' }],
  ['task', createAgent({ model: scriptedModel([]) }), { ...described, task: 'x' }],
  ['name', createAgent({ model: scriptedModel([]) }), undefined],
])('what cannot be an agent as a tool is refused, naming it: %s', (name, agent, options) => {
  expect(() => agentTool(agent as Agent, options as typeof described)).toThrow(
    expect.objectContaining({ code: 'bad-option', message: expect.stringContaining(name) }),
  )
})
