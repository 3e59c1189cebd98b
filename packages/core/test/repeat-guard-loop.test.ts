import { createAgent, tool } from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { RepeatGuard } from '../src/repeat-guard.ts'
import { REPEATED_TEXT } from '../src/result-text.ts'
import { lastResultTexts } from './loop-setup.ts'
import { answers, type GivenCall, settleAll, starts, statuses, textOf, toCall } from './run-batch.ts'

const FIND: GivenCall = ['find', { q: 'x', max: 5 }]

/** A guard that has seen the same empty result three times. */
function fullGuard(): RepeatGuard {
  const guard = new RepeatGuard(3)
  const call = toCall(FIND)
  for (let run = 0; run < 3; run += 1)
    guard.record([call], [{ callId: call.callId, toolName: 'find', result: textOf('[]'), status: 'ok' }])
  return guard
}

describe('a batch', () => {
  function finder(answerOf: (run: number) => unknown) {
    const runs: number[] = []
    const execute = (): unknown => {
      runs.push(runs.length)
      return answerOf(runs.length)
    }
    const input = z.object({ q: z.string(), max: z.number() })
    return { runs, tool: tool({ name: 'find', description: 'Finds', input, effect: 'read', execute }) }
  }

  /** The same model reply again and again, up to the end that the guard asks for. */
  async function repeat(given: GivenCall, tools: readonly ReturnType<typeof tool>[]) {
    const repeats = new RepeatGuard(3)
    const seen: string[] = []
    let last: Awaited<ReturnType<typeof settleAll>> | undefined
    while (!repeats.isStuck && seen.length < 8) {
      last = await settleAll([given], { tools, repeats })
      repeats.record(last.calls, last.results)
      seen.push(...statuses(last))
    }
    return { seen, last, isStuck: repeats.isStuck }
  }

  test('C1: runs an empty search three times, refuses one, ends at the fifth', async () => {
    const find = finder(() => [])
    const { seen, last } = await repeat(FIND, [find.tool])
    expect(seen).toEqual(['ok', 'ok', 'ok', 'not-run', 'not-run'])
    expect(find.runs).toHaveLength(3)
    expect(last && [answers(last), last.results[0]?.result.isError, starts(last)]).toEqual([
      [['not-run', REPEATED_TEXT]],
      true,
      [],
    ])
  })

  test('C1: lets polling go on', async () => {
    const find = finder((run) => `${run * 10} %`)
    const { seen, isStuck } = await repeat(FIND, [find.tool])
    expect([seen.length, find.runs.length, isStuck]).toEqual([8, 8, false])
  })

  test('C6: a tool that does not exist is explained three times, then ends it', async () => {
    const find = finder(() => [])
    const { seen, isStuck } = await repeat(['readFile', { path: 'a' }], [find.tool])
    expect([seen, isStuck]).toEqual([['error', 'error', 'error', 'not-run', 'not-run'], true])
  })

  test('C6: names that differ are not the same mistake', async () => {
    const find = finder(() => [])
    const repeats = new RepeatGuard(3)
    for (const name of ['readFile', 'readfile', 'read_file', 'readFile ', 'ReadFile']) {
      const batch = await settleAll([[name]], { tools: [find.tool], repeats })
      repeats.record(batch.calls, batch.results)
      expect(statuses(batch)).toEqual(['error'])
    }
  })

  test('a refused call does not hurt its siblings', async () => {
    const find = finder(() => [])
    const batch = await settleAll([FIND, ['find', { q: 'y', max: 1 }]], { tools: [find.tool], repeats: fullGuard() })
    expect([statuses(batch), find.runs.length]).toEqual([['not-run', 'ok'], 1])
  })

  test('a call from before a crash is repeated, not refused', async () => {
    const find = finder(() => [])
    const started = {
      type: 'tool-started',
      sequence: 1,
      at: 0,
      callId: 'c0',
      toolName: 'find',
      input: { q: 'x', max: 5 },
      idempotencyKey: 'c0',
      attempt: 1,
    } as const
    const known = { started: new Map([['c0', started]]) }
    const batch = await settleAll([FIND], { tools: [find.tool], repeats: fullGuard(), known })
    expect([statuses(batch), find.runs.length]).toEqual([['ok'], 1])
  })
})

describe('a turn', () => {
  const look = (answerOf: (run: number) => string) => {
    let runs = 0
    const execute = (): string => {
      runs += 1
      return answerOf(runs)
    }
    return { tool: tool({ name: 'look', description: 'Looks', effect: 'read', execute }), count: () => runs }
  }

  test('C1: that only repeats itself ends without progress, every call answered', async () => {
    const { tool: still, count } = look(() => 'nothing')
    const model = scriptedModel(() => ({ calls: [{ name: 'look' }] }))
    const result = await createAgent({ model, tools: [still] })
      .turn('Look')
      .untilDone()
    expect(result.outcome).toEqual({ kind: 'no-progress', reason: 'repeated-call' })
    expect([model.requests.length, count(), result.messages.at(-1)?.role]).toEqual([5, 3, 'tool'])
    expect(lastResultTexts(model.requests[4])).toEqual([REPEATED_TEXT])
  })

  test('C1: that heeds the refusal completes', async () => {
    const { tool: still } = look(() => 'nothing')
    const model = scriptedModel((_request, index) => (index < 4 ? { calls: [{ name: 'look' }] } : 'Nothing there.'))
    const result = await createAgent({ model, tools: [still] })
      .turn('Look')
      .untilDone()
    expect([result.outcome, result.text]).toEqual([{ kind: 'completed' }, 'Nothing there.'])
  })

  test('C1: that polls completes', async () => {
    const { tool: job, count } = look((run) => `${run * 10} %`)
    const model = scriptedModel((_request, index) => (index < 8 ? { calls: [{ name: 'look' }] } : 'Ready.'))
    const result = await createAgent({ model, tools: [job] })
      .turn('Wait')
      .untilDone()
    expect([result.outcome.kind, count()]).toEqual(['completed', 8])
  })

  test('C1: may have another limit, or none', async () => {
    const script = (_request: unknown, index: number) => (index < 8 ? { calls: [{ name: 'look' }] } : 'Enough.')
    for (const [repeatLimit, runs, kind] of [
      [1, 1, 'no-progress'],
      [0, 8, 'completed'],
    ] as const) {
      const { tool: still, count } = look(() => 'nothing')
      const agent = createAgent({ model: scriptedModel(script), tools: [still], repeatLimit })
      const result = await agent.turn('Look').untilDone()
      expect([count(), result.outcome.kind]).toEqual([runs, kind])
    }
  })

  test('C6: that insists on a missing tool ends without progress', async () => {
    const { tool: still, count } = look(() => 'nothing')
    const model = scriptedModel(() => ({ calls: [{ name: 'readFile' }] }))
    const result = await createAgent({ model, tools: [still] })
      .turn('Read')
      .untilDone()
    expect([result.outcome, model.requests.length, count()]).toEqual([
      { kind: 'no-progress', reason: 'repeated-call' },
      5,
      0,
    ])
    for (const request of model.requests.slice(1, 4))
      expect(lastResultTexts(request)).toEqual(['There is no tool named "readFile". Available tools: look.'])
  })
})
