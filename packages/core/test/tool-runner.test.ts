import {
  createAgent,
  createMemoryLog,
  type LogWriter,
  ToolRunner,
  type ToolSource,
  type TurnOptions,
} from '@turnloop/core'
import { manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { collect, counter, echo, obedientTool, outline, say } from './loop-setup.ts'
import { idle } from './turn-setup.ts'

function ticking(): { turn: ToolRunner; tick: ReturnType<typeof counter>; requests: readonly unknown[] } {
  const tick = counter('tick')
  const model = scriptedModel([{ text: 'Let me tick.', calls: [{ name: 'tick' }] }, 'Ticked.'])
  const turn = createAgent({ model, tools: [tick.tool] }).turn('Tick')
  return { turn, tick, requests: model.requests }
}

describe('pull-driven', () => {
  test('nothing starts before something is asked of a turn', async () => {
    const asked = [ticking(), ticking(), ticking()]
    asked[1]?.turn[Symbol.asyncIterator]()
    asked[2]?.turn.events()[Symbol.asyncIterator]()
    await idle()
    expect(asked.map(({ requests }) => requests.length)).toEqual([0, 0, 0])
  })

  test('tools of a message start when the next is asked for', async () => {
    const { turn, tick } = ticking()
    const messages = turn[Symbol.asyncIterator]()
    expect((await messages.next()).value).toMatchObject({ stopReason: 'toolUse' })
    await idle()
    expect([tick.runs, turn.iteration]).toEqual([0, 0])
    await messages.next()
    expect([tick.runs, turn.iteration]).toEqual([1, 1])
  })

  test('the outcome is there when the view has ended, not before', async () => {
    const { turn } = ticking()
    for await (const _message of turn) expect(turn.outcome).toBeUndefined()
    expect(turn.outcome).toEqual({ kind: 'completed' })
  })
})

describe('calls of the message view', () => {
  test('next calls made at once are answered in order', async () => {
    const messages = ticking().turn[Symbol.asyncIterator]()
    const results = await Promise.all([messages.next(), messages.next(), messages.next(), messages.next()])
    expect(results.map(({ done, value }) => [done, value?.stopReason])).toEqual([
      [false, 'toolUse'],
      [false, 'endTurn'],
      [true, undefined],
      [true, undefined],
    ])
  })

  test('return before the first next hands the text back unasked', async () => {
    const { turn, requests } = ticking()
    const messages = turn[Symbol.asyncIterator]()
    expect(await messages.return?.()).toEqual({ done: true, value: undefined })
    expect(turn.outcome).toMatchObject({ kind: 'cancelled', input: [{ type: 'text', text: 'Tick' }] })
    expect([await messages.next(), requests.length]).toEqual([{ done: true, value: undefined }, 0])
  })

  test('return while the model hangs answers the waiting next', async () => {
    const model = scriptedModel([{ text: 'Half', hang: true }])
    const turn = createAgent({ model }).turn('Hello')
    const messages = turn[Symbol.asyncIterator]()
    const waiting = messages.next()
    await idle()
    await messages.return?.()
    await waiting
    expect([turn.outcome?.kind, (await messages.next()).done]).toEqual(['cancelled', true])
  })

  test('return while a tool runs waits for the end of the turn', async () => {
    const wait = obedientTool('wait')
    const model = scriptedModel([{ calls: [{ name: 'wait' }] }])
    const turn = createAgent({ model, tools: [wait.tool] }).turn('Wait')
    const messages = turn[Symbol.asyncIterator]()
    await messages.next()
    const waiting = messages.next()
    await wait.started
    await messages.return?.()
    await waiting
    expect([turn.outcome?.kind, (await messages.next()).done]).toEqual(['cancelled', true])
  })

  test('return after the last message leaves a completed turn', async () => {
    const { turn } = ticking()
    const messages = turn[Symbol.asyncIterator]()
    await messages.next()
    await messages.next()
    await Promise.all([messages.return?.(), messages.return?.()])
    expect(turn.outcome).toEqual({ kind: 'completed' })
  })

  test('after return there is no further message', async () => {
    const { turn } = ticking()
    const messages = turn[Symbol.asyncIterator]()
    const first = messages.next()
    const second = messages.next()
    await messages.return?.()
    await Promise.all([first, second])
    expect(await messages.next()).toEqual({ done: true, value: undefined })
  })

  test('throw cancels the turn and comes back to its caller', async () => {
    const { turn } = ticking()
    const messages = turn[Symbol.asyncIterator]()
    await messages.next()
    await expect(messages.throw?.(new Error('enough'))).rejects.toThrow('enough')
    expect(turn.outcome?.kind).toBe('cancelled')
    expect((await messages.next()).done).toBe(true)
  })

  test('a generator that delegates to a turn keeps what is thrown in', async () => {
    const { turn } = ticking()
    async function* delegate(): AsyncGenerator<unknown> {
      yield* { [Symbol.asyncIterator]: () => turn[Symbol.asyncIterator]() }
      yield 'went on as if nothing had been thrown'
    }
    const messages = delegate()
    await messages.next()
    await expect(messages.throw(new Error('enough'))).rejects.toThrow('enough')
  })
})

describe('one reader', () => {
  const views = {
    messages: (turn: ToolRunner) => void turn[Symbol.asyncIterator](),
    events: (turn: ToolRunner) => void turn.events(),
  }
  const pairs = Object.keys(views).flatMap((first) => Object.keys(views).map((second) => [first, second] as const))

  test.each(pairs)('%s first makes %s throw already-consumed', (first, second) => {
    const { turn } = ticking()
    views[first as keyof typeof views](turn)
    expect(() => views[second as keyof typeof views](turn)).toThrow(
      expect.objectContaining({ code: 'already-consumed' }),
    )
  })

  test('untilDone is a reader too', async () => {
    const { turn } = ticking()
    await turn.untilDone()
    expect(() => turn.events()).toThrow(expect.objectContaining({ code: 'already-consumed' }))
  })

  test('untilDone beside a reader waits for the same end', async () => {
    const { turn } = ticking()
    const done = [turn, turn].map((same) => Promise.resolve().then(() => same.untilDone()))
    const seen: string[] = []
    for await (const message of turn) seen.push(message.stopReason)
    const [first, second] = await Promise.all(done)
    expect([seen, first?.text]).toEqual([['toolUse', 'endTurn'], 'Ticked.'])
    expect(second).toBe(first)
  })

  test('Stop ends a turn whose reader does not come back', async () => {
    const { turn, tick, requests } = ticking()
    await turn[Symbol.asyncIterator]().next()
    turn.cancel('enough')
    const { outcome, messages } = await turn.untilDone()
    expect(outcome).toMatchObject({ kind: 'cancelled', reason: 'enough' })
    expect(outline(messages)).toEqual(['user: Tick', 'assistant: Let me tick.', 'tool: not-run'])
    expect([tick.runs, requests.length]).toEqual([0, 1])
  })

  test('the body of a loop may cancel and wait for the end', async () => {
    const { turn } = ticking()
    const kinds: string[] = []
    for await (const message of turn) {
      if (message.stopReason !== 'toolUse') continue
      turn.cancel()
      kinds.push((await turn.untilDone()).outcome.kind)
    }
    expect(kinds).toEqual(['cancelled'])
  })
})

type Reject = NonNullable<TurnOptions['reject']>

const scripts = {
  completed: ['Fine.'],
  failed: [{ text: 'Half', cut: true }],
  blocked: [{ text: 'No.', stopReason: 'safety' }],
  cancelled: [],
  'max-iterations': [{ calls: [say('a')] }],
  'no-progress': [{ stopReason: 'toolUse' }, { stopReason: 'toolUse' }],
} as const satisfies Record<string, readonly ScriptStep[]>

type Kind = keyof typeof scripts

/** A turn that will end as told. */
function ending(kind: Kind, reject?: Reject): ToolRunner {
  const agent = createAgent({ model: scriptedModel(scripts[kind]), tools: [echo], maxIterations: 0 })
  const signal = kind === 'cancelled' ? AbortSignal.abort() : undefined
  return agent.turn('Hello', { ...(reject && { reject }), ...(signal && { signal }) })
}

describe('ends that are errors', () => {
  const codes: Record<Kind, { blocked?: string; 'not-completed'?: string }> = {
    completed: {},
    failed: { 'not-completed': 'stream-cut' },
    blocked: { blocked: 'blocked', 'not-completed': 'blocked' },
    cancelled: { 'not-completed': 'not-completed' },
    'max-iterations': { 'not-completed': 'not-completed' },
    'no-progress': { 'not-completed': 'not-completed' },
  }
  const kinds: Kind[] = ['completed', 'failed', 'blocked', 'cancelled', 'max-iterations', 'no-progress']
  const cells = kinds.flatMap((kind) => [
    { kind, reject: 'never' as const, code: undefined },
    { kind, reject: 'blocked' as const, code: codes[kind].blocked },
    { kind, reject: 'not-completed' as const, code: codes[kind]['not-completed'] },
  ])

  test.each(kinds)('the message view throws only if it failed: %s', async (kind) => {
    const turn = ending(kind)
    const reading = collect(turn)
    if (kind === 'failed') await expect(reading).rejects.toMatchObject({ code: 'stream-cut', name: 'ModelError' })
    else await expect(reading).resolves.toBeDefined()
    expect(turn.outcome?.kind).toBe(kind)
  })

  test('a failed view yields what had arrived, throws once, and is done', async () => {
    const messages = ending('failed')[Symbol.asyncIterator]()
    expect((await messages.next()).value).toMatchObject({ partial: true, stopReason: 'error' })
    await expect(messages.next()).rejects.toMatchObject({ code: 'stream-cut' })
    expect(await messages.next()).toEqual({ done: true, value: undefined })
  })

  test.each(cells)('untilDone of a turn that ends $kind with reject $reject throws $code', async (cell) => {
    const done = ending(cell.kind, cell.reject).untilDone()
    if (cell.code === undefined) expect((await done).outcome.kind).toBe(cell.kind)
    else await expect(done).rejects.toMatchObject({ code: cell.code })
  })
})

test('a source whose unsubscribe throws does not keep a turn from ending', async () => {
  const source: ToolSource = {
    list: async () => [echo],
    subscribe: () => () => {
      throw new Error('already gone')
    },
  }
  const { outcome } = await createAgent({ model: scriptedModel(['Fine.']), tools: [source] })
    .turn('Hello')
    .untilDone()
  expect(outcome).toEqual({ kind: 'completed' })
})

test('a turn that is over cannot be cancelled', async () => {
  const { turn } = ticking()
  await turn.untilDone()
  turn.cancel('late')
  expect([turn.signal.aborted, turn.outcome?.kind]).toEqual([false, 'completed'])
})

test('Stop while the last save hangs keeps the outcome that was written', async () => {
  const clock = manualClock()
  const agent = createAgent({ model: scriptedModel(['Fine.']), clock, graceMs: 100 })
  const log = createMemoryLog(clock)
  const hanging: LogWriter = {
    append: (...drafts) => ({ ...log.append(...drafts), saved: new Promise(() => {}) }),
    lastSequence: 0,
  }
  const turn = new ToolRunner(agent.parts(hanging), 'Hello')
  const done = turn.untilDone()
  await idle()
  turn.cancel()
  await clock.advance(100)
  expect((await done).outcome).toEqual({ kind: 'completed' })
})
