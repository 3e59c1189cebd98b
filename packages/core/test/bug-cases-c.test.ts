import { createAgent, type ModelEvent, tool } from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { counter, echo, lastResults, lastResultTexts, outline, say, toolMessages } from './loop-setup.ts'
import { openPage } from './session-setup.ts'

const list = counter('listFiles')

test.each(['endTurn', 'other', 'stopSequence'] as const)(
  'C2: calls run although the finish says %s',
  async (stopReason) => {
    const calls = [say('a'), say('b')]
    const model = scriptedModel([{ text: 'looking that up', calls, stopReason, rawStopReason: 'stop' }, 'Found.'])
    const result = await createAgent({ model, tools: [echo] })
      .turn('Look')
      .untilDone()
    expect(lastResultTexts(model.requests[1])).toEqual(['a', 'b'])
    expect(result.messages[1]).toMatchObject({ stopReason: 'toolUse', rawStopReason: 'stop' })
  },
)

test('C6: a missing tool is named, the existing ones are listed, and insisting ends the turn', async () => {
  const model = scriptedModel((_request, index) => (index < 5 ? { calls: [{ name: 'readFile' }] } : 'I cannot.'))
  const result = await createAgent({ model, tools: [list.tool] })
    .turn('Read')
    .untilDone()
  for (const request of model.requests.slice(1, 4)) {
    expect(lastResultTexts(request)).toEqual(['There is no tool named "readFile". Available tools: listFiles.'])
  }
  expect(result.outcome).toEqual({ kind: 'no-progress', reason: 'repeated-call' })
  expect([model.requests.length, list.runs]).toEqual([5, 0])
})

test.each(['listFiles ', 'list_files', 'listFile'])('C6: the name %j is not taken for another', async (name) => {
  const model = scriptedModel([{ calls: [{ name }] }, 'I cannot.'])
  await createAgent({ model, tools: [list.tool] })
    .turn('List')
    .untilDone()
  expect([list.runs, lastResults(model.requests[1])[0]?.status]).toEqual([0, 'error'])
})

test('C7: at the cap every call is answered', async () => {
  const tick = counter('tick')
  const model = scriptedModel(() => ({ calls: [{ name: 'tick' }, { name: 'tick' }] }))
  const result = await createAgent({ model, tools: [tick.tool], maxIterations: 3 })
    .turn('Tick')
    .untilDone()
  expect([model.requests.length, result.iterations, tick.runs]).toEqual([4, 4, 8])
  expect(toolMessages(result.messages).map(({ results }) => results.length)).toEqual([2, 2, 2, 2])
  expect(result.outcome).toEqual({ kind: 'max-iterations', maxIterations: 3 })
})

/** A search that finds nothing, and counts. */
function emptySearch() {
  let runs = 0
  const find = tool({
    name: 'find',
    description: 'Finds',
    input: z.object({ q: z.string(), page: z.number().optional() }),
    effect: 'read',
    execute: () => {
      runs += 1
      return []
    },
  })
  return { find, runs: () => runs }
}

test('C1: an empty search is refused at its fourth time and ends the turn at its fifth', async () => {
  const { find, runs } = emptySearch()
  const { session, model } = openPage(() => ({ calls: [{ name: 'find', input: { q: 'x' } }] }), { tools: [find] })
  const { outcome, messages } = await session.send('Find x')
  expect(outcome).toEqual({ kind: 'no-progress', reason: 'repeated-call' })
  expect([runs(), model.requests.length]).toEqual([3, 5])
  expect(lastResultTexts({ messages })[0]).toMatch(/same arguments.*Do something else/)
})

test('C1: the same arguments in another order of keys are the same', async () => {
  const { find, runs } = emptySearch()
  const orders = ['{"q":"x","page":1}', '{ "page": 1, "q": "x" }']
  const { session } = openPage(
    (_request, index) => ({ calls: [{ name: 'find', inputText: orders[index % 2] ?? '' }] }),
    {
      tools: [find],
    },
  )
  expect((await session.send('Find x')).outcome).toMatchObject({ kind: 'no-progress' })
  expect(runs()).toBe(3)
})

test('C1: control: a status that changes may be asked for as long as it does', async () => {
  let percent = 0
  const jobStatus = tool({
    name: 'jobStatus',
    description: 'How far a job is',
    input: z.object({ id: z.number() }),
    effect: 'read',
    execute: () => {
      percent += 10
      return `${percent} %`
    },
  })
  const calls = [{ name: 'jobStatus', input: { id: 1 } }]
  const { session } = openPage((_request, index) => (index < 10 ? { calls } : 'Done.'), { tools: [jobStatus] })
  const result = await session.send('Wait for the job')
  expect([result.outcome.kind, result.iterations, percent]).toEqual(['completed', 10, 100])
})

test('C1: control: what was refused in one turn may be asked in the next', async () => {
  const { find, runs } = emptySearch()
  const calls = [{ name: 'find', input: { q: 'x' } }]
  const { session } = openPage((_request, index) => (index % 4 === 3 ? 'Nothing.' : { calls }), { tools: [find] })
  await session.send('Find x')
  expect([(await session.send('Now?')).outcome.kind, runs()]).toEqual(['completed', 6])
})

test('C2: control: calls under a filtered, broken or cut finish are not run', async () => {
  for (const stopReason of ['safety', 'error', 'maxTokens'] as const) {
    const tick = counter('tick')
    const model = scriptedModel([{ text: 'looking', calls: [{ name: 'tick' }], stopReason }, 'Fine.'])
    const { outcome, messages } = await createAgent({ model, tools: [tick.tool], retry: { attempts: 1 } })
      .turn('Look')
      .untilDone()
    expect([stopReason, tick.runs, outcome.kind === 'completed']).toEqual([stopReason, 0, stopReason === 'maxTokens'])
    expect(toolMessages(messages).flatMap(({ results }) => results.map(({ status }) => status))).not.toContain('ok')
  }
})

test('C6: control: a name in the wrong case that fits one tool alone runs it', async () => {
  const own = counter('listFiles')
  const { session } = openPage([{ calls: [{ name: 'LISTFILES' }] }, 'Two files.'], { tools: [own.tool] })
  expect([(await session.send('List')).outcome.kind, own.runs]).toEqual(['completed', 1])
})

test('C7: a session that met the cap goes on with the next message', async () => {
  const tick = counter('tick')
  const { session, model } = openPage(
    (_request, index) => (index < 4 ? { calls: [{ name: 'tick' }] } : 'Four ticks.'),
    {
      tools: [tick.tool],
      maxIterations: 3,
    },
  )
  expect((await session.send('Tick')).outcome).toEqual({ kind: 'max-iterations', maxIterations: 3 })
  expect([tick.runs, session.getSnapshot().outcome?.kind]).toEqual([4, 'max-iterations'])
  expect((await session.send('How many?')).text).toBe('Four ticks.')
  expect(lastResults({ messages: model.requests[4]?.messages.slice(0, -1) ?? [] })).toHaveLength(1)
})

test.each(['error', 'other'] as const)('C8: a bare finish %s keeps the word of the provider', async (stopReason) => {
  const finish: ModelEvent = { type: 'finish', stopReason, rawStopReason: 'MALFORMED_FUNCTION_CALL' }
  const model = scriptedModel(() => ({ events: [finish] }))
  const { outcome } = await createAgent({ model, retry: { attempts: 5 } })
    .turn('Look')
    .untilDone()
  expect(outcome.kind).toBe('failed')
  expect(JSON.stringify(outcome)).toContain('MALFORMED_FUNCTION_CALL')
  expect(model.requests.length).toBeLessThan(3)
})

test('C8: an empty answer is asked for once more, with something changed, and is no success', async () => {
  const usage = { inputTokens: 10, outputTokens: 0 }
  const { session, model } = openPage(() => ({ events: [{ type: 'finish', stopReason: 'endTurn', usage }] }))
  const { outcome } = await session.send('Hello')
  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'empty-reply' } })
  expect(model.requests.map(({ messages }) => outline(messages))).toEqual([
    ['user: Hello'],
    ['user: Hello', 'user: Your last reply was empty. Answer now.'],
  ])
})
