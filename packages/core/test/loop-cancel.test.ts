import { createAgent, openSession, type TurnEvent } from '@turnloop/core'
import { assertHistory, deafTool, deferred, manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { countListeners } from './listener-count.ts'
import { counter, echo, lastResults, obedientTool, outline, say, steps } from './loop-setup.ts'

const twoTools = { calls: [say('a'), say('b')] }

test('leaving the loop early cancels and leaves a sound transcript', async () => {
  const model = scriptedModel([twoTools, 'Done.'])
  const turn = createAgent({ model, tools: [echo] }).turn('Say a and b')
  for await (const message of turn) {
    if (message.stopReason === 'toolUse') break
  }
  const result = await turn.untilDone()
  expect(result.outcome.kind).toBe('cancelled')
  expect(outline(result.messages)).toEqual(['user: Say a and b', 'assistant: ', 'tool: not-run, not-run'])
  expect(model.requests).toHaveLength(1)
})

test('leaving the event view early cancels too', async () => {
  const model = scriptedModel([twoTools, 'Done.'])
  const turn = createAgent({ model, tools: [echo] }).turn('Say a and b')
  for await (const event of turn.events()) if (event.type === 'iteration-started') break
  const result = await turn.untilDone()
  expect(result.outcome.kind).toBe('cancelled')
  assertHistory(result.messages)
})

test('throwing in the body of the loop is a cancel', async () => {
  const model = scriptedModel([twoTools, 'Done.'])
  const turn = createAgent({ model, tools: [echo] }).turn('Say a and b')
  const looping = (async () => {
    for await (const _message of turn) throw new Error('body broke')
  })()
  await expect(looping).rejects.toThrow('body broke')
  const result = await turn.untilDone()
  expect(result.outcome.kind).toBe('cancelled')
  assertHistory(result.messages)
  expect(model.requests).toHaveLength(1)
})

test('a signal that is aborted before the start leaves nothing', async () => {
  const model = scriptedModel([])
  const result = await createAgent({ model }).turn('Hello', { signal: AbortSignal.abort() }).untilDone()
  expect(result.outcome.kind).toBe('cancelled')
  expect(model.requests).toHaveLength(0)
})

test('cancelling twice, and after the end, is fine', async () => {
  const model = scriptedModel([{ hang: 'until-abort' }])
  const turn = createAgent({ model }).turn('Hello')
  const done = turn.untilDone()
  turn.cancel('first')
  turn.cancel('second')
  const result = await done
  turn.cancel('third')
  expect(result.outcome).toMatchObject({ kind: 'cancelled', reason: 'first' })
})

test('a model that hangs is not waited for', async () => {
  const model = scriptedModel([{ text: 'Half an answ', hang: true }])
  const turn = createAgent({ model }).turn('Hello')
  for await (const event of turn.events())
    if (event.type === 'text-delta' && event.delta.includes('answ')) turn.cancel()
  const result = await turn.untilDone()
  expect(result.messages.at(-1)).toMatchObject({ partial: true, stopReason: 'cancelled' })
  expect(outline(result.messages)).toEqual(['user: Hello', 'assistant: Half an answ'])
})

test.each(['throw', 'end', 'finish', 'ignore'] as const)(
  'a model that meets its abort with "%s" changes nothing',
  async (onAbort) => {
    const model = scriptedModel([{ text: 'one two three' }], { onAbort })
    const turn = createAgent({ model }).turn('Count')
    for await (const event of turn.events()) if (event.type === 'text-delta') turn.cancel('enough')
    expect((await turn.untilDone()).outcome).toMatchObject({ kind: 'cancelled', reason: 'enough' })
  },
)

test('E1: Stop during a tool ends the turn without another request', async () => {
  const wait = obedientTool('wait')
  const model = scriptedModel([{ calls: [{ name: 'wait' }] }])
  const turn = createAgent({ model, tools: [wait.tool] }).turn('Wait')
  const done = turn.untilDone()
  await wait.started
  turn.cancel('enough')
  const result = await done
  expect(result.outcome).toMatchObject({ kind: 'cancelled', reason: 'enough' })
  expect(lastResults(result)[0]?.status).toBe('cancelled')
  expect(model.requests).toHaveLength(1)
})

test('of three tools the finished keeps its result, the others say why not', async () => {
  const wait = obedientTool('wait')
  const model = scriptedModel([{ calls: [say('a'), { name: 'wait' }, say('c')] }])
  const agent = createAgent({ model, tools: [echo, wait.tool], toolExecution: 'sequential' })
  const turn = agent.turn('All three')
  const done = turn.untilDone()
  await wait.started
  turn.cancel()
  expect(lastResults(await done).map(({ status }) => status)).toEqual(['ok', 'cancelled', 'not-run'])
})

test('E2: a deaf tool is given up, and its late result changes nothing', async () => {
  const clock = manualClock()
  const deaf = deafTool()
  const model = scriptedModel([{ calls: [{ name: 'deaf' }] }])
  const agent = createAgent({ model, tools: [deaf], graceMs: 250, clock })
  const events: TurnEvent[] = []
  const turn = agent.turn('Wait', { onEvent: (event) => events.push(event) })
  const done = turn.untilDone()
  await deaf.started
  turn.cancel()
  await clock.advance(249)
  expect(turn.outcome).toBeUndefined()
  await clock.advance(1)
  const result = await done
  const before = [steps(events), result.messages]
  deaf.release('too late')
  await clock.runAll()
  expect(lastResults(result)).toMatchObject([{ status: 'unknown', result: { isError: true } }])
  expect([steps(events), result.messages]).toEqual(before)
  expect(model.requests).toHaveLength(1)
})

test("E2: a deaf tool that fails late is nobody's unhandled error", async () => {
  const clock = manualClock()
  const deaf = deafTool()
  const turn = createAgent({
    model: scriptedModel([{ calls: [{ name: 'deaf' }] }]),
    tools: [deaf],
    clock,
  }).turn('Wait')
  const done = turn.untilDone()
  await deaf.started
  turn.cancel()
  await clock.advance(800)
  expect((await done).outcome.kind).toBe('cancelled')
  deaf.reject(new Error('too late'))
  await clock.runAll()
})

describe('E4: an abort is one typed outcome and no unhandled rejection', () => {
  const reasons = {
    'no reason': undefined,
    'an error': new Error('bye'),
    text: 'text',
    'a time limit': new DOMException('The operation timed out.', 'TimeoutError'),
  }
  const moments = ['before start', 'mid text', 'mid tool', 'between reply and tools'] as const
  const cells = Object.entries(reasons).flatMap(([name, reason]) => moments.map((moment) => ({ name, reason, moment })))

  test.each(cells)('$name, $moment', async ({ reason, moment }) => {
    const controller = new AbortController()
    const abort = (): void => controller.abort(reason)
    const wait = obedientTool('wait')
    const model = scriptedModel([{ text: 'Let me wait.', calls: [{ name: 'wait' }] }])
    if (moment === 'before start') abort()
    const turn = createAgent({ model, tools: [wait.tool] }).turn('Wait', {
      signal: controller.signal,
      onEvent: (event) => {
        if (moment === 'mid text' && event.type === 'text-delta') abort()
        if (moment === 'between reply and tools' && event.type === 'checkpoint') abort()
      },
    })
    const done = turn.untilDone()
    if (moment === 'mid tool') await wait.started.then(abort)
    const { outcome, messages } = await done
    expect(outcome.kind).toBe('cancelled')
    expect(turn.signal.reason).toBe(controller.signal.reason)
    if (reason instanceof Error) expect(JSON.stringify(outcome)).toContain(reason.message)
    if (reason === 'text') expect(outcome).toMatchObject({ reason: 'text' })
    assertHistory(messages)
  })
})

test('E7: a host signal has one listener during a turn, none after', async () => {
  const { signal } = new AbortController()
  const count = countListeners(signal)
  const tick = counter('tick')
  const calls = [{ name: 'tick' }, { name: 'tick' }]
  const model = scriptedModel((_request, index) => (index < 300 ? { calls } : 'Done.'))
  const agent = createAgent({ model, tools: [tick.tool], maxIterations: 400 })
  const result = await agent.turn('Tick', { signal }).untilDone()
  expect([result.outcome.kind, tick.runs]).toEqual(['completed', 600])
  expect(count).toEqual({ now: 0, most: 1 })
})

test('E9: a message sent right after Stop runs, and can be stopped too', async () => {
  const texts = [deferred(), deferred()]
  const script = [{ text: 'one', hang: 'until-abort' }, { text: 'two', hang: 'until-abort' }, 'Fine.'] as const
  const model = scriptedModel(script, {
    beforeEvent: (event, { request }) => {
      if (event.type === 'text-end') texts[request]?.resolve()
    },
  })
  const session = openSession({ agent: createAgent({ model }) })
  const first = session.send('a')
  await texts[0]?.promise
  const stopping = session.cancel()
  const second = session.send('b')
  expect((await first).outcome.kind).toBe('cancelled')
  await Promise.all([stopping, texts[1]?.promise])
  await Promise.all([session.cancel(), session.cancel()])
  expect((await second).outcome.kind).toBe('cancelled')
  expect((await session.send('c')).text).toBe('Fine.')
  await session.cancel()
  expect(session.getSnapshot().status).toBe('idle')
  expect(outline(session.getSnapshot().messages)).toEqual([
    ...['user: a', 'assistant: one', 'user: b', 'assistant: two', 'user: c', 'assistant: Fine.'],
  ])
})
