import { clientCalls, defineToolHook, type Entry, type HooksOptions, StopTurn, tool, toolHooks } from '@turnloop/core'
import { assertHistory, deferred, manualClock, type ScriptStep } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { denier, type HookedOptions, hooked, never, type Ran, runHooked, unclosed } from './hooks-setup.ts'
import { counter, lastResultTexts } from './loop-setup.ts'
import { settled, watchPoints } from './matrix-points.ts'
import { idle, resumeTurn } from './turn-setup.ts'

/** The answers in a log: `name status`. */
function answers(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => (entry.type === 'tool-settled' ? [`${entry.toolName} ${entry.status}`] : []))
}

describe('hooks that observe the end', () => {
  test.each(['onCancel', 'afterTurn'] as const)('%s that hangs is closed before the end', async (point) => {
    const clock = manualClock()
    const { events, result } = await runHooked(
      ['Hello.'],
      { [point]: () => never() },
      {
        clock,
        graceMs: 100,
        during: async (turn) => {
          turn.cancel('enough')
          await clock.advance(200)
        },
      },
    )
    expect(result.outcome.kind).toBe('cancelled')
    expect(unclosed(events)).toEqual([])
    expect(events.at(-1)?.type).toBe('turn-ended')
  })

  test('the time of one that hangs is not given again to the next', async () => {
    const clock = manualClock()
    const told: string[] = []
    const { events } = await runHooked(
      ['Hello.'],
      { onCancel: () => never(), afterTurn: () => void told.push('afterTurn') },
      {
        clock,
        graceMs: 100,
        during: async (turn) => {
          turn.cancel('enough')
          await clock.advance(200)
          await clock.runAll()
        },
      },
    )
    expect(told).toEqual([])
    expect(events.at(-1)?.type).toBe('turn-ended')
  })
})

describe('state that cannot be stored', () => {
  const bad = (hooks = {}) =>
    tool({
      ...{ name: 'note', description: 'Notes', effect: 'read' as const, ...hooks },
      execute: (_input, context) => {
        context.state.run = () => {}
        return 'noted'
      },
    })

  test.each([
    ['without hooks', {}],
    ['with hooks', { hooks: toolHooks({ after: () => undefined }) }],
  ])('fails the call of a tool %s', async (_name, hooks) => {
    const { result, entries, model } = await runHooked(
      [{ calls: [{ name: 'note' }] }, 'Done.'],
      {},
      { tools: [bad(hooks)] },
    )
    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(answers(entries)).toEqual(['note error'])
    expect(lastResultTexts(model.requests[1])[0]).toContain('state.run')
  })
})

describe('a tool hook that goes on too late', () => {
  test('does not start its tool any more', async () => {
    const clock = manualClock()
    const look = counter('look')
    const hook = {
      ...{ kind: 'tool-hook' as const, name: 'slow', timeoutMs: 20 },
      run: async (_call: unknown, next: () => Promise<unknown>) => {
        await new Promise<void>((resolve) => clock.setTimer(resolve, 50))
        return next()
      },
    }
    const { entries } = await runHooked(
      [{ calls: [{ name: 'look' }] }, 'Done.'],
      { toolHooks: [hook] },
      {
        clock,
        tools: [look.tool],
        during: () => clock.advance(100),
      },
    )
    expect(look.runs).toBe(0)
    expect(answers(entries)).toEqual(['look error'])
  })

  test('leaves in doubt what had started', async () => {
    const clock = manualClock()
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      execute: () => new Promise((resolve) => clock.setTimer(() => resolve('paid'), 50)),
    })
    const hook = {
      ...{ kind: 'tool-hook' as const, name: 'slow', timeoutMs: 20 },
      run: (_call: unknown, next: () => Promise<unknown>) => next(),
    }
    const { entries } = await runHooked(
      [{ calls: [{ name: 'pay' }] }, 'Done.'],
      { toolHooks: [hook] },
      {
        clock,
        tools: [pay],
        during: () => clock.advance(100),
      },
    )
    expect(answers(entries)).toEqual(['pay unknown'])
  })
})

describe('Stop', () => {
  test('a tool hook that goes on after it starts nothing', async () => {
    const clock = manualClock()
    const look = counter('look')
    const { entries, result } = await runHooked(
      [{ calls: [{ name: 'look' }] }],
      {
        toolHooks: [
          async (_call, next, { signal }) => {
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
            return next().catch(() => 'instead')
          },
        ],
      },
      {
        clock,
        tools: [look.tool],
        during: async (turn) => {
          await idle()
          turn.cancel('enough')
          await clock.advance(200)
        },
      },
    )
    expect(result.outcome.kind).toBe('cancelled')
    expect(entries.filter(({ type }) => type === 'tool-started')).toEqual([])
    expect(answers(entries)).toHaveLength(1)
  })

  test('during afterModelCall keeps the reply that was shown', async () => {
    const clock = manualClock()
    const begun = deferred()
    const hang = (): Promise<never> => {
      begun.resolve()
      return never()
    }
    const { result } = await runHooked(
      ['It was said.'],
      { afterModelCall: hang },
      {
        clock,
        during: async (turn) => {
          await begun.promise
          turn.cancel('enough')
          await clock.advance(20_000)
        },
      },
    )
    expect(result.text).toBe('It was said.')
    expect(result.usage).not.toEqual({})
  })
})

describe('a turn that a hook has ended', () => {
  const script = [{ calls: [{ name: 'first' }, { name: 'second' }] }, 'Done.']

  test('starts no call any more that waits in its hooks', async () => {
    const second = counter('second')
    const gate = deferred()
    const { entries, result } = await runHooked(
      script,
      {
        toolHooks: [
          async ({ name }, next) => {
            if (name === 'first') {
              queueMicrotask(() => gate.resolve())
              throw new StopTurn('enough')
            }
            await gate.promise
            await idle()
            return next()
          },
        ],
      },
      { tools: [counter('first').tool, second.tool] },
    )
    expect(result.outcome).toEqual({ kind: 'completed', stoppedBy: 'toolHooks[0]' })
    expect([second.runs, answers(entries)]).toEqual([0, ['first error', 'second not-run']])
  })

  /** What a turn makes of a log that was cut behind the first entry that ends it. */
  async function goOn(
    hooks: HooksOptions,
    options: HookedOptions = {},
    plus = 0,
  ): Promise<Ran & { log: readonly Entry[] }> {
    const ran = await runHooked(script, hooks, options)
    const at = ran.entries.findIndex((entry) => 'ends' in entry)
    const made = hooked(['Asked again.'], {}, options)
    const { turn, log } = resumeTurn(made.agent, ran.entries.slice(0, at + 1 + plus))
    return { ...ran, ...made, result: await turn.untilDone(), log: log.entries }
  }

  test('ends after a crash in the batch as well, and the rest does not run', async () => {
    const second = counter('second')
    const stop = ({ name }: { name: string }, next: () => Promise<unknown>): unknown => {
      if (name === 'first') throw new StopTurn('enough')
      return next()
    }
    const { result, log, model } = await goOn(
      { toolHooks: [stop] },
      { tools: [counter('first').tool, second.tool], toolExecution: 'sequential' },
    )
    expect(result.outcome).toEqual({ kind: 'completed', stoppedBy: 'toolHooks[0]' })
    expect([second.runs, answers(log), model.requests.length]).toEqual([0, ['first error', 'second not-run'], 0])
    assertHistory(result.messages)
  })

  test.each([0, 2, 3, 4])('ends after a crash %i entries behind its last reply', async (plus) => {
    const first = counter('first')
    const { result, log, model } = await goOn(
      { afterModelCall: () => ({ stop: 'enough' }) },
      { tools: [first.tool, counter('second').tool] },
      plus,
    )
    expect(result.outcome).toEqual({ kind: 'completed', stoppedBy: 'afterModelCall[0]' })
    expect([first.runs, answers(log), model.requests.length]).toEqual([0, ['first not-run', 'second not-run'], 0])
  })
})

describe('a reply that Stop finds before its hooks', () => {
  /** Stop a turn at a point; whether the reply that was shown stays, and all its calls are answered. */
  async function stopAt(nth: number, script: ScriptStep): Promise<string[]> {
    const faults: string[] = []
    const host = new AbortController()
    await settled()
    const watch = watchPoints(nth, () => host.abort('enough'))
    const { events, entries, result } = await runHooked(
      [script],
      { afterModelCall: async () => {}, postHooks: [async () => {}, denier('never')] },
      { tools: [counter('first').tool], turn: { signal: host.signal } },
    )
    watch.stop()
    const isShown = events.some(({ type }) => type === 'text-delta')
    if (isShown && result.text === '') faults.push(`${nth}: the reply is lost`)
    const calls = entries.flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'assistant' ? clientCalls(entry.message) : [],
    )
    if (answers(entries).length < calls.length) faults.push(`${nth}: a call has no answer`)
    return faults
  }

  test.each([
    ['that ends the turn', 'Said.'],
    ['that asks for a tool', { text: 'Said.', calls: [{ name: 'first' }] }],
  ])('%s stays, at every point', async (_name, step) => {
    const faults: string[] = []
    for (let nth = 20; nth < 160; nth += 1) faults.push(...(await stopAt(nth, step)))
    expect(faults).toEqual([])
  })
})

describe('what a tool hook has left under way', () => {
  test('is told to stop, and its inner hooks are closed', async () => {
    const clock = manualClock()
    const stops: unknown[] = []
    const look = tool({
      ...{ name: 'look', description: 'Looks', effect: 'read' as const },
      execute: (_input, { signal }) => {
        signal.addEventListener('abort', () => stops.push(signal.reason))
        return never()
      },
    })
    const outer = defineToolHook({ name: 'outer', timeoutMs: 20, run: (_call, next) => next() })
    const inner = defineToolHook({ name: 'inner', run: (_call, next) => next() })
    const { events, entries } = await runHooked(
      [{ calls: [{ name: 'look' }] }, 'Done.'],
      { toolHooks: [outer, inner] },
      { clock, tools: [look], during: () => clock.advance(200) },
    )
    expect(stops).toHaveLength(1)
    expect(unclosed(events)).toEqual([])
    expect(answers(entries)).toEqual(['look unknown'])
  })
})
