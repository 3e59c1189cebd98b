import { createAgent, ModelError, type ModelEvent, messageText, tool } from '@turnloop/core'
import { deferred, manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { askModel } from '../src/ask-model.ts'
import { failure, overloaded, runTurn } from './ask-setup.ts'
import { streamOf } from './turn-setup.ts'

const refused: ScriptStep = { throws: new ModelError('model-unauthorized', 'No.') }
const half: ScriptStep = { events: [{ type: 'text-delta', id: 't', delta: 'Half' }] }

describe('a try that fails before its answer began', () => {
  test('is repeated twice after growing pauses, without being asked to', async () => {
    const { result, retries } = await runTurn([overloaded(), overloaded(), 'Fine.'])
    expect([result.outcome.kind, result.text]).toEqual(['completed', 'Fine.'])
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([500, 1000])
  })

  test('ends the turn at the third time', async () => {
    const { result, model } = await runTurn([overloaded(), overloaded(), overloaded()])
    expect([failure(result.outcome)?.code, model.requests.length]).toEqual(['model-overloaded', 3])
  })

  test('ends the turn at once with one attempt', async () => {
    const { result, model } = await runTurn([overloaded()], { retry: { attempts: 1 } })
    expect([failure(result.outcome)?.code, model.requests.length]).toEqual(['model-overloaded', 1])
  })

  test.each<[string, readonly ModelEvent[]]>([
    ['nothing', []],
    ['word that it is there', [{ type: 'started' }, { type: 'ping' }]],
    ['the start of a text', [{ type: 'started' }, { type: 'text-start', id: 't' }]],
    ['an error', [{ type: 'error', error: new ModelError('model-overloaded', 'Busy.') }]],
  ])('is repeated when its stream brought %s', async (_what, events) => {
    const { result, model } = await runTurn([{ events }, 'Fine.'])
    expect([result.text, model.requests.length]).toEqual(['Fine.', 2])
  })

  test('that was refused for good is not repeated', async () => {
    const { result, model } = await runTurn([refused])
    expect([failure(result.outcome)?.code, model.requests.length]).toEqual(['model-unauthorized', 1])
  })
})

describe('a reply that breaks when it had begun', () => {
  const begun: [string, ModelEvent][] = [
    ['text', { type: 'text-delta', id: 't', delta: 'Half' }],
    ['reasoning', { type: 'reasoning-delta', id: 'r', delta: 'Hm' }],
    ['a call', { type: 'tool-input-start', id: 'c', toolName: 'pay' }],
    ['a source', { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' }],
  ]

  test.each(begun)('with %s ends the turn', async (_what, event) => {
    const { result, model, retries } = await runTurn([{ events: [event] }, 'Fine.'], {
      fallbackModels: [scriptedModel(['From the other.'])],
    })
    expect([failure(result.outcome)?.code, model.requests.length, retries.length]).toEqual(['stream-cut', 1, 0])
  })

  test('keeps what had arrived', async () => {
    const { result } = await runTurn([half, 'Fine.'])
    expect([result.text, result.message?.partial]).toEqual(['Half', true])
  })

  test.each(begun)('with %s starts anew where that is asked for', async (_what, event) => {
    const { result, model } = await runTurn([{ events: [event] }, 'Whole.'], { retry: { restart: true } })
    expect([result.text, model.requests.length]).toEqual(['Whole.', 2])
  })

  test('is discarded by a restart, its calls too', async () => {
    const events: ModelEvent[] = [
      { type: 'text-delta', id: 't', delta: 'Half' },
      { type: 'tool-call', id: 'c', toolName: 'pay', inputText: '{}' },
    ]
    let paid = 0
    const pay = tool({ name: 'pay', description: 'Pays', execute: () => (paid += 1) })
    const ran = await runTurn([{ events }, 'Whole.'], { tools: [pay], retry: { restart: true } })
    const ids = ran.events.flatMap((event) => (event.type === 'model-started' ? [event.messageId] : []))
    expect(ran.retries.map(({ discarded }) => discarded)).toEqual([ids[0]])
    expect([ran.result.text, ran.result.message?.id, paid]).toEqual(['Whole.', ids[1], 0])
    expect(ran.result.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  test('leaves the text of the last restart', async () => {
    const { result, model } = await runTurn([half, half, half], { retry: { restart: true } })
    expect([failure(result.outcome)?.code, result.text, model.requests.length]).toEqual(['stream-cut', 'Half', 3])
  })

  test('is replaced by the next model where a restart is asked for', async () => {
    const fallbackModels = [scriptedModel(['From the other.'])]
    const { result } = await runTurn([half], { fallbackModels, retry: { attempts: 1, restart: true } })
    expect(result.text).toBe('From the other.')
  })
})

describe('pauses', () => {
  test("a server's wish for a longer pause is kept", async () => {
    const { retries } = await runTurn([overloaded({ retryAfterMs: 7000 }), 'Fine.'])
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([7000])
  })

  test.each([0, 10])('a server that wishes for %i ms is not asked again so soon', async (retryAfterMs) => {
    const { retries } = await runTurn([overloaded({ retryAfterMs }), 'Fine.'])
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([500])
  })

  test('a pause longer than the limit is not waited for', async () => {
    const { result, retries } = await runTurn([overloaded({ retryAfterMs: 90_000 })])
    expect([failure(result.outcome)?.code, retries.length]).toEqual(['model-overloaded', 0])
  })

  test('Stop ends a pause at once and leaves no timer', async () => {
    const clock = manualClock()
    const model = scriptedModel([overloaded()])
    const waiting = deferred()
    const turn = createAgent({ model, clock, timeouts: { firstTokenMs: 5000, stepMs: 60_000 } }).turn('Hello', {
      onEvent: (event) => (event.type === 'retry' ? waiting.resolve() : undefined),
    })
    const done = turn.untilDone()
    await waiting.promise
    turn.cancel('enough')
    await clock.advance(0)
    expect((await done).outcome.kind).toBe('cancelled')
    expect([model.requests.length, clock.pending]).toEqual([1, 0])
  })
})

test('another model is asked when the first has failed for good', async () => {
  const { result, retries } = await runTurn([refused], { fallbackModels: [scriptedModel(['From the other.'])] })
  expect([result.text, retries.map(({ delayMs }) => delayMs)]).toEqual(['From the other.', [0]])
})

test('what failed tries have cost is told', async () => {
  const busy = (inputTokens: number) =>
    streamOf([
      { type: 'error', error: new ModelError('model-overloaded', 'Busy.') },
      { type: 'finish', stopReason: 'error', usage: { inputTokens } },
    ])
  const fine = streamOf([
    { type: 'text-delta', id: 't', delta: 'Fine.' },
    { type: 'finish', stopReason: 'endTurn', usage: { inputTokens: 50 } },
  ])
  const reply = await ask([busy(3), busy(4), fine])
  expect(messageText(reply.message)).toBe('Fine.')
  expect([reply.message.usage, reply.discardedUsage]).toEqual([{ inputTokens: 50 }, { inputTokens: 7 }])
})

/** Ask these models in turn, one try each. */
async function ask(models: Parameters<typeof askModel>[1]['models']) {
  const clock = manualClock()
  const asking = askModel(
    { messages: [], tools: [] },
    {
      ...{ models, clock, retry: { attempts: 1 }, timeouts: {}, messageId: 'm', emit: () => {} },
      signal: new AbortController().signal,
      ids: { mint: (id) => ({ callId: id, wireId: id }), find: () => undefined },
    },
  )
  await clock.runAll()
  return asking
}
