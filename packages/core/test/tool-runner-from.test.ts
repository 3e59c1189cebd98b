import { createAgent, type Entry, sourceOf, type ToolEffect, type TurnOptions, tool } from '@turnloop/core'
import { assertHistory, deafTool, deferred, manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { collect, echo, lastResults, outline } from './loop-setup.ts'
import { idle, resumeTurn, startTurn } from './turn-setup.ts'

/** Asks for two tools, then for one more, then answers; and remembers every run. */
function world(effect: ToolEffect = 'read') {
  const runs: string[] = []
  const make = (name: string) =>
    tool({
      name,
      description: name,
      effect,
      execute: (_input, { idempotencyKey }) => {
        runs.push(`${name} ${idempotencyKey}`)
        return `${name} done`
      },
    })
  const model = scriptedModel(({ messages }): ScriptStep => {
    const last = messages.at(-1)
    if (last?.role !== 'tool') return { text: 'First two.', calls: [{ name: 'look' }, { name: 'book' }] }
    return last.results.length === 2 ? { text: 'One more.', calls: [{ name: 'look' }] } : 'All done.'
  })
  return { model, runs, agent: createAgent({ model, tools: [make('look'), make('book')], clock: manualClock() }) }
}

/** The log of a turn from its beginning to its end. */
async function wholeLog(effect?: ToolEffect): Promise<readonly Entry[]> {
  const { turn, log } = startTurn(world(effect).agent, 'Go')
  await turn.untilDone()
  return log.entries
}

const log = await wholeLog()
// The first two entries are written together: no log ends between them.
const prefixes = log.slice(1, -1).map(({ type }, index) => ({ length: index + 2, type }))
const expected = [
  'user: Go',
  'assistant: First two.',
  'tool: ok, ok',
  'assistant: One more.',
  'tool: ok',
  'assistant: All done.',
]

describe.each(prefixes)('a turn cut after entry $length, $type', ({ length }) => {
  const prefix = log.slice(0, length)

  test('ends with the same answer under the same id', async () => {
    const { agent, model } = world()
    const { turn, log: after } = resumeTurn(agent, prefix)
    const result = await turn.untilDone()
    expect([turn.turnId, result.text, result.outcome]).toEqual([log[0]?.turnId, 'All done.', { kind: 'completed' }])
    expect(outline(result.messages)).toEqual(expected)
    expect(after.entries.filter(({ type }) => type === 'turn-ended')).toHaveLength(1)
    expect(model.violations).toEqual([])
  })

  test('keeps what it had and asks only for what is missing', async () => {
    const { agent, model, runs } = world()
    const { turn, log: after } = resumeTurn(agent, prefix)
    await turn.untilDone()
    expect(after.entries.slice(0, length)).toEqual(prefix)
    const replies = prefix.filter((entry) => entry.type === 'message' && entry.message.role === 'assistant')
    expect(model.requests).toHaveLength(3 - replies.length)
    const settled = prefix.filter(({ type }) => type === 'tool-settled')
    expect(runs).toHaveLength(3 - settled.length)
  })

  test('has live events that follow the log', async () => {
    const { turn } = resumeTurn(world().agent, prefix)
    const events = await collect(turn.events())
    for (const event of events) if ('after' in event) expect(event.after).toBeGreaterThanOrEqual(length)
  })
})

describe('calls that were running', () => {
  const started = (entries: readonly Entry[]): Entry[] =>
    entries.slice(
      0,
      entries.findIndex(({ type }) => type === 'tool-settled'),
    )

  test.each(['read', 'idempotent'] as const)('%s ones run again under the same key', async (effect) => {
    const before = started(await wholeLog(effect))
    const keys = before.flatMap((entry) => (entry.type === 'tool-started' ? [entry.idempotencyKey] : []))
    const { agent, runs } = world(effect)
    const { turn, log: after } = resumeTurn(agent, before)
    await turn.untilDone()
    expect(runs.slice(0, keys.length).map((run) => run.split(' ')[1])).toEqual(keys)
    const attempts = after.entries.flatMap((entry) => (entry.type === 'tool-started' ? [entry.attempt] : []))
    expect(Math.max(...attempts)).toBe(2)
  })

  test('an unsafe one does not run again and is in doubt', async () => {
    const before = started(await wholeLog('unsafe'))
    const { agent, runs } = world('unsafe')
    const { turn } = resumeTurn(agent, before)
    const { messages, outcome } = await turn.untilDone()
    const doubted = before.filter(({ type }) => type === 'tool-started').length
    expect(messages[2]).toMatchObject({ results: Array.from({ length: doubted }, () => ({ status: 'unknown' })) })
    expect([runs.length, outcome.kind]).toEqual([3 - doubted, 'completed'])
  })

  test('one whose tool tells no effect is not run again', async () => {
    const before = started(await wholeLog('read'))
    const { runs, model } = world()
    const look = tool({ name: 'look', description: 'Looks', execute: () => runs.push('look') })
    // What a source of its own may leave out although the type says that it is there.
    const bare = { ...look, effect: undefined as unknown as ToolEffect }
    const { turn } = resumeTurn(createAgent({ model, tools: [bare] }), before)
    const { messages } = await turn.untilDone()
    expect(messages[2]).toMatchObject({ results: [{ toolName: 'look', status: 'unknown' }, {}] })
  })

  test('one whose tool is gone is in doubt', async () => {
    const before = started(await wholeLog('read'))
    const { turn } = resumeTurn(createAgent({ model: world().model, tools: [] }), before)
    const { messages } = await turn.untilDone()
    expect(messages[2]).toMatchObject({ results: [{ status: 'unknown' }, {}] })
  })
})

describe('replies that were whole', () => {
  const replies: Record<string, { step: ScriptStep; later: ScriptStep[]; end: unknown }> = {
    'an answer': { step: 'Fine.', later: [], end: { kind: 'completed' } },
    'a filtered one': {
      step: { text: 'No.', stopReason: 'safety' },
      later: [],
      end: { kind: 'blocked', source: 'model' },
    },
    'a cut one': {
      step: { text: 'Half', stopReason: 'maxTokens' },
      later: [],
      end: { kind: 'completed', truncated: true },
    },
    'a missing call': {
      step: { text: 'Let me.', stopReason: 'toolUse' },
      later: ['Fine.'],
      end: { kind: 'completed' },
    },
    'a pause': { step: { text: 'So', stopReason: 'pause' }, later: ['Fine.'], end: { kind: 'completed' } },
    'a call that was cut': {
      step: { calls: [{ name: 'echo', inputText: '{"te' }], stopReason: 'maxTokens' },
      later: ['Fine.'],
      end: { kind: 'completed' },
    },
    'one that broke off': {
      step: { text: 'Half', cut: true },
      later: [],
      end: { kind: 'failed', error: expect.objectContaining({ code: 'stream-cut' }) },
    },
  }

  test.each(Object.entries(replies))('%s is decided about as it was written', async (_name, { step, later, end }) => {
    const first = startTurn(createAgent({ model: scriptedModel([step, ...later]), tools: [echo] }), 'Go')
    await first.turn.untilDone()
    const at = first.log.entries.findIndex((entry) => entry.type === 'message' && entry.message.role === 'assistant')
    const cut = first.log.entries.findIndex(({ type }, index) => index > at && type === 'checkpoint')
    const model = scriptedModel(later)
    const { turn } = resumeTurn(
      createAgent({ model, tools: [echo] }),
      first.log.entries.slice(0, cut < 0 ? at + 1 : cut + 1),
    )
    expect((await turn.untilDone()).outcome).toEqual(end)
    expect(model.requests).toHaveLength(later.length)
  })
})

/** The log of a turn that is stopped while three calls are open: one obeys, one is deaf, one has not started. */
async function stoppedLog(): Promise<readonly Entry[]> {
  const clock = manualClock()
  const deaf = deafTool({ effect: 'read' })
  const model = scriptedModel([{ text: 'Both.', calls: [{ name: 'wait' }, { name: 'deaf' }, { name: 'echo' }] }])
  const execute = (_input: unknown, { signal }: { signal: AbortSignal }): Promise<never> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const wait = tool({ name: 'wait', description: 'Waits', effect: 'read', execute })
  const agent = createAgent({ model, tools: [wait, deaf, echo], clock, maxParallelTools: 2 })
  const { turn, log } = startTurn(agent, 'Go')
  const done = turn.untilDone()
  await deaf.started
  turn.cancel('enough')
  await clock.advance(1600)
  await done
  return log.entries
}
const stopped = await stoppedLog()

describe('a turn that was stopped before it was cut', () => {
  const first = stopped.findIndex(({ type }) => type === 'tool-settled')
  const cuts = stopped.slice(first, -1).map(({ type }, index) => ({ length: first + 1 + index, type }))

  test.each(cuts)('after entry $length, $type, asks nothing more and ends cancelled', async ({ length }) => {
    const model = scriptedModel([])
    const { turn } = resumeTurn(createAgent({ model, tools: [echo] }), stopped.slice(0, length))
    const { outcome, messages } = await turn.untilDone()
    expect([outcome.kind, model.requests.length]).toEqual(['cancelled', 0])
    expect(lastResults({ messages })).toHaveLength(3)
    expect(lastResults({ messages })[0]?.status).toBe('cancelled')
    assertHistory(messages)
  })

  test('in the middle of its answer ends cancelled with that text', async () => {
    const said = deferred()
    const model = scriptedModel([{ text: 'Half', hang: 'until-abort' }], {
      beforeEvent: ({ type }) => (type === 'text-end' ? said.resolve() : undefined),
    })
    const { turn, log } = startTurn(createAgent({ model }), 'Go')
    const done = turn.untilDone()
    await said.promise
    await idle()
    turn.cancel()
    await done
    const resumed = resumeTurn(createAgent({ model: scriptedModel([]) }), log.entries.slice(0, -1))
    const result = await resumed.turn.untilDone()
    expect([result.outcome.kind, result.text]).toEqual(['cancelled', 'Half'])
  })
})

describe('entries that cannot be gone on with', () => {
  const resume = (entries: readonly Entry[], options?: TurnOptions) => () => resumeTurn(world().agent, entries, options)
  const refusal = expect.objectContaining({ code: 'nothing-to-resume' })

  test('none at all', () => expect(resume([])).toThrow(refusal))
  test('entries from the middle of a turn', () => expect(resume(log.slice(1))).toThrow(refusal))
  test('a turn that has ended', () => expect(resume(log)).toThrow(refusal))
})

test('a signal that is aborted already only closes the cut turn', async () => {
  const { agent, model } = world()
  const upToReply = log.findIndex(({ type }) => type === 'checkpoint') + 1
  const { turn } = resumeTurn(agent, log.slice(0, upToReply), { signal: AbortSignal.abort('gone') })
  const { outcome, messages } = await turn.untilDone()
  expect([outcome.kind, model.requests.length]).toEqual(['cancelled', 0])
  expect(outline(messages)).toEqual(['user: Go', 'assistant: First two.', 'tool: not-run, not-run'])
})

test('a turn without history stays one when it goes on', async () => {
  const { turn: first, log: entries } = startTurn(world().agent, 'Go', { history: false })
  await first.untilDone()
  const before = { id: 'u0', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Earlier' }] } as const
  const { agent, model } = world()
  const { turn } = resumeTurn(
    { ...agent, parts: (to) => agent.parts(to, { history: sourceOf([before]) }) },
    entries.entries.slice(0, 2),
  )
  await turn.untilDone()
  expect(outline(model.requests[0]?.messages ?? [])).toEqual(['user: Go'])
})
