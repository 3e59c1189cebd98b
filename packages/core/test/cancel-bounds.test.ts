import {
  type AgentOptions,
  createAgent,
  createMemoryLog,
  type EntryDraft,
  type LogWriter,
  type Tool,
  ToolRunner,
  type ToolSource,
  type TurnEvent,
  type TurnOptions,
} from '@turnloop/core'
import {
  assertHistory,
  deafTool,
  type ManualClock,
  manualClock,
  type ScriptStep,
  scriptedModel,
} from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { counter, echo, obedientTool, outline, say } from './loop-setup.ts'
import { idle, startTurn, streamOf } from './turn-setup.ts'

const never = new Promise<never>(() => {})

/** A log whose saves never answer, from the nth append on. */
function hangingLog(clock: ManualClock, from = 1): LogWriter {
  const log = createMemoryLog(clock)
  let appends = 0
  return {
    get lastSequence() {
      return log.lastSequence
    },
    append(...drafts: EntryDraft[]) {
      appends += 1
      const appended = log.append(...drafts)
      return appends >= from ? { ...appended, saved: never } : appended
    },
  }
}

interface Stuck {
  readonly options: Partial<AgentOptions>
  readonly log?: (clock: ManualClock) => LogWriter
  /** Moved before the stop, for what gets stuck later only. */
  readonly waitMs?: number
}

const asksForDeaf = { calls: [{ name: 'deaf' }] }
const listsOnce = (): ToolSource => {
  let lists = 0
  let change = (): void => {}
  return {
    list: async () => {
      lists += 1
      if (lists > 1) return never
      // Out of date as soon as the model has been asked.
      queueMicrotask(() => queueMicrotask(() => change()))
      return [echo]
    },
    subscribe: (onChange) => {
      change = onChange
      return () => {}
    },
  }
}
const asks = (...steps: ScriptStep[]) => scriptedModel(steps)
const stuck: Record<string, () => Stuck> = {
  'a model that never says anything': () => ({ options: { model: streamOf([], 'hang') } }),
  'a model that hangs in its text': () => ({ options: { model: asks({ text: 'Half', hang: true }) } }),
  'a model that does not even begin': () => ({
    options: { model: { ...streamOf([]), stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never }) }) } },
  }),
  'a deaf tool': () => ({ options: { model: asks(asksForDeaf), tools: [deafTool()] } }),
  'a deaf tool beyond its own time limit': () => ({
    options: { model: asks(asksForDeaf, { hang: true }), tools: [deafTool({ timeoutMs: 100 })] },
    waitMs: 150,
  }),
  'many deaf tools, one at a time': () => ({
    options: {
      model: asks({ calls: [{ name: 'deaf' }, { name: 'deaf' }, { name: 'deaf' }] }),
      tools: [deafTool()],
      toolExecution: 'sequential',
    },
  }),
  'an exclusive deaf tool': () => ({
    options: {
      model: asks({ calls: [say('a'), { name: 'deaf' }, say('b')] }),
      tools: [echo, deafTool({ exclusive: true })],
    },
  }),
  'a streaming tool that hangs': () => ({
    options: {
      model: asks(asksForDeaf),
      tools: [{ ...deafTool(), execute: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never }) }) }],
    },
  }),
  'a result that cannot be read to its end': () => ({
    options: {
      model: asks(asksForDeaf),
      tools: [{ ...deafTool(), execute: () => Object.assign(new Blob(['x']), { arrayBuffer: () => never }) }],
    },
  }),
  'a deaf schema check': () => ({
    options: { model: asks(asksForDeaf), tools: [{ ...deafTool(), check: () => never }] },
  }),
  'a deaf list of tools': () => ({ options: { model: asks(), tools: [{ list: () => never }] } }),
  'a list of tools that turns deaf before a batch': () => ({
    options: { model: asks({ calls: [say('a')] }), tools: [listsOnce()] },
  }),
  'deaf instructions': () => ({ options: { model: asks(), instructions: () => never } }),
  'a save that hangs from the start': () => ({
    options: { model: asks({ calls: [say('a')] }), tools: [echo] },
    log: (clock) => hangingLog(clock),
  }),
  'the save of a start that hangs': () => ({
    options: { model: asks(asksForDeaf), tools: [deafTool()] },
    log: (clock) => hangingLog(clock, 3),
  }),
  'a deaf tool and saves that hang': () => ({
    options: { model: asks(asksForDeaf), tools: [deafTool({ effect: 'read' })] },
    log: (clock) => hangingLog(clock, 3),
  }),
  'a deaf schema check and saves that hang': () => ({
    options: { model: asks(asksForDeaf), tools: [{ ...deafTool(), check: () => never }] },
    log: (clock) => hangingLog(clock, 3),
  }),
}

describe.each(Object.entries(stuck))('Stop at %s', (_name, make) => {
  test.each([800, 100, 15, 0])('takes at most twice a grace time of %i ms', async (graceMs) => {
    const clock = manualClock()
    const { options, log = createMemoryLog, waitMs = 0 } = make()
    const agent = createAgent({ model: asks(), ...options, clock, graceMs })
    const events: TurnEvent[] = []
    const turn = new ToolRunner(agent.parts(log(clock)), 'Go', { onEvent: (event) => events.push(event) })
    const done = turn.untilDone()
    await idle()
    await clock.advance(waitMs)
    expect(turn.outcome).toBeUndefined()
    const stoppedAt = clock.now()
    turn.cancel('enough')
    let endedAt: number | undefined
    done.then(() => {
      endedAt = clock.now()
    })
    await clock.advance(2 * graceMs)
    await idle()
    expect(endedAt).toBeDefined()
    const { outcome, messages } = await done
    expect(Number(endedAt) - stoppedAt).toBeLessThanOrEqual(2 * graceMs)
    expect(outcome).toMatchObject({ kind: 'cancelled', reason: 'enough' })
    expect(events.at(-1)?.type).toBe('turn-ended')
    assertHistory(messages)
    // What is left is nobody's: no timer waits for it.
    await clock.runAll()
    expect([clock.pending, events.at(-1)?.type]).toEqual([0, 'turn-ended'])
  })
})

test.each(['messages', 'events'] as const)('a reader of %s that stands still holds up no Stop', async (view) => {
  const model = asks({ text: 'Both.', calls: [say('a'), say('b')] }, 'Done.')
  const { turn } = startTurn(createAgent({ model, tools: [echo] }), 'Go')
  const reader = (view === 'messages' ? turn : turn.events())[Symbol.asyncIterator]()
  for (let item = 0; item < (view === 'messages' ? 1 : 3); item += 1) await reader.next()
  turn.cancel()
  const { outcome, messages } = await turn.untilDone()
  expect(outcome.kind).toBe('cancelled')
  assertHistory(messages)
})

test('a turn that is stopped on an announced call adds no nudge', async () => {
  const model = asks({ text: 'Let me look.', stopReason: 'toolUse' }, 'Never asked.')
  const turn = createAgent({ model, tools: [echo] }).turn('Look')
  for await (const _message of turn) turn.cancel()
  const { outcome, messages } = await turn.untilDone()
  expect([outcome.kind, outline(messages)]).toEqual(['cancelled', ['user: Look', 'assistant: Let me look.']])
})

test('a list of tools that answers late asks for nothing more', async () => {
  const clock = manualClock()
  let answer = (_tools: readonly Tool[]): void => {}
  let asked = 0
  const source: ToolSource = { list: () => new Promise((resolve) => (answer = resolve)) }
  const model = asks()
  const instructions = (): string => {
    asked += 1
    return 'Be brief.'
  }
  const events: TurnEvent[] = []
  const agent = createAgent({ model, tools: [source], instructions, clock })
  const turn = agent.turn('Go', { onEvent: (event) => events.push(event) })
  const done = turn.untilDone()
  await idle()
  turn.cancel()
  answer([])
  await clock.runAll()
  expect((await done).outcome.kind).toBe('cancelled')
  expect(model.requests).toHaveLength(0)
  expect(events.map(({ type }) => type)).toEqual(['turn-started', 'message', 'stop-requested', 'turn-ended'])
  expect(asked).toBeLessThanOrEqual(1)
})

test('the record of a cancelled reply counts its answered calls', async () => {
  const said = asks({
    events: [{ type: 'tool-call', id: 'c', toolName: 'echo', inputText: '{}' }],
    hang: 'until-abort',
  })
  const turn = createAgent({ model: said, tools: [echo] }).turn('Go')
  const done = turn.untilDone()
  await idle()
  turn.cancel()
  const { outcome, messages } = await done
  expect(outline(messages)).toEqual(['user: Go', 'assistant: ', 'tool: not-run'])
  expect(outcome).toMatchObject({
    rollback: { status: 'appended-interrupted-result', messagesBefore: 1, messagesAfter: 3 },
  })
})

describe('a signal of the host', () => {
  /** A signal that counts its listeners. */
  function counted(): { signal: AbortSignal; abort(): void; readonly listeners: number; readonly most: number } {
    const controller = new AbortController()
    const { signal } = controller
    const heard = new Set<unknown>()
    let most = 0
    const { addEventListener, removeEventListener } = signal
    signal.addEventListener = (...args: Parameters<AbortSignal['addEventListener']>): void => {
      heard.add(args[1])
      most = Math.max(most, heard.size)
      addEventListener.apply(signal, args)
    }
    signal.removeEventListener = (...args: Parameters<AbortSignal['removeEventListener']>): void => {
      heard.delete(args[1])
      removeEventListener.apply(signal, args)
    }
    return {
      signal,
      abort: () => controller.abort(),
      get listeners() {
        return heard.size
      },
      get most() {
        return most
      },
    }
  }

  const wait = obedientTool('wait')
  const ends: Record<string, { model: ReturnType<typeof asks>; read(turn: ToolRunner): Promise<unknown> }> = {
    completes: { model: asks({ calls: [say('a')] }, 'Done.'), read: (turn) => turn.untilDone() },
    fails: { model: asks({ throws: new Error('down') }), read: (turn) => turn.untilDone() },
    'is left at once': {
      model: asks({ calls: [say('a')] }, 'Done.'),
      read: async (turn) => turn[Symbol.asyncIterator]().return?.(),
    },
    'is left after a message': {
      model: asks({ calls: [say('a')] }, 'Done.'),
      read: async (turn) => {
        for await (const _message of turn) break
      },
    },
    'is cancelled in a tool': {
      model: asks({ calls: [{ name: 'wait' }] }),
      read: async (turn) => {
        const done = turn.untilDone()
        await wait.started
        turn.cancel()
        return done
      },
    },
  }

  test.each(Object.entries(ends))('has no listener after a turn that %s', async (_how, { model, read }) => {
    const host = counted()
    const options: TurnOptions = { signal: host.signal }
    const turn = createAgent({ model, tools: [echo, wait.tool, counter('tick').tool] }).turn('Go', options)
    await read(turn)
    await idle()
    expect([host.listeners, host.most]).toEqual([0, 1])
  })
})
