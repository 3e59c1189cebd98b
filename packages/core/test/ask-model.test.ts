import { createAgent, type ErrorRecord, ModelError, type ModelEvent, type TurnEvent, tool } from '@turnloop/core'
import { deferred, manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'

const overloaded = (facts = {}): ScriptStep => ({ throws: new ModelError('model-overloaded', 'Busy.', { facts }) })

/** Runs one turn with the clock stepped whenever the turn waits. */
async function run(steps: readonly ScriptStep[], options: Partial<Parameters<typeof createAgent>[0]> = {}) {
  const clock = manualClock()
  const model = scriptedModel([...steps])
  const events: TurnEvent[] = []
  const turn = createAgent({ model, clock, retry: { attempts: 3 }, ...options }).turn('Hello', {
    onEvent: (event) => events.push(event),
  })
  const done = turn.untilDone()
  let isDone = false
  done.finally(() => {
    isDone = true
  })
  const started = clock.now()
  await clock.advance(0)
  while (!isDone && clock.next() !== undefined) await clock.advance((clock.next() ?? 0) - clock.now())
  const retries = events.flatMap((event) => (event.type === 'retry' ? [event] : []))
  return { result: await done, model, retries, events, waitedMs: clock.now() - started }
}

test('a failure that may pass is tried again after growing pauses', async () => {
  const { result, retries } = await run([overloaded(), overloaded(), 'Fine.'])
  expect([result.outcome.kind, result.text]).toEqual(['completed', 'Fine.'])
  expect(retries.map(({ delayMs }) => delayMs)).toEqual([500, 1000])
})

test('a retry discards what the failed try had said, and starts a new reply', async () => {
  const cut: ModelEvent[] = [
    { type: 'text-delta', id: 't', delta: 'Half' },
    { type: 'tool-call', id: 'c', toolName: 'pay', inputText: '{}' },
  ]
  let paid = 0
  const pay = tool({ name: 'pay', description: 'Pays', execute: () => (paid += 1) })
  const { result, retries, events } = await run([{ events: cut }, 'Whole.'], { tools: [pay] })
  const ids = events.flatMap((event) => (event.type === 'model-started' ? [event.messageId] : []))
  expect(retries.map(({ discarded }) => discarded)).toEqual([ids[0]])
  expect([result.text, result.message?.id, paid]).toEqual(['Whole.', ids[1], 0])
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
})

test("a server's own wish for a pause is kept", async () => {
  const { retries } = await run([overloaded({ retryAfterMs: 7000 }), 'Fine.'])
  expect(retries.map(({ delayMs }) => delayMs)).toEqual([7000])
})

test('a pause longer than the limit is not waited for', async () => {
  const { result, retries } = await run([overloaded({ retryAfterMs: 90_000 })])
  expect([failure(result.outcome)?.code, retries.length]).toEqual(['model-overloaded', 0])
})

test('a refused key is not tried again', async () => {
  const { result, model } = await run([{ throws: new ModelError('model-unauthorized', 'No.') }])
  expect([failure(result.outcome)?.code, model.requests.length]).toEqual(['model-unauthorized', 1])
})

test('after the last try the turn fails and keeps the last text', async () => {
  const half: ScriptStep = { events: [{ type: 'text-delta', id: 't', delta: 'Half' }] }
  const { result, model } = await run([half, half, half])
  expect([failure(result.outcome)?.code, result.text, model.requests.length]).toEqual(['stream-cut', 'Half', 3])
})

test('another model is asked when the first has failed for good', async () => {
  const fallback = scriptedModel(['From the other.'])
  const { result, retries } = await run([{ throws: new ModelError('model-unauthorized', 'No.') }], {
    fallbackModels: [fallback],
  })
  expect([result.text, retries.map(({ delayMs }) => delayMs)]).toEqual(['From the other.', [0]])
})

test('without the option nothing is tried again', async () => {
  const { result, model } = await run([overloaded()], { retry: {} })
  expect([failure(result.outcome)?.code, model.requests.length]).toEqual(['model-overloaded', 1])
})

test('Stop ends a pause at once', async () => {
  const clock = manualClock()
  const model = scriptedModel([overloaded()])
  const waiting = deferred()
  const turn = createAgent({ model, clock, retry: { attempts: 2 } }).turn('Hello', {
    onEvent: (event) => (event.type === 'retry' ? waiting.resolve() : undefined),
  })
  const done = turn.untilDone()
  await waiting.promise
  turn.cancel('enough')
  await clock.advance(0)
  expect((await done).outcome.kind).toBe('cancelled')
  expect([model.requests.length, clock.pending]).toEqual([1, 0])
})

test.each([
  ['firstTokenMs', { hang: true }],
  ['idleMs', { text: 'Half', hang: true }],
  ['stepMs', { text: 'Half', hang: true }],
] as const)('a model that is silent longer than %s allows ends the turn timed out', async (limit, step) => {
  const { result } = await run([step], { timeouts: { [limit]: 3000 }, retry: { attempts: 1 } })
  expect(result.outcome).toEqual({ kind: 'timed-out', limit, ms: 3000 })
  expect(result.messages.every((message) => message.role !== 'assistant' || message.partial === true)).toBe(true)
})

test('a silent try is followed by another one', async () => {
  const { result } = await run([{ hang: true }, 'Fine.'], { timeouts: { firstTokenMs: 3000 } })
  expect(result.text).toBe('Fine.')
})

test('a tool without a limit of its own has the one of the agent', async () => {
  const slow = tool({ name: 'slow', description: 'Slow', execute: () => new Promise(() => {}) })
  const { result } = await run([{ calls: [{ name: 'slow' }] }, 'So be it.'], {
    tools: [slow],
    timeouts: { toolMs: 50 },
  })
  const answer = result.messages.find((message) => message.role === 'tool')
  expect(answer?.role === 'tool' && answer.results[0]?.status).toBe('unknown')
})

function failure(outcome: { kind: string; error?: ErrorRecord }): ErrorRecord | undefined {
  return outcome.error
}
