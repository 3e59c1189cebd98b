import {
  type AgentOptions,
  createAgent,
  createMemoryLog,
  ModelError,
  structured,
  ToolRunner,
  type TurnEvent,
  tool,
  type Usage,
} from '@turnloop/core'
import { deferred, manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { echo, outline, say } from './loop-setup.ts'
import { openPage } from './session-setup.ts'
import { resumeTurn, startTurn, warnings } from './turn-setup.ts'

/** Goes on with every prefix of a turn's log that a crash can leave; how each ends, and after how many model calls. */
async function resumeEach(options: Partial<AgentOptions>, script: () => (index: number) => ScriptStep) {
  const build = () => {
    const next = script()
    const model = scriptedModel((request) => next(request.messages.filter(({ role }) => role === 'assistant').length))
    return { model, agent: createAgent({ model, clock: manualClock(), ...options }) }
  }
  const first = build()
  const { turn, log } = startTurn(first.agent, 'Go')
  const whole = await turn.untilDone()
  const ends: string[] = []
  for (let cut = 2; cut < log.entries.length; cut += 1) {
    const second = build()
    const result = await resumeTurn(second.agent, log.entries.slice(0, cut)).turn.untilDone()
    const end = JSON.stringify([result.outcome, result.text, outline(result.messages)])
    const same = JSON.stringify([whole.outcome, whole.text, outline(whole.messages)])
    if (end !== same) ends.push(`cut ${cut} after ${log.entries[cut - 1]?.type}: ${end}, not ${same}`)
  }
  return ends
}

describe('a turn cut after the batch that ends it ends the same way', () => {
  test('with the results as the answer', async () => {
    const script =
      () =>
      (index: number): ScriptStep =>
        index === 0 ? { calls: [say('a')] } : 'Asked again.'
    expect(await resumeEach({ tools: [echo], toolResultMode: 'passthrough' }, script)).toEqual([])
  })

  test('with empty results as the answer', async () => {
    const quiet = tool({ name: 'quiet', description: 'q', effect: 'read', execute: () => undefined })
    const script =
      () =>
      (index: number): ScriptStep =>
        index === 0 ? { calls: [{ name: 'quiet' }] } : 'Asked again.'
    expect(await resumeEach({ tools: [quiet], toolResultMode: 'passthrough' }, script)).toEqual([])
  })

  test('with a tool that stops it', async () => {
    const ender = tool({ name: 'end', description: 'Ends', effect: 'read', stopAfter: true, execute: () => 'over' })
    const script =
      () =>
      (index: number): ScriptStep =>
        index === 0 ? { calls: [{ name: 'end' }] } : 'Asked again.'
    expect(await resumeEach({ tools: [ender] }, script)).toEqual([])
  })

  test('with a call that repeats', async () => {
    const script = () => (): ScriptStep => ({ calls: [say('again')] })
    expect(await resumeEach({ tools: [echo], repeatLimit: 1 }, script)).toEqual([])
  })

  test('over the cap, with a last answer', async () => {
    const script =
      () =>
      (index: number): ScriptStep =>
        index > 1 ? 'Last.' : { calls: [say(`${index}`)] }
    expect(await resumeEach({ tools: [echo], maxIterations: 1, onMaxIterations: 'answer' }, script)).toEqual([])
  })
})

describe('the time limit of a turn ends it', () => {
  const never = (): Promise<never> => new Promise(() => {})
  const call = (name: string): readonly ScriptStep[] => [{ calls: [{ name }] }]
  const deaf = tool({ name: 'deaf', description: 'Hears nothing', execute: never })
  const busy = { throws: new ModelError('model-overloaded', 'busy', { facts: { retryAfterMs: 20_000 } }) }
  const phases: [string, Partial<AgentOptions>, readonly ScriptStep[]][] = [
    ['tools are listed', { tools: [{ list: never }] }, []],
    ['instructions are made', { instructions: never }, []],
    ['the model answers', {}, [{ hang: true }]],
    ['a try waits for the next', {}, [busy]],
    ['a tool runs', { tools: [deaf] }, call('deaf')],
    ['a call is mended', { tools: [echo], repairToolCall: never }, call('nobody')],
  ]
  test.each(phases)('while %s, also when nobody reads on', async (_phase, options, script) => {
    for (const reads of [true, false]) {
      const clock = manualClock()
      const agent = createAgent({ model: scriptedModel(script), clock, timeouts: { turnMs: 5000 }, ...options })
      const runner = agent.turn('Go')
      const first = reads ? undefined : runner.events()[Symbol.asyncIterator]().next()
      const done = runner.untilDone()
      await clock.advance(5000 + 1600)
      await first
      expect((await done).outcome).toEqual({ kind: 'timed-out', limit: 'turnMs', ms: 5000 })
      expect(clock.pending).toBe(0)
    }
  })
})

test('a budget counts replies with a total and replies without one', async () => {
  const usages: Usage[] = [
    { inputTokens: 10, outputTokens: 10, totalTokens: 20 },
    { inputTokens: 100, outputTokens: 100 },
  ]
  const model = scriptedModel((_request, index) => ({ calls: [say(`${index}`)], usage: usages[index % 2] ?? {} }))
  const { outcome } = await createAgent({ model, tools: [echo], budget: { totalTokens: 200 }, maxIterations: 6 })
    .turn('Go')
    .untilDone()
  expect([outcome.kind, model.requests.length]).toEqual(['no-progress', 2])
})

describe('a batch that repeats a refused call', () => {
  const ender = tool({ name: 'end', description: 'Ends', effect: 'read', stopAfter: true, execute: () => 'over' })
  const last = (name: string, input: object) => (index: number) => ({
    calls: index < 3 ? [say('again')] : [say('again'), { name, input }],
  })

  test('is no reason to overlook a tool that ends the turn', async () => {
    const script = last('end', {})
    const model = scriptedModel((_request, index) => script(index))
    const { outcome } = await createAgent({ model, tools: [echo, ender], repeatLimit: 2 })
      .turn('Go')
      .untilDone()
    expect([outcome, model.requests.length]).toEqual([{ kind: 'completed', stoppedBy: 'end' }, 4])
  })

  test('is no reason to overlook the answer', async () => {
    const script = last('final_answer', { sum: 3 })
    const model = scriptedModel((_request, index) => script(index))
    const output = structured(z.object({ sum: z.number() }), { policy: 'tool' })
    const result = await createAgent({ model, tools: [echo], repeatLimit: 2, output })
      .turn('Go')
      .untilDone()
    expect([result.outcome.kind, result.output]).toEqual(['completed', { sum: 3 }])
  })
})

test('a price that is no number ends the turn', async () => {
  const model = scriptedModel([{ calls: [say('a')] }])
  const budget = { cost: 1, priceOf: () => Number.NaN }
  const { outcome } = await createAgent({ model, tools: [echo], budget })
    .turn('Go')
    .untilDone()
  expect(outcome).toEqual({ kind: 'no-progress', reason: 'budget' })
})

test('a last answer that fails is told', async () => {
  const model = scriptedModel((_request, index) =>
    index === 0 ? { calls: [say('a')] } : { throws: new ModelError('model-unauthorized', 'no key') },
  )
  const events: TurnEvent[] = []
  const { outcome } = await createAgent({ model, tools: [echo], maxIterations: 0, onMaxIterations: 'answer' })
    .turn('Go', { onEvent: (event) => void events.push(event) })
    .untilDone()
  expect(outcome.kind).toBe('max-iterations')
  expect(warnings(events).join()).toContain('no key')
})

test('a turn that was stopped before it began leaves no log that a reload would go on with', async () => {
  const controller = new AbortController()
  controller.abort('no')
  const appends: string[][] = []
  const agent = createAgent({ model: scriptedModel([]), clock: manualClock() })
  const log = createMemoryLog(agent.clock)
  const append: typeof log.append = (...drafts) => {
    appends.push(drafts.map(({ type }) => type))
    return log.append(...drafts)
  }
  await new ToolRunner(agent.parts({ append }), 'Go', { signal: controller.signal }).untilDone()
  expect(appends).toEqual([['turn-started', 'turn-ended']])
})

describe('options inside options', () => {
  const model = scriptedModel([])
  test.each<[string, Partial<Record<keyof AgentOptions, unknown>>]>([
    ['maxTokens', { settings: { maxTokens: 5 } }],
    ['temperature', { settings: { temperature: 'hot' } }],
    ['maxOutputTokens', { settings: { maxOutputTokens: 0 } }],
    ['reasoning', { settings: { reasoning: 'hard' } }],
    ['stopSequences', { settings: { stopSequences: 'x' } }],
    ['headers', { settings: { headers: 'x' } }],
    ['providerOptions', { settings: { providerOptions: [] } }],
    ['seed', { settings: { seed: 'x' } }],
    ['attempt', { retry: { attempt: 5 } }],
    ['attempts', { retry: { attempts: '5' } }],
    ['restart', { retry: { restart: 'yes' } }],
    ['turnMS', { timeouts: { turnMS: 5 } }],
    ['turnMs', { timeouts: { turnMs: '5' } }],
    ['tokens', { budget: { tokens: 5 } }],
    ['cost', { budget: { cost: Number.NaN, priceOf: () => 1 } }],
    ['priceOf', { budget: { priceOf: 5 } }],
    ['on', { cacheMarks: { on: ['everything'] } }],
    ['at', { cacheMarks: { at: ['tools'] } }],
    ['providerOptions', { cacheMarks: { providerOptions: 5 } }],
    ['timeouts', { timeouts: null }],
    ['retry', { retry: 3 }],
    ['budget', { budget: 5 }],
    ['compaction', { compaction: true }],
    ['output', { output: {} }],
    ['repairToolCall', { repairToolCall: {} }],
    ['fallbackModels', { fallbackModels: model }],
    ['whenUnsaved', { whenUnsaved: 'ask' }],
  ])('%s is named', (name, options) => {
    expect(() => createAgent({ model, ...options } as AgentOptions)).toThrow(
      expect.objectContaining({ code: 'bad-option', message: expect.stringContaining(`"${name}"`) }),
    )
  })

  test('of a turn are checked as well', () => {
    const agent = createAgent({ model })
    const start = () => agent.turn('Go', { settings: { maxTokens: 5 } as never })
    expect(start).toThrow(
      expect.objectContaining({ code: 'bad-option', message: expect.stringContaining('maxTokens') }),
    )
  })
})

test('what a caller does to its options later is not for the agent', async () => {
  const main = scriptedModel([{ throws: new ModelError('model-unauthorized', 'no key') }])
  const fallbackModels = [scriptedModel(['From the other.'])]
  const timeouts = { turnMs: 5000 }
  const clock = manualClock()
  const agent = createAgent({ model: main, clock, fallbackModels, timeouts })
  fallbackModels.pop()
  timeouts.turnMs = 0
  const done = agent.turn('Go').untilDone()
  await clock.advance(0)
  expect((await done).text).toBe('From the other.')
})

test('a session cannot be closed in a way that does not exist', async () => {
  const gate = deferred()
  const { session } = openPage([{ text: 'Hello.', gate: gate.promise }])
  const turn = session.send('Hi')
  await expect(session.close({ running: 'finished' as 'finish' })).rejects.toMatchObject({ code: 'bad-option' })
  gate.resolve()
  expect((await turn).outcome.kind).toBe('completed')
})
