import { type AgentOptions, createAgent, structured, type TurnResult, tool } from '@turnloop/core'
import { manualClock, type Script, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { collect, echo, outline, say } from './loop-setup.ts'
import { resumeTurn, startTurn } from './turn-setup.ts'

const schema = z.object({ city: z.string() })
const brno = { city: 'Brno' }
const policies = ['always', 'final', 'tool'] as const
type Policy = (typeof policies)[number]

const stop = tool({ name: 'stop', description: 'Ends it', effect: 'read', stopAfter: true, execute: () => 'Stopped.' })

function answers(...inputs: readonly unknown[]): ScriptStep {
  return { calls: inputs.map((input) => ({ name: 'final_answer', input })) }
}

/** An agent that owes a city, and its model. */
function asker(script: Script, options: Partial<AgentOptions> & { policy?: Policy; retries?: number } = {}) {
  const { policy = 'tool', retries = 1, ...rest } = options
  const model = scriptedModel(script, { capabilities: { structuredOutput: policy !== 'tool' } })
  const output = structured(schema, { policy, retries })
  return { model, agent: createAgent({ model, clock: manualClock(), tools: [echo, stop], output, ...rest }) }
}

async function ask(
  script: Script,
  options: Parameters<typeof asker>[1] = {},
): Promise<TurnResult & { readonly asked: number }> {
  const { model, agent } = asker(script, options)
  const result = await agent.turn('Where?').untilDone()
  return { ...result, asked: model.requests.length }
}

/** What does not differ between a turn that was cut and one that was not. */
function gist({ outcome, output, messages, usage }: TurnResult): unknown[] {
  return [outcome, output, outline(messages), usage]
}

/** The whole turn, and what comes of it when it is cut after each of its entries, with all that was asked. */
async function cutEverywhere(make: () => ReturnType<typeof asker>) {
  const whole = make()
  const { turn, log } = startTurn(whole.agent, 'Where?')
  const expected = [...gist(await turn.untilDone()), whole.model.requests.length]
  const found: unknown[] = []
  for (let length = 2; length < log.entries.length; length += 1) {
    const entries = log.entries.slice(0, length)
    const replies = entries.filter((entry) => entry.type === 'message' && entry.message.role === 'assistant')
    const known = replies.filter((entry) => entry.type === 'message' && !('synthetic' in entry.message)).length
    const { agent, model } = make()
    const result = await resumeTurn(agent, entries).turn.untilDone()
    found.push([...gist(result), known + model.requests.length])
  }
  return { expected, found }
}

/** Works, gives a wrong answer, then the right one. */
function worker(policy: Policy): Script {
  return ({ messages, output }): ScriptStep => {
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
    const last = messages.at(-1)
    if (results.length === 0) return { calls: [say('a')] }
    if (policy === 'tool') return answers(results.length === 1 ? { town: 'Brno' } : brno)
    if (last?.role === 'user' && last.synthetic === 'output-repair') return JSON.stringify(brno)
    return policy === 'final' && output === undefined ? 'It is Brno.' : '{"town":1}'
  }
}

describe('a turn that was cut anywhere ends as if it had not been, and asks for nothing twice', () => {
  test.each(policies)('with the policy %s and a repair', async (policy) => {
    const { expected, found } = await cutEverywhere(() => asker(worker(policy), { policy }))
    expect(expected.slice(0, 2)).toEqual([{ kind: 'completed' }, brno])
    for (const end of found) expect(end).toEqual(expected)
  })

  test('when a tool ends it', async () => {
    const { expected, found } = await cutEverywhere(() => asker(() => ({ calls: [{ name: 'stop' }] })))
    expect(expected[0]).toEqual({ kind: 'completed', stoppedBy: 'stop' })
    for (const end of found) expect(end).toEqual(expected)
  })

  test('when the results are the answer', async () => {
    const text = JSON.stringify(brno)
    const { expected, found } = await cutEverywhere(() =>
      asker(() => ({ calls: [say(text)] }), { toolResultMode: 'passthrough' }),
    )
    expect(expected.slice(0, 2)).toEqual([{ kind: 'completed' }, brno])
    for (const end of found) expect(end).toEqual(expected)
  })

  test('when a call repeats', async () => {
    const { expected, found } = await cutEverywhere(() => asker(() => ({ calls: [say('a')] }), { repeatLimit: 1 }))
    expect(expected[0]).toEqual({ kind: 'no-progress', reason: 'repeated-call' })
    for (const end of found) expect(end).toEqual(expected)
  })
})

describe('the answer tool', () => {
  test('is meant by a name that differs in case alone', async () => {
    const { output, asked } = await ask([{ calls: [{ name: 'Final_Answer', input: brno }] }])
    expect([output, asked]).toEqual([brno, 1])
  })

  test('called wrongly under such a name costs its repairs', async () => {
    const { outcome, asked } = await ask(() => ({ calls: [{ name: 'FINAL_ANSWER', input: {} }] }))
    expect([outcome, asked]).toMatchObject([{ kind: 'failed', error: { code: 'output-invalid' } }, 2])
  })

  test('called wrongly twice in one reply costs one repair', async () => {
    const { output, asked } = await ask([answers({ town: 1 }, { town: 2 }), answers(brno)])
    expect([output, asked]).toEqual([brno, 2])
  })

  test('cut by the output limit costs no repair', async () => {
    const cut: ScriptStep = { calls: [{ name: 'final_answer', inputText: '{"ci' }], stopReason: 'maxTokens' }
    const { output, messages } = await ask([cut, answers({ town: 1 }), answers(brno)])
    expect(output).toEqual(brno)
    expect(outline(messages).filter((line) => line.startsWith('user'))).toEqual(['user: Where?'])
  })

  test.each([3, 1])('repeated without a change fails for what is wrong with it, limit %i', async (repeatLimit) => {
    const { outcome } = await ask(() => answers({ town: 1 }), { retries: 9, repeatLimit })
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { code: 'output-invalid', facts: { problems: [expect.stringMatching(/city/)], text: '{"town":1}' } },
    })
  })

  test('beside a tool that ends the turn gives its answer', async () => {
    const { outcome, output } = await ask([{ calls: [{ name: 'stop' }, { name: 'final_answer', input: brno }] }])
    expect([outcome, output]).toEqual([{ kind: 'completed', stoppedBy: 'stop' }, brno])
  })

  test('behind an unknown tool, in short circuit, is neither the answer nor a wrong one', async () => {
    const both: ScriptStep = { calls: [{ name: 'nope' }, { name: 'final_answer', input: brno }] }
    const { output, asked } = await ask([both, answers(brno)], { unknownTool: 'short-circuit', retries: 0 })
    expect([output, asked]).toEqual([brno, 2])
  })

  test('has its arguments checked once', async () => {
    let checks = 0
    const counted = schema.refine(() => {
      checks += 1
      return true
    })
    const { output } = await ask([answers(brno)], { output: structured(counted, { policy: 'tool' }) })
    expect([output, checks]).toEqual([brno, 1])
  })

  test('over the cap of iterations still gives the answer', async () => {
    const { outcome, output } = await ask([answers(brno)], { maxIterations: 0 })
    expect([outcome, output]).toEqual([{ kind: 'completed' }, brno])
  })
})

describe.each(policies)('under the policy %s', (policy) => {
  test('a reply that the provider paused goes on without a word in between', async () => {
    const paused: ScriptStep = { text: 'Searching.', stopReason: 'pause' }
    const end = policy === 'tool' ? answers(brno) : JSON.stringify(brno)
    const { model, agent } = asker([paused, end], { policy, retries: 0 })
    const { output } = await agent.turn('Where?').untilDone()
    expect(output).toEqual(brno)
    expect(outline(model.requests[1]?.messages ?? [])).toEqual(['user: Where?', 'assistant: Searching.'])
  })

  test('a refusal in place of the answer ends the turn blocked', async () => {
    const refusal: ScriptStep = { text: JSON.stringify(brno), stopReason: 'safety' }
    const { outcome, output } = await ask(policy === 'final' ? ['It is Brno.', refusal] : [refusal], { policy })
    expect([outcome.kind, output]).toEqual(['blocked', undefined])
  })

  test('results that are the answer have to fit', async () => {
    const { outcome, asked } = await ask(() => ({ calls: [say('no city')] }), { policy, toolResultMode: 'passthrough' })
    expect([outcome, asked]).toMatchObject([{ kind: 'failed', error: { code: 'output-invalid' } }, 1])
  })

  test('Stop ends a turn whose schema never answers', async () => {
    const deaf = schema.refine(() => new Promise<boolean>(() => {}))
    const end = policy === 'tool' ? answers(brno) : JSON.stringify(brno)
    const { agent } = asker(() => end, { policy, output: structured(deaf, { policy }) })
    const turn = agent.turn('Where?')
    const done = turn.untilDone()
    // manualClock, given by `asker`.
    const clock = agent.clock as ReturnType<typeof manualClock>
    await clock.advance(0)
    turn.cancel()
    await clock.advance(2000)
    expect((await done).outcome.kind).toBe('cancelled')
  })
})

test('a model that goes on calling tools in place of the answer fails', async () => {
  const { outcome, asked } = await ask((_request, index) => (index === 0 ? 'Brno.' : { calls: [say(`${index}`)] }), {
    policy: 'final',
  })
  expect([outcome, asked]).toMatchObject([{ kind: 'failed', error: { code: 'output-invalid' } }, 3])
})

test('a tool of the last answer over the cap is not shown as the answer', async () => {
  const long = say('words '.repeat(40))
  const { agent } = asker(() => ({ calls: [long] }), { tools: [echo], maxIterations: 0, onMaxIterations: 'answer' })
  const events = await collect(agent.turn('Where?').events())
  expect(events.filter(({ type }) => type === 'partial-output')).toEqual([])
})

test('a budget that is spent before the finaliser keeps the text', async () => {
  const { outcome, output, text } = await ask(['It is Brno.', JSON.stringify(brno)], {
    policy: 'final',
    budget: { totalTokens: 15 },
  })
  expect([outcome, output, text]).toEqual([{ kind: 'no-progress', reason: 'budget' }, undefined, 'It is Brno.'])
})
