import {
  createAgent,
  defineHooks,
  type HooksOptions,
  InputCheckError,
  MemoryStore,
  openSession,
  type Session,
  tool,
} from '@turnloop/core'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { denier, never, runHooked } from './hooks-setup.ts'
import { echo, say } from './loop-setup.ts'

function sessionOf(hooks: HooksOptions, options: { state?: object; id?: string; store?: MemoryStore } = {}): Session {
  const { state, id = 's', store } = options
  const agent = createAgent({
    model: scriptedModel(() => 'A.'),
    clock: manualClock(),
    hooks: defineHooks(hooks),
    ...(state && { state: state as never }),
  })
  return openSession({ agent, id, ...(store && { store }) })
}

const count: HooksOptions = {
  preHooks: [
    ({ state }) => {
      state.count = Number(state.count ?? 0) + 1
    },
  ],
}

describe('scenario 51', () => {
  test('a counter of a pre-hook grows over the turns of one session alone', async () => {
    const store = new MemoryStore()
    const one = sessionOf(count, { store })
    const other = sessionOf(count, { store, id: 't' })

    await one.send('Hi')
    const { state } = await one.send('Hi')
    const fresh = await other.send('Hi')

    expect([state, fresh.state]).toEqual([{ count: 2 }, { count: 1 }])
    expect(one.getSnapshot().state).toEqual({ count: 2 })
  })

  test('it goes on after a reload, and holds no ids', async () => {
    const store = new MemoryStore()
    const before = sessionOf(count, { store })
    await before.send('Hi')
    await before.close()

    const { state } = await sessionOf(count, { store }).send('Hi')

    expect(state).toEqual({ count: 2 })
  })
})

describe('scenario 52: precedence', () => {
  const agentState = { a: 'agent', deep: { x: 'agent', list: [1, 2] } }

  test('turn over stored over agent, objects deep, lists whole', async () => {
    const session = sessionOf({}, { state: agentState })
    await session.setState({ deep: { y: 'stored' } })

    const { state } = await session.send('Hi', { state: { b: 'turn', deep: { x: 'turn', list: [3] } } })

    expect(state).toEqual({ a: 'agent', b: 'turn', deep: { x: 'turn', y: 'stored', list: [3] } })
  })

  test('overwrite discards what is stored', async () => {
    const session = sessionOf({}, { state: agentState })
    await session.setState({ stored: true })

    const { state } = await session.send('Hi', { state: { b: 1 }, stateMode: 'overwrite' })

    expect(state).toEqual({ b: 1 })
  })

  test('what the caller gave is never changed', async () => {
    const given = { deep: { n: 1 } }
    await runHooked(
      ['A.'],
      {
        preHooks: [
          ({ state }) => {
            ;(state.deep as { n: number }).n = 2
          },
        ],
      },
      { turn: { state: given } },
    )

    expect(given).toEqual({ deep: { n: 1 } })
  })
})

describe('the draft of a hook', () => {
  test('nested edits and whole objects both count', async () => {
    const { result, entries } = await runHooked(
      ['A.'],
      {
        preHooks: [
          ({ state }) => {
            ;(state.topics as string[]).push('b')
          },
          (context) => {
            context.state = { ...context.state, whole: true }
          },
          ({ state }) => {
            delete state.gone
          },
        ],
      },
      { state: { topics: ['a'], gone: 1 } },
    )

    expect(result.state).toEqual({ topics: ['a', 'b'], whole: true })
    expect(entries.flatMap((entry) => (entry.type === 'state-changed' ? [entry.patch] : [])).slice(1)).toEqual([
      { topics: ['a', 'b'] },
      { whole: true },
      { gone: null },
    ])
  })

  test('is that of its start, and the last write wins per path', async () => {
    const slow = tool({
      name: 'slow',
      description: 'Slow',
      execute: async (_input, context) => {
        context.state.a = 'slow'
        context.state.slow = true
        await Promise.resolve().then(() => Promise.resolve())
        return 'done'
      },
    })
    const fast = tool({
      name: 'fast',
      description: 'Fast',
      execute: (_input, context) => {
        context.state.a = 'fast'
        context.state.fast = true
      },
    })
    const { result } = await runHooked(
      [{ calls: [{ name: 'slow' }, { name: 'fast' }] }, 'Done.'],
      {},
      { tools: [slow, fast] },
    )

    expect(result.state).toEqual({ a: 'slow', slow: true, fast: true })
  })

  test('that is no plain data is a hook error and changes nothing', async () => {
    const { result } = await runHooked(['A.'], {
      preHooks: [
        ({ state }) => {
          state.f = () => 1
        },
      ],
    })

    expect(result.hookErrors).toHaveLength(1)
    expect(result.state).toEqual({})
  })

  test('of a hook that ran out of time is discarded', async () => {
    const { result } = await runHooked(
      ['A.'],
      {
        preHooks: [
          {
            kind: 'hook',
            name: 'slow',
            timeoutMs: 10,
            run: ({ state }) => {
              state.late = true
              return never()
            },
          },
        ],
      },
      { during: (_turn, { clock }) => clock.advance(10) },
    )

    expect(result.state).toEqual({})
    expect(result.hookErrors).toMatchObject([{ hook: 'slow' }])
  })

  test.each([
    'preHooks',
    'postHooks',
    'beforeModelCall',
    'afterModelCall',
    'beforeToolCall',
    'afterToolCall',
    'afterTurn',
  ])('counts in %s', async (place) => {
    const mark = ({ state }: { state: Record<string, unknown> }): void => {
      state.seen = true
    }
    const hook = place.endsWith('Hooks') ? [mark] : mark
    const { result } = await runHooked([{ calls: [say('a')] }, 'Done.'], { [place]: hook }, { tools: [echo] })

    expect(result.state).toEqual({ seen: true })
  })

  test('counts in tool hooks, also where the tool fails', async () => {
    const fail = tool({
      name: 'fail',
      description: 'Fails',
      execute: () => {
        throw new Error('down')
      },
    })
    const { result } = await runHooked(
      [{ calls: [{ name: 'fail' }] }, 'Done.'],
      {
        toolHooks: [
          async (_call, next, { state }) => {
            state.tries = Number(state.tries ?? 0) + 1
            return next()
          },
        ],
      },
      { tools: [fail] },
    )

    expect(result.state).toEqual({ tries: 1 })
  })
})

describe('after a blocked input', () => {
  const strike: HooksOptions = {
    preHooks: [
      ({ state }) => {
        state.strikes = Number(state.strikes ?? 0) + 1
      },
      denier('bad'),
    ],
  }

  test('what the turn changed is void, in snapshot, result and after a reload', async () => {
    const store = new MemoryStore()
    const session = sessionOf(strike, { store })
    await session.send('fine')
    const { state } = await session.send('bad', { state: { brought: true } })

    expect(state).toEqual({ strikes: 1 })
    expect(session.getSnapshot().state).toEqual({ strikes: 1 })
    await session.close()
    const later = await sessionOf(strike, { store }).send('fine')
    expect(later.state).toEqual({ strikes: 2 })
  })

  test("commitStateOn: 'always' keeps it, thrown or returned", async () => {
    const session = sessionOf({
      preHooks: [
        ({ state, input }) => {
          state.strikes = Number(state.strikes ?? 0) + 1
          if (input.text === 'bad') throw new InputCheckError('no')
        },
      ],
      commitStateOn: 'always',
    })

    await session.send('bad')
    await session.send('bad')

    expect(session.getSnapshot().state).toEqual({ strikes: 2 })
  })

  test('a blocked answer keeps it', async () => {
    const { result } = await runHooked(['bad'], { ...count, postHooks: [denier('bad')] })

    expect(result.outcome.kind).toBe('blocked')
    expect(result.state).toEqual({ count: 1 })
  })

  test('a block later in the turn keeps it', async () => {
    const { result } = await runHooked(['A.'], { ...count, beforeModelCall: () => ({ block: 'no' }) })

    expect(result.outcome.kind).toBe('blocked')
    expect(result.state).toEqual({ count: 1 })
  })
})
