import { createAgent, type Tool, type ToolSource, type TurnEvent, tool } from '@turnloop/core'
import { deferred, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { collect, counter, echo, lastResults, lastResultTexts, outline, say, steps, toolNames } from './loop-setup.ts'

test('two calls in one reply run and both answer', async () => {
  const model = scriptedModel([{ calls: [say('a'), say('b')] }, 'Both said.'])
  const result = await createAgent({ model, tools: [echo] })
    .turn('Say a and b')
    .untilDone()
  expect(lastResultTexts(model.requests[1])).toEqual(['a', 'b'])
  expect([result.outcome.kind, result.text]).toEqual(['completed', 'Both said.'])
})

test('one tool round happens in a fixed order', async () => {
  const model = scriptedModel([{ calls: [say('a')] }, 'Said.'])
  const events = await collect(
    createAgent({ model, tools: [echo] })
      .turn('Say a')
      .events(),
  )
  const order = steps(events)
  expect(order.slice(0, 11)).toEqual([
    ...['turn-started', 'message', 'iteration-started', 'message', 'checkpoint'],
    ...['tool-started', 'tool-settled', 'message', 'checkpoint', 'iteration-started', 'message'],
  ])
  expect(order.filter((type) => type === 'turn-ended')).toHaveLength(1)
  expect(order.at(-1)).toBe('turn-ended')
})

test('a reply that asks for tools comes before they run', async () => {
  const { tool, ...count } = counter('tick')
  const model = scriptedModel([{ calls: [{ name: 'tick' }] }, 'Ticked.'])
  const turn = createAgent({ model, tools: [tool] }).turn('Tick')
  for await (const message of turn) {
    if (message.stopReason === 'toolUse') expect(count.runs).toBe(0)
  }
  expect(outline((await turn.untilDone()).messages)).toEqual([
    'user: Tick',
    'assistant: ',
    'tool: ok',
    'assistant: Ticked.',
  ])
})

test("the second round's tools run too", async () => {
  const tick = counter('tick')
  const calls = [{ name: 'tick' }]
  const model = scriptedModel([{ calls }, { calls }, 'Ticked twice.'])
  const result = await createAgent({ model, tools: [tick.tool] })
    .turn('Tick twice')
    .untilDone()
  expect([tick.runs, result.iterations, result.text]).toEqual([2, 2, 'Ticked twice.'])
})

test.each([
  [3, 4],
  [0, 1],
])('a cap of %d allows %d model calls', async (maxIterations, modelCalls) => {
  const tick = counter('tick')
  const model = scriptedModel(() => ({ calls: [{ name: 'tick' }] }))
  const result = await createAgent({ model, tools: [tick.tool], maxIterations })
    .turn('Tick')
    .untilDone()
  expect(result.outcome).toEqual({ kind: 'max-iterations', maxIterations })
  expect([model.requests.length, tick.runs]).toEqual([modelCalls, modelCalls])
  expect(lastResults(result)).toHaveLength(1)
})

test('a turn may bring its own cap', async () => {
  const model = scriptedModel(() => ({ calls: [say('a')] }))
  const result = await createAgent({ model, tools: [echo] })
    .turn('Go', { maxIterations: 1 })
    .untilDone()
  expect([result.outcome.kind, model.requests.length]).toEqual(['max-iterations', 2])
})

test('a reply that announces a missing call is asked once more', async () => {
  const model = scriptedModel([{ text: 'Let me look.', stopReason: 'toolUse' }, 'Found.'])
  const result = await createAgent({ model, tools: [echo] })
    .turn('Look')
    .untilDone()
  expect([result.outcome.kind, result.text, model.requests.length]).toEqual(['completed', 'Found.', 2])
})

test('announcing calls without bringing any ends the turn', async () => {
  const model = scriptedModel(() => ({ text: 'Let me look.', stopReason: 'toolUse' }))
  const result = await createAgent({ model, tools: [echo] })
    .turn('Look')
    .untilDone()
  expect(result.outcome).toEqual({ kind: 'no-progress', reason: 'missing-call' })
  expect(model.requests).toHaveLength(2)
})

test('an empty reply is asked for once more, then fails', async () => {
  const model = scriptedModel([{}, {}])
  const result = await createAgent({ model }).turn('Hello').untilDone()
  expect(result.outcome).toMatchObject({ kind: 'failed', error: { code: 'empty-reply' } })
})

test('an empty reply that is followed by a real one is forgotten', async () => {
  const model = scriptedModel([{}, 'Hello!', 'Again!'])
  const result = await createAgent({ model }).turn('Hello').untilDone()
  expect([result.outcome.kind, result.text]).toEqual(['completed', 'Hello!'])
})

test('an unknown tool name is answered, and the right one recovers', async () => {
  const model = scriptedModel([{ calls: [{ name: 'say' }] }, { calls: [say('a')] }, 'Said.'])
  const result = await createAgent({ model, tools: [echo] })
    .turn('Say a')
    .untilDone()
  expect(lastResultTexts(model.requests[1])).toEqual(['There is no tool named "say". Available tools: echo.'])
  expect(lastResultTexts(model.requests[2])).toEqual(['a'])
  expect(result.outcome.kind).toBe('completed')
})

test('a name that differs only in case is found', async () => {
  const shell = counter('Shell')
  const model = scriptedModel([{ calls: [{ name: 'shell' }] }, 'Ran.'])
  await createAgent({ model, tools: [shell.tool] })
    .turn('Run')
    .untilDone()
  expect([shell.runs, lastResults(model.requests[1])[0]?.status]).toEqual([1, 'ok'])
})

test('a name that differs in case from two tools is not guessed', async () => {
  const tools = [counter('Shell'), counter('SHELL')]
  const model = scriptedModel([{ calls: [{ name: 'shell' }] }, 'Could not.'])
  await createAgent({ model, tools: tools.map(({ tool }) => tool) })
    .turn('Run')
    .untilDone()
  expect(tools.map(({ runs }) => runs)).toEqual([0, 0])
  expect(lastResultTexts(model.requests[1])[0]).toContain('Available tools: Shell, SHELL')
})

test('results stand in call order although they finish out of order', async () => {
  const first = deferred()
  const slow = tool({
    name: 'slow',
    description: 'Waits',
    effect: 'read',
    execute: () => first.promise.then(() => 'slow'),
  })
  const fast = tool({
    name: 'fast',
    description: 'Lets the slow one go',
    effect: 'read',
    execute: () => {
      first.resolve()
      return 'fast'
    },
  })
  const model = scriptedModel([{ calls: [{ name: 'slow' }, { name: 'fast' }] }, 'Done.'])
  await createAgent({ model, tools: [slow, fast] })
    .turn('Both')
    .untilDone()
  expect(lastResultTexts(model.requests[1])).toEqual(['slow', 'fast'])
})

test('a throwing tool among five leaves four results', async () => {
  const broken = tool({
    name: 'broken',
    description: 'Throws',
    effect: 'read',
    execute: () => {
      throw new Error('disk full')
    },
  })
  const calls = [say('1'), say('2'), { name: 'broken' }, say('4'), say('5')]
  const model = scriptedModel([{ calls }, 'Four of five.'])
  const result = await createAgent({ model, tools: [echo, broken] })
    .turn('All')
    .untilDone()
  expect(lastResultTexts(model.requests[1])).toEqual(['1', '2', 'disk full', '4', '5'])
  expect(lastResults(model.requests[1]).map(({ status }) => status)).toEqual(['ok', 'ok', 'error', 'ok', 'ok'])
  expect(result.outcome.kind).toBe('completed')
})

test('a changed tool list is seen by the next turn', async () => {
  let listed: readonly Tool[] = [echo]
  const source: ToolSource = { list: async () => listed }
  const model = scriptedModel(['One.', 'Two.'])
  const agent = createAgent({ model, tools: [source] })
  await agent.turn('What can you do?').untilDone()
  listed = [echo, counter('tick').tool]
  await agent.turn('And now?').untilDone()
  expect(model.requests.map(toolNames)).toEqual([['echo'], ['echo', 'tick']])
})

test('a source that changes is listed again before the next model call', async () => {
  let listed: readonly Tool[] = [echo]
  let change = (): void => {}
  const source: ToolSource = {
    list: async () => listed,
    subscribe: (onChange) => {
      change = onChange
      return () => {}
    },
  }
  const grow = tool({
    name: 'grow',
    description: 'Adds a tool',
    effect: 'read',
    execute: () => {
      listed = [echo, counter('tick').tool]
      change()
    },
  })
  const model = scriptedModel([{ calls: [{ name: 'grow' }] }, { calls: [{ name: 'tick' }] }, 'Ticked.'])
  await createAgent({ model, tools: [grow, source] })
    .turn('Grow')
    .untilDone()
  expect(model.requests.map(toolNames)).toEqual([
    ['grow', 'echo'],
    ['grow', 'echo', 'tick'],
    ['grow', 'echo', 'tick'],
  ])
  expect(lastResultTexts(model.requests[2])).toEqual(['run 1'])
})

test('an unreachable source fails the turn before any model call', async () => {
  const source: ToolSource = { list: () => Promise.reject(new Error('server down')) }
  const model = scriptedModel([])
  const result = await createAgent({ model, tools: [source] })
    .turn('Hello')
    .untilDone()
  expect(result.outcome).toMatchObject({ kind: 'failed', error: { code: 'tool-list-failed' } })
  expect(model.requests).toHaveLength(0)
})

test('two overlapping turns on one agent do not mix', async () => {
  const both = deferred()
  let inside = 0
  const meet = tool({
    name: 'meet',
    description: 'Waits until both are here',
    effect: 'read',
    execute: async (_input, { messages }) => {
      inside += 1
      if (inside === 2) both.resolve()
      await both.promise
      return outline(messages)[0]
    },
  })
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'tool' ? (lastResultTexts({ messages })[0] ?? '') : { calls: [{ name: 'meet' }] },
  )
  const agent = createAgent({ model, tools: [meet] })
  const [left, right] = await Promise.all([agent.turn('left').untilDone(), agent.turn('right').untilDone()])
  expect(outline(left.messages)).toEqual(['user: left', 'assistant: ', 'tool: ok', 'assistant: user: left'])
  expect(outline(right.messages)).toEqual(['user: right', 'assistant: ', 'tool: ok', 'assistant: user: right'])
})

test('a throwing onEvent becomes one warning and the turn goes on', async () => {
  const model = scriptedModel([{ calls: [say('a')] }, 'Said.'])
  const onEvent = (event: TurnEvent): void => {
    if (event.type === 'tool-started') throw new Error('broken listener')
  }
  const turn = createAgent({ model, tools: [echo] }).turn('Say a', { onEvent })
  const events = await collect(turn.events())
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [JSON.stringify(event)] : []))
  expect(warnings).toEqual([expect.stringContaining('broken listener')])
  expect(turn.outcome).toEqual({ kind: 'completed' })
})

test('the model sees each earlier message as the very same data', async () => {
  const model = scriptedModel([{ calls: [say('a')] }, { calls: [say('b')] }, 'Done.'])
  await createAgent({ model, tools: [echo] })
    .turn('Say a, then b')
    .untilDone()
  const [first, second, third] = model.requests.map(({ messages }) => messages)
  expect(second?.slice(0, 1)).toEqual(first)
  expect(third?.slice(0, 3)).toEqual(second)
})
