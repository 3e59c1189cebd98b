import { CANCELLED_TEXT, createAgent, type Tool, type ToolContext, tool } from '@turnloop/core'
import { deafTool, deferred, manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { batchOf, call, gates, settled } from './batch-setup.ts'
import { collect, echo, lastResults, lastResultTexts, say } from './loop-setup.ts'
import { idle, startTurn } from './turn-setup.ts'

describe('side by side', () => {
  test('no more than the limit run at once, in call order', async () => {
    const gate = gates(['a', 'b', 'c', 'd', 'e'])
    const { done } = batchOf(['a', 'b', 'c', 'd', 'e'].map(call), { tools: gate.tools, maxParallelTools: 2 })
    await idle()
    expect([...gate.running]).toEqual(['a', 'b'])
    await gate.let('b')
    expect([...gate.running]).toEqual(['a', 'c'])
    await gate.let('a', 'c', 'd', 'e')
    expect(lastResultTexts({ messages: (await done).messages.slice(0, -1) })).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect([gate.order, gate.most]).toEqual([['a', 'b', 'c', 'd', 'e'], 2])
  })

  test('eight run at once unless told otherwise', async () => {
    const names = Array.from({ length: 12 }, (_value, index) => `t${index}`)
    const gate = gates(names)
    const { done } = batchOf(names.map(call), { tools: gate.tools })
    await idle()
    expect(gate.running.size).toBe(8)
    await gate.let(...names)
    await done
  })

  test('sequential means one at a time', async () => {
    const gate = gates(['a', 'b', 'c'])
    const { done } = batchOf(['a', 'b', 'c'].map(call), { tools: gate.tools, toolExecution: 'sequential' })
    for (const name of ['a', 'b', 'c']) {
      await idle()
      expect([...gate.running]).toEqual([name])
      await gate.let(name)
    }
    await done
    expect(gate.most).toBe(1)
  })

  test('an exclusive tool runs after those before it, before those after', async () => {
    const gate = gates(['a', 'alone', 'b'], { exclusive: ['alone'] })
    const { done } = batchOf(['a', 'alone', 'b'].map(call), { tools: gate.tools })
    await idle()
    expect([...gate.running]).toEqual(['a'])
    await gate.let('a')
    expect([...gate.running]).toEqual(['alone'])
    await gate.let('alone')
    expect([...gate.running]).toEqual(['b'])
    await gate.let('b')
    expect((await done).text).toBe('Done.')
    expect(gate.most).toBe(1)
  })

  test('two exclusive calls of one tool do not overlap', async () => {
    const gate = gates(['alone'], { exclusive: ['alone'] })
    const { done } = batchOf([call('alone'), call('alone')], { tools: gate.tools })
    await idle()
    expect(gate.order).toEqual(['alone'])
    await gate.let('alone')
    await done
    expect([gate.order, gate.most]).toEqual([['alone', 'alone'], 1])
  })

  test('a refused call takes nobody’s place', async () => {
    const gate = gates(['a'])
    const { done, log } = batchOf([call('missing'), call('a')], { tools: gate.tools, maxParallelTools: 1 })
    await idle()
    expect([...gate.running]).toEqual(['a'])
    expect(settled(log.entries)).toEqual(['missing error'])
    await gate.let('a')
    await done
  })

  test('a check that throws hurts no sibling', async () => {
    const broken: Tool = { ...echo, name: 'broken', check: () => Promise.reject(new Error('no schema')) }
    const { done, model } = batchOf([say('a'), call('broken'), say('b')], { tools: [echo, broken] })
    expect((await done).outcome).toEqual({ kind: 'completed' })
    expect(lastResultTexts(model.requests[1])).toEqual(['a', expect.stringContaining('no schema'), 'b'])
  })
})

describe('progress', () => {
  test('is told while the call runs, and not after', async () => {
    let context: ToolContext | undefined
    const count = tool({
      name: 'count',
      description: 'Counts',
      effect: 'read',
      execute: (_input, given) => {
        context = given
        given.progress({ done: 1 })
        return 'counted'
      },
    })
    const gate = gates(['a'])
    const { done, events } = batchOf([call('count'), call('a')], { tools: [count, ...gate.tools] })
    await idle()
    context?.progress({ done: 2 })
    await gate.let('a')
    context?.progress({ done: 3 })
    await done
    expect(events.flatMap((event) => (event.type === 'tool-progress' ? [event.update] : []))).toEqual([{ done: 1 }])
  })

  test('of a call that was given up is not told either', async () => {
    const clock = manualClock()
    const deaf = deafTool({ timeoutMs: 100 })
    const gate = gates(['a'])
    const { done, events } = batchOf([call('deaf'), call('a')], { tools: [deaf, ...gate.tools], clock, graceMs: 50 })
    await clock.advance(150)
    deaf.calls[0]?.context.progress('still here')
    await gate.let('a')
    await done
    expect(events.filter(({ type }) => type === 'tool-progress')).toEqual([])
  })
})

describe('streaming tools', () => {
  async function streamed(chunks: () => AsyncIterable<unknown>) {
    const stream = tool({ name: 'stream', description: 'Streams', effect: 'read', execute: chunks })
    const { done, model, events } = batchOf([call('stream')], { tools: [stream] })
    await done
    const updates = events.flatMap((event) => (event.type === 'tool-progress' ? [event.update] : []))
    return { updates, result: lastResults(model.requests[1])[0] }
  }

  test.each<[string, unknown[], unknown[], unknown]>([
    ['texts are joined', ['a', 'b', 'c'], ['a', 'ab', 'abc'], 'abc'],
    ['of other values the last counts', [{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 2 }], '{"n":2}'],
    ['after text an object counts', ['a', { n: 2 }], ['a', { n: 2 }], '{"n":2}'],
    ['nothing is empty text', [], [], ''],
    ['empty text is empty text', [''], [''], ''],
  ])('%s', async (_name, chunks, updates, text) => {
    const seen = await streamed(async function* () {
      yield* chunks
    })
    expect([seen.updates, seen.result?.result.content]).toEqual([updates, [{ type: 'text', text }]])
  })

  const note = 'What it had given until then, which is not complete:'

  test.each<[string, unknown[], string[]]>([
    ['texts', ['a', 'b'], [note, 'ab']],
    ['values', [{ n: 1 }, { n: 2 }], [note, '{"n":2}']],
    ['text and then a value', ['a', { n: 2 }], [note, '{"n":2}']],
    ['what cannot be stored', [() => 1], [note, expect.stringContaining('result is a function')]],
    ['empty text', [''], []],
    ['nothing', [], []],
  ])('a stream that throws after %s is an error with what came', async (_name, chunks, texts) => {
    const { result } = await streamed(async function* () {
      yield* chunks
      throw new Error('cut off')
    })
    const content = ['cut off', ...texts].map((text) => ({ type: 'text', text }))
    expect([result?.status, result?.result]).toEqual(['error', { content, isError: true }])
  })

  test('a stream that runs out of time is an error with what came', async () => {
    const clock = manualClock()
    const stream = tool({
      name: 'stream',
      description: 'Streams',
      effect: 'read',
      timeoutMs: 100,
      execute: async function* (_input, { signal }) {
        yield 'a'
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    })
    const { done, model } = batchOf([call('stream')], { tools: [stream], clock })
    await clock.advance(100)
    await done
    expect(lastResultTexts(model.requests[1])).toEqual([`stream did not finish within 100 ms.\n${note}\na`])
  })

  test('what a broken stream leaves is no larger than other results', async () => {
    const stream = tool({
      name: 'stream',
      description: 'Streams',
      effect: 'read',
      execute: async function* () {
        yield 'x'.repeat(5000)
        throw new Error('cut off')
      },
    })
    const { done, model } = batchOf([call('stream')], { tools: [stream], maxResultBytes: 1000 })
    await done
    const [result] = lastResults(model.requests[1])
    expect(JSON.stringify(result?.result).length).toBeLessThanOrEqual(1000)
    expect(lastResultTexts(model.requests[1])[0]).toMatch(/^cut off\nWhat .*\nx{500,}\n\[Cut: /)
  })

  test('Stop ends a stream at its next chunk, and tells it so', async () => {
    let hasLeft = false
    const second = deferred()
    const stream = tool({
      name: 'stream',
      description: 'Streams',
      effect: 'read',
      execute: async function* () {
        try {
          yield 'a'
          await second.promise
          yield 'b'
          yield 'c'
        } finally {
          hasLeft = true
        }
      },
    })
    const { turn, done, events } = batchOf([call('stream')], { tools: [stream] })
    await idle()
    turn.cancel()
    second.resolve()
    const result = await done
    expect(lastResults(result)).toMatchObject([{ status: 'cancelled' }])
    expect(lastResultTexts(result)).toEqual([CANCELLED_TEXT])
    expect(hasLeft).toBe(true)
    expect(events.filter(({ type }) => type === 'tool-progress').length).toBeLessThanOrEqual(2)
  })
})

describe('what a tool is told', () => {
  test('its call, its key, the transcript and its turn', async () => {
    const contexts: ToolContext[] = []
    const look = tool({
      name: 'look',
      description: 'Looks around',
      effect: 'read',
      execute: (_input, context) => void contexts.push(context),
    })
    const { turn, done, log } = batchOf([call('look'), call('look')], { tools: [look] })
    await done
    const started = log.entries.flatMap((entry) => (entry.type === 'tool-started' ? [entry] : []))
    expect(contexts.map(({ callId, idempotencyKey }) => [callId, idempotencyKey])).toEqual(
      started.map(({ callId, idempotencyKey }) => [callId, idempotencyKey]),
    )
    expect(new Set(started.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2)
    expect(contexts[0]?.turnId).toBe(turn.turnId)
    expect(contexts[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(contexts[0]?.signal.aborted).toBe(false)
  })

  test('its times are recorded', async () => {
    const clock = manualClock(1_000_000)
    const gate = gates(['a'])
    const { done, model } = batchOf([call('a')], { tools: gate.tools, clock })
    await clock.advance(250)
    await gate.let('a')
    await done
    expect(lastResults(model.requests[1])[0]).toMatchObject({ startedAt: 1_000_000, durationMs: 250 })
  })
})

test('every call that starts settles, and none settles twice', async () => {
  const { turn, log } = startTurn(
    createAgent({ model: scriptedModel([{ calls: [say('a'), call('nobody'), say('b')] }, 'Done.']), tools: [echo] }),
    'Go',
  )
  await collect(turn)
  const ids = log.entries.flatMap((entry) => (entry.type === 'tool-settled' ? [entry.callId] : []))
  expect(new Set(ids).size).toBe(3)
  expect(ids).toHaveLength(3)
  for (const entry of log.entries) if (entry.type === 'tool-started') expect(ids).toContain(entry.callId)
})
