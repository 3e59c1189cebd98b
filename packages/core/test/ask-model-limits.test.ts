import { type ModelEvent, tool } from '@turnloop/core'
import { type ManualClock, manualClock, type ScriptedModelOptions } from '@turnloop/testing'
import { describe, expect, test, vi } from 'vitest'
import { type AskOptions, askModel } from '../src/ask-model.ts'
import { failure, overloaded, runTurn } from './ask-setup.ts'
import { streamOf } from './turn-setup.ts'

/** Events that come 2 s apart. */
const slowly = (clock: ManualClock): ScriptedModelOptions => ({
  beforeEvent: () => new Promise((resolve) => clock.setTimer(resolve, 2000)),
})

test.each([
  ['firstTokenMs', { hang: true }],
  ['idleMs', { text: 'Half', hang: true }],
  ['stepMs', { text: 'Half', hang: true }],
] as const)('a model that is silent longer than %s allows ends the turn timed out', async (limit, step) => {
  const { result } = await runTurn([step], { timeouts: { [limit]: 3000 }, retry: { attempts: 1 } })
  expect(result.outcome).toEqual({ kind: 'timed-out', limit, ms: 3000 })
  expect(result.messages.every((message) => message.role !== 'assistant' || message.partial === true)).toBe(true)
})

test('a silent try is followed by another one', async () => {
  const { result } = await runTurn([{ hang: true }, 'Fine.'], { timeouts: { firstTokenMs: 3000 } })
  expect(result.text).toBe('Fine.')
})

test('a reply that falls silent ends the turn, and keeps its text', async () => {
  const { result, model } = await runTurn([{ text: 'Half', hang: true }, 'Fine.'], { timeouts: { idleMs: 3000 } })
  expect([result.outcome.kind, result.text, model.requests.length]).toEqual(['timed-out', 'Half', 1])
})

describe('pings', () => {
  const ping: ModelEvent = { type: 'ping' }
  const answer: ModelEvent[] = [
    { type: 'text-delta', id: 't', delta: 'One' },
    ...[ping, ping, ping],
    { type: 'text-delta', id: 't', delta: ' two' },
    { type: 'finish', stopReason: 'endTurn' },
  ]

  test('between two pieces keep idleMs from running out', async () => {
    const { result } = await runTurn([{ events: answer }], { script: slowly, timeouts: { idleMs: 3000 } })
    expect([result.outcome.kind, result.text]).toEqual(['completed', 'One two'])
  })

  test('are all that keeps it from running out', async () => {
    const events = answer.map((event) => (event.type === 'ping' ? ({ type: 'started' } as const) : event))
    const silent = events.filter(({ type }) => type !== 'started')
    const script = (clock: ManualClock): ScriptedModelOptions => ({
      beforeEvent: (_event, { event }) => new Promise((resolve) => clock.setTimer(resolve, event === 1 ? 8000 : 2000)),
    })
    const { result } = await runTurn([{ events: silent }], { script, timeouts: { idleMs: 3000 } })
    expect(result.outcome).toEqual({ kind: 'timed-out', limit: 'idleMs', ms: 3000 })
  })

  test('before the first piece do not put firstTokenMs off', async () => {
    const { result } = await runTurn([{ events: [ping, ping, ping, ...answer] }], {
      ...{ script: slowly, timeouts: { firstTokenMs: 5000, idleMs: 3000 }, retry: { attempts: 1 } },
    })
    expect(result.outcome).toEqual({ kind: 'timed-out', limit: 'firstTokenMs', ms: 5000 })
  })

  test('before the first piece are not held to idleMs', async () => {
    const { result } = await runTurn([{ events: [ping, ...answer] }], {
      ...{ script: slowly, timeouts: { firstTokenMs: 5000, idleMs: 2500 } },
    })
    expect(result.outcome.kind).toBe('completed')
  })

  test('are no first token, and nothing that is told', async () => {
    const { result, events } = await runTurn([{ events: [ping, ...answer] }], { script: slowly })
    expect(result.message?.timing?.firstTokenMs).toBe(4000)
    const told = events.filter((event) => 'after' in event).map(({ type }) => type)
    expect(told).toEqual(['iteration-started', 'model-started', 'text-delta', 'text-delta'])
  })
})

describe('stepMs', () => {
  test('counts all tries of a call together', async () => {
    const { result, model } = await runTurn([{ hang: true }, { hang: true }, 'Fine.'], {
      timeouts: { firstTokenMs: 3000, stepMs: 5000 },
    })
    expect(result.outcome).toEqual({ kind: 'timed-out', limit: 'stepMs', ms: 5000 })
    expect(model.requests).toHaveLength(2)
  })

  test('a pause that would outlast it is not begun', async () => {
    const { result, retries, waitedMs } = await runTurn([overloaded({ retryAfterMs: 7000 }), 'Fine.'], {
      timeouts: { stepMs: 5000 },
    })
    expect([failure(result.outcome)?.code, retries.length, waitedMs]).toEqual(['model-overloaded', 0, 0])
  })
})

test('a call leaves no timer and no listener behind, however it went', async () => {
  const timeouts = { firstTokenMs: 3000, idleMs: 3000, stepMs: 60_000 }
  const fine = streamOf([
    { type: 'text-delta', id: 't', delta: 'Fine.' },
    { type: 'finish', stopReason: 'endTurn' },
  ])
  const left = [
    await leftBy({ models: [fine], timeouts }),
    await leftBy({ models: [streamOf([]), fine], timeouts }),
    await leftBy({ models: [streamOf([], 'hang'), fine], timeouts }),
    await leftBy({ models: [streamOf([])], timeouts, stopAt: 'retry' }),
    await leftBy({ models: [streamOf([], 'hang')], timeouts, stopAt: 'start' }),
  ]
  expect(left).toEqual(left.map(() => ({ timers: 0, listeners: 0 })))
})

test('a tool without a limit of its own has the one of the agent', async () => {
  const slow = tool({ name: 'slow', description: 'Slow', execute: () => new Promise(() => {}) })
  const { result } = await runTurn([{ calls: [{ name: 'slow' }] }, 'So be it.'], {
    tools: [slow],
    timeouts: { toolMs: 50 },
  })
  const answer = result.messages.find((message) => message.role === 'tool')
  expect(answer?.role === 'tool' && answer.results[0]?.status).toBe('unknown')
})

/** What is left of one call when it has been answered, or was stopped when it began or when it was about to wait. */
async function leftBy({
  stopAt,
  ...options
}: Pick<AskOptions, 'models' | 'timeouts'> & { stopAt?: 'start' | 'retry' }): Promise<object> {
  const clock = manualClock()
  const controller = new AbortController()
  const { signal } = controller
  const listeners = countListeners()
  const stop = (): void => controller.abort()
  const asking = askModel(
    { messages: [], tools: [] },
    {
      ...{ ...options, clock, signal, retry: {}, messageId: 'm' },
      ids: { mint: (id) => ({ callId: id, wireId: id }), find: () => undefined },
      // After the pause has begun, in the task that announced it.
      emit: (body) => (body.type === stopAt ? queueMicrotask(stop) : undefined),
    },
  )
  if (stopAt === 'start') stop()
  else await clock.runAll()
  await asking
  return { timers: clock.pending, listeners: listeners.left() }
}

/** Counts the listeners that signals get from now on; those of an aborted one were called, and are gone. */
function countListeners(): { left(): number } {
  const { addEventListener, removeEventListener } = EventTarget.prototype
  const known = new Map<unknown, EventTarget>()
  const adding = vi.spyOn(EventTarget.prototype, 'addEventListener').mockImplementation(function (
    this: EventTarget,
    ...given
  ) {
    if (this instanceof AbortSignal) known.set(given[1], this)
    addEventListener.apply(this, given)
  })
  const removing = vi.spyOn(EventTarget.prototype, 'removeEventListener').mockImplementation(function (
    this: EventTarget,
    ...given
  ) {
    known.delete(given[1])
    removeEventListener.apply(this, given)
  })
  return {
    left() {
      adding.mockRestore()
      removing.mockRestore()
      return [...known.values()].filter((target) => target instanceof AbortSignal && !target.aborted).length
    },
  }
}
