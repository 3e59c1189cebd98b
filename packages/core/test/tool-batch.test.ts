import { createAgent, type Entry, type Tool, type ToolContext, ToolError, type TurnEvent, tool } from '@turnloop/core'
import { deafTool, deferred, type ManualClock, manualClock, type ScriptedCall, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { collect, echo, lastResults, lastResultTexts, say } from './loop-setup.ts'
import { idle, startTurn } from './turn-setup.ts'

type Options = Omit<Parameters<typeof createAgent>[0], 'model'>

/** A turn that asks for these calls once, and then answers; it stands right after the request for them. */
function batchOf(calls: readonly ScriptedCall[], options: Options) {
  const model = scriptedModel([{ calls }, 'Done.'])
  const events: TurnEvent[] = []
  const { turn, log } = startTurn(createAgent({ model, ...options }), 'Go', { onEvent: (event) => events.push(event) })
  return { turn, log, model, events, done: turn.untilDone() }
}

/** Tools that wait until they are let go, and tell who runs beside whom. */
function gates(names: readonly string[], shape: { exclusive?: readonly string[] } = {}) {
  const open = new Map(names.map((name) => [name, deferred()]))
  const running = new Set<string>()
  const order: string[] = []
  let most = 0
  const tools = names.map((name) =>
    tool({
      name,
      description: name,
      effect: 'read',
      exclusive: shape.exclusive?.includes(name) ?? false,
      execute: async () => {
        running.add(name)
        order.push(name)
        most = Math.max(most, running.size)
        await open.get(name)?.promise
        running.delete(name)
        return name
      },
    }),
  )
  return {
    tools,
    order,
    running,
    get most() {
      return most
    },
    let: async (...go: string[]) => {
      for (const name of go) open.get(name)?.resolve()
      await idle()
    },
  }
}

const call = (name: string): ScriptedCall => ({ name })

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

  test('an exclusive tool waits for those before it and holds back those after', async () => {
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

/** Settled calls in the order they were written: name and status, and whether late. */
function settled(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.type === 'tool-settled' ? [`${entry.toolName} ${entry.status}${entry.late ? ' late' : ''}`] : [],
  )
}

describe('time limits', () => {
  const waitFor = (name: string, timeoutMs: number, act: (context: ToolContext) => unknown): Tool =>
    tool({ name, description: name, effect: 'read', timeoutMs, execute: (_input, context) => act(context) })

  test('a tool that obeys its signal is timed out', async () => {
    const clock = manualClock()
    const obedient = waitFor(
      'slow',
      100,
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    )
    const { done, model } = batchOf([call('slow'), say('a')], { tools: [obedient, echo], clock })
    await clock.advance(99)
    expect(model.requests).toHaveLength(1)
    await clock.advance(1)
    await done
    expect(lastResults(model.requests[1])).toMatchObject([{ status: 'error' }, { status: 'ok' }])
    expect(lastResultTexts(model.requests[1])[0]).toBe('slow did not finish within 100 ms.')
  })

  test('a deaf tool is given up after the grace time, and the turn goes on', async () => {
    const clock = manualClock()
    const deaf = deafTool({ timeoutMs: 100 })
    const { done, model, log, events } = batchOf([call('deaf')], { tools: [deaf], clock, graceMs: 300 })
    await clock.advance(399)
    expect(model.requests).toHaveLength(1)
    await clock.advance(1)
    expect((await done).outcome).toEqual({ kind: 'completed' })
    expect(lastResults(model.requests[1])[0]?.status).toBe('unknown')
    expect(lastResultTexts(model.requests[1])[0]).toMatch(/100 ms.*may or may not/)
    const seen = events.length
    deaf.release('late')
    await idle()
    expect(settled(log.entries)).toEqual(['deaf unknown', 'deaf ok late'])
    expect(events).toHaveLength(seen)
  })

  test('a late result beside a running sibling does not replace the answer', async () => {
    const clock = manualClock()
    const deaf = deafTool({ timeoutMs: 100 })
    const gate = gates(['a'])
    const { done, model, log } = batchOf([call('deaf'), call('a')], {
      tools: [deaf, ...gate.tools],
      clock,
      graceMs: 50,
    })
    await clock.advance(150)
    deaf.release('late')
    await gate.let('a')
    await done
    expect(settled(log.entries)).toEqual(['deaf unknown', 'deaf ok late', 'a ok'])
    expect(lastResults(model.requests[1]).map(({ status }) => status)).toEqual(['unknown', 'ok'])
  })

  test('a result within the grace time is the result', async () => {
    const clock = manualClock()
    const deaf = deafTool({ timeoutMs: 100 })
    const { done, model } = batchOf([call('deaf')], { tools: [deaf], clock })
    await clock.advance(150)
    deaf.release('finished all the same')
    await done
    expect(lastResults(model.requests[1])).toMatchObject([{ status: 'ok' }])
  })

  test('a limit beyond what timers take is no limit', async () => {
    const clock = manualClock()
    const gate = gates(['a'])
    const [a] = gate.tools
    // A source may say what tool() would refuse.
    const patient = { ...a, timeoutMs: Number.POSITIVE_INFINITY } as Tool
    const { done, model } = batchOf([call('a')], { tools: [patient], clock })
    await idle()
    await gate.let('a')
    await done
    expect(lastResults(model.requests[1])[0]?.status).toBe('ok')
  })

  test('no timer outlives its call', async () => {
    const clock = manualClock()
    const quick = waitFor('quick', 10_000, () => 'quick')
    const { done } = batchOf([call('quick')], { tools: [quick], clock })
    await done
    expect(clock.pending).toBe(0)
  })
})

describe('Stop', () => {
  const graceMs = 300

  async function stopAt(clock: ManualClock, started: Promise<unknown>, turn: { cancel(): void }): Promise<void> {
    await started
    await idle()
    turn.cancel()
    await clock.advance(0)
  }

  test('a tool that returns within the grace time has finished', async () => {
    const clock = manualClock()
    const deaf = deafTool()
    const { turn, done } = batchOf([call('deaf')], { tools: [deaf], clock, graceMs })
    await stopAt(clock, deaf.started, turn)
    await clock.advance(graceMs - 1)
    deaf.release('saved')
    const result = await done
    expect(lastResults(result)).toMatchObject([{ status: 'ok' }])
    expect(result.outcome).toMatchObject({ kind: 'cancelled', rollback: { status: 'appended-completed-result' } })
  })

  test('a tool that throws within the grace time was cancelled', async () => {
    const clock = manualClock()
    const deaf = deafTool()
    const { turn, done } = batchOf([call('deaf')], { tools: [deaf], clock, graceMs })
    await stopAt(clock, deaf.started, turn)
    deaf.reject(new DOMException('stopped', 'AbortError'))
    const result = await done
    expect(lastResults(result)).toMatchObject([{ status: 'cancelled' }])
    expect(result.outcome).toMatchObject({ rollback: { status: 'appended-interrupted-result' } })
  })

  test('a tool that cannot tell what happened is in doubt', async () => {
    const clock = manualClock()
    const deaf = deafTool()
    const { turn, done } = batchOf([call('deaf')], { tools: [deaf], clock, graceMs })
    await stopAt(clock, deaf.started, turn)
    deaf.reject(new ToolError('worker-terminated', 'The worker was ended.', { facts: { outcomeUnknown: true } }))
    expect(lastResults(await done)).toMatchObject([{ status: 'unknown' }])
  })

  test('of a batch each call says what became of it', async () => {
    const clock = manualClock()
    const deaf = deafTool()
    const gate = gates(['slow'])
    const tools = [echo, deaf, ...gate.tools]
    const calls = [say('a'), call('deaf'), call('slow'), say('b'), call('missing')]
    const { turn, done, model, log } = batchOf(calls, { tools, clock, graceMs, maxParallelTools: 2 })
    await stopAt(clock, deaf.started, turn)
    await gate.let('slow')
    await clock.advance(graceMs)
    const result = await done
    expect(lastResults(result).map(({ status }) => status)).toEqual(['ok', 'unknown', 'ok', 'not-run', 'not-run'])
    expect(model.requests).toHaveLength(1)
    const ended = log.entries.length
    deaf.release('late')
    await idle()
    expect(settled(log.entries.slice(ended))).toEqual(['deaf ok late'])
  })

  test('a schema check that comes back after the end adds nothing to the log', async () => {
    const clock = manualClock()
    const checking = deferred<{ ok: true; value: unknown }>()
    const asked = deferred()
    let runs = 0
    const slow: Tool = {
      ...echo,
      check: () => {
        asked.resolve()
        return checking.promise
      },
      execute: () => {
        runs += 1
      },
    }
    const { turn, done, log } = batchOf([say('a')], { tools: [slow], clock, graceMs })
    await stopAt(clock, asked.promise, turn)
    await clock.advance(2 * graceMs)
    expect(lastResults(await done)).toMatchObject([{ status: 'not-run' }])
    const ended = log.entries.length
    checking.resolve({ ok: true, value: {} })
    await idle()
    expect([runs, log.entries.length]).toEqual([0, ended])
  })

  test('calls keep none of their listeners on the signal of the turn', async () => {
    const seen: AbortSignal[] = []
    const look = tool({
      name: 'look',
      description: 'Keeps its signal',
      effect: 'read',
      execute: (_input, { signal }) => void seen.push(signal),
    })
    const { turn, done } = batchOf([call('look'), call('look')], { tools: [look] })
    await done
    turn.cancel()
    expect(seen.map(({ aborted }) => aborted)).toEqual([false, false])
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

  test('a stream that throws is an error', async () => {
    const { result } = await streamed(async function* () {
      yield 'a'
      throw new Error('cut off')
    })
    expect(result).toMatchObject({ status: 'error', result: { content: [{ text: 'cut off' }] } })
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
    expect(lastResults(await done)).toMatchObject([{ status: 'cancelled' }])
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
