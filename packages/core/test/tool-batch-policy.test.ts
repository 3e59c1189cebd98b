import { type Entry, type Tool, type ToolContext, tool } from '@turnloop/core'
import { deferred, manualClock } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AFTER_UNKNOWN_TEXT, LOST_TEXT, NOT_RUN_TEXT, UNRECORDED_TEXT } from '../src/result-text.ts'
import { answers, type GivenCall, runBatch, settleAll, starts, statuses, textOf } from './run-batch.ts'
import { idle } from './turn-setup.ts'

const input = z.object({ text: z.string() })
const echo = tool({ name: 'echo', description: 'Echo', input, effect: 'read', execute: ({ text }) => text })
const say = (text: string): GivenCall => ['echo', { text }]
const unsafe = tool({ name: 'send', description: 'Sends', execute: () => 'sent' })

/** What the log has of a call that was running when the page went away. */
function startOf(callId: string, toolName = 'echo'): Extract<Entry, { type: 'tool-started' }> {
  const fixed = { type: 'tool-started', sequence: 1, at: 0, attempt: 1 } as const
  return { ...fixed, callId, toolName, input: { text: 'a' }, idempotencyKey: 'key' }
}

describe('an unknown tool name', () => {
  const calls = [say('a'), ['missing'], say('b'), ['gone']] as const

  test('hurts no other call, unless told otherwise', async () => {
    const batch = await settleAll(calls, { tools: [echo] })
    expect(statuses(batch)).toEqual(['ok', 'error', 'ok', 'error'])
  })

  test('that stops the batch leaves what came before it', async () => {
    const batch = await settleAll(calls, { tools: [echo], unknownTool: 'short-circuit' })
    expect(answers(batch)).toEqual([
      ['ok', 'a'],
      ['error', 'There is no tool named "missing". Available tools: echo.'],
      ['not-run', AFTER_UNKNOWN_TEXT],
      ['not-run', AFTER_UNKNOWN_TEXT],
    ])
    expect(batch.results.slice(1).every(({ result }) => result.isError)).toBe(true)
  })

  test('keeps later calls from being looked at at all', async () => {
    const checked: unknown[] = []
    const looked: Tool = {
      ...echo,
      check: (value) => {
        checked.push(value.text)
        return echo.check(value)
      },
    }
    await settleAll(calls, { tools: [looked], unknownTool: 'short-circuit' })
    expect(checked).toEqual(['a'])
  })

  test('is not what arguments that do not fit are', async () => {
    const batch = await settleAll([['echo', {}], say('b')], { tools: [echo], unknownTool: 'short-circuit' })
    expect(statuses(batch)).toEqual(['error', 'ok'])
  })

  test('that is repaired stops nothing', async () => {
    const repairToolCall = () => ({ toolName: 'echo', input: { text: 'mended' } })
    const batch = await settleAll(calls, { tools: [echo], unknownTool: 'short-circuit', repairToolCall })
    expect(answers(batch).map(([, text]) => text)).toEqual(['a', 'mended', 'b', 'mended'])
  })

  describe('that was answered before a crash', () => {
    const settled = { type: 'tool-settled', sequence: 1, at: 0, callId: 'c0', toolName: 'missing' } as const
    const refused = { ...settled, status: 'error', result: textOf('There is no tool', true) } as const
    const short = { tools: [echo], unknownTool: 'short-circuit' } as const

    test('still stops what comes after it', async () => {
      const known = { settled: new Map([['c0', refused]]) }
      const batch = await settleAll([['missing'], say('b')], { ...short, known })
      expect(answers(batch)).toEqual([['not-run', AFTER_UNKNOWN_TEXT]])
    })

    test('stops what comes after answered calls too', async () => {
      const skipped = { ...refused, callId: 'c1', status: 'not-run' } as const
      const known = {
        settled: new Map<string, typeof refused | typeof skipped>([
          ['c0', refused],
          ['c1', skipped],
        ]),
      }
      const batch = await settleAll([['missing'], say('a'), say('b')], { ...short, known })
      expect(answers(batch)).toEqual([['not-run', AFTER_UNKNOWN_TEXT]])
    })

    test('stops nothing if it was answered for another reason', async () => {
      const known = { settled: new Map([['c0', { ...refused, status: 'not-run' } as const]]) }
      expect(statuses(await settleAll([['missing'], say('b')], { ...short, known }))).toEqual(['ok'])
    })

    test('stops nothing if it had been repaired and run', async () => {
      const known = { settled: new Map([['c0', refused]]), started: new Map([['c0', startOf('c0')]]) }
      expect(statuses(await settleAll([['missing'], say('b')], { ...short, known }))).toEqual(['ok'])
    })

    test.each(['ok', 'error'] as const)('is not taken for a known one that came to %s', async (status) => {
      const known = { settled: new Map([['c0', { ...refused, toolName: 'echo', status }]]) }
      expect(statuses(await settleAll([say('a'), say('b')], { ...short, known }))).toEqual(['ok'])
    })
  })
})

describe('with tools off', () => {
  const toolsOff = 'Answer in words now.'

  test('no call runs, and each is told why', async () => {
    let looks = 0
    const look = tool({ name: 'look', description: 'Looks', execute: () => (looks += 1) })
    const batch = await settleAll([say('a'), ['look'], ['missing'], ['echo', 'x']], { tools: [echo, look], toolsOff })
    expect(answers(batch)).toEqual(Array.from({ length: 4 }, () => ['not-run', toolsOff]))
    expect(batch.results.every(({ result }) => result.isError)).toBe(true)
    expect([starts(batch), looks]).toEqual([[], 0])
  })

  test('nothing is repaired', async () => {
    const repairToolCall = (): never => {
      throw new Error('asked')
    }
    expect(statuses(await settleAll([['missing']], { tools: [echo], toolsOff, repairToolCall }))).toEqual(['not-run'])
  })

  test('a call that was running before a crash is in doubt', async () => {
    const known = { started: new Map([['c0', startOf('c0')]]) }
    expect(answers(await settleAll([say('a')], { tools: [echo], toolsOff, known }))).toEqual([['unknown', LOST_TEXT]])
  })
})

describe('an unsafe call whose start cannot be stored', () => {
  const saved = Promise.resolve(false)

  test.each([undefined, 'skip'] as const)('is not run where whenUnsaved is %s', async (whenUnsaved) => {
    const batch = await settleAll([['send']], { tools: [unsafe], saved, ...(whenUnsaved && { whenUnsaved }) })
    expect(answers(batch)).toEqual([['not-run', UNRECORDED_TEXT]])
  })

  test('runs where it may', async () => {
    const batch = await settleAll([['send']], { tools: [unsafe], saved, whenUnsaved: 'run' })
    expect(answers(batch)).toEqual([['ok', 'sent']])
  })

  test('waits for the attempt to store it also where it may run', async () => {
    const storing = deferred<boolean>()
    const batch = runBatch([['send']], { tools: [unsafe], saved: storing.promise, whenUnsaved: 'run' })
    await idle()
    expect([starts(batch).length, statuses(batch)]).toEqual([1, []])
    storing.resolve(false)
    await batch.done
    expect(statuses(batch)).toEqual(['ok'])
  })

  test('does not run once the turn is stopped, whatever it may', async () => {
    const clock = manualClock()
    const stop = new AbortController()
    const options = { tools: [unsafe], clock, signal: stop.signal, whenUnsaved: 'run' } as const
    const batch = runBatch([['send']], { ...options, saved: new Promise(() => {}) })
    await idle()
    stop.abort()
    await clock.advance(0)
    await batch.done
    expect(answers(batch)).toEqual([['not-run', NOT_RUN_TEXT]])
  })

  test('holds up no call that may run again', async () => {
    const batch = await settleAll([say('a')], { tools: [echo], saved: new Promise(() => {}) })
    expect(statuses(batch)).toEqual(['ok'])
  })
})

describe('Stop between the record of a start and the start', () => {
  test.each<[string, Tool]>([
    ['may run again', echo],
    ['is unsafe', { ...echo, effect: 'unsafe' }],
  ])('keeps a tool that %s from starting', async (_what, target) => {
    const stop = new AbortController()
    const runs: string[] = []
    const counted: Tool = { ...target, execute: () => runs.push('ran') }
    const batch = runBatch([say('a')], { tools: [counted], signal: stop.signal, onAppend: () => stop.abort() })
    await batch.done
    expect([answers(batch), runs]).toEqual([[['not-run', NOT_RUN_TEXT]], []])
  })

  test('one tick later does so too', async () => {
    const stop = new AbortController()
    const runs: string[] = []
    const counted: Tool = { ...echo, execute: () => runs.push('ran') }
    const onAppend = (): void => queueMicrotask(() => stop.abort())
    const batch = runBatch([say('a')], { tools: [counted], signal: stop.signal, onAppend })
    await batch.done
    expect([answers(batch)[0]?.[0], runs]).toEqual(['not-run', []])
  })
})

describe('the time limit of a batch', () => {
  const patient = (name: string, timeoutMs?: number): Tool =>
    tool({
      name,
      description: name,
      effect: 'read',
      ...(timeoutMs !== undefined && { timeoutMs }),
      execute: (_input, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })

  test('is that of tools that bring none', async () => {
    const clock = manualClock()
    const tools = [patient('slow'), patient('slower', 200)]
    const batch = runBatch([['slow'], ['slower']], { tools, clock, toolMs: 100 })
    await clock.advance(100)
    expect(answers(batch)).toEqual([['error', 'slow did not finish within 100 ms.']])
    await clock.advance(100)
    await batch.done
    expect(answers(batch)[1]).toEqual(['error', 'slower did not finish within 200 ms.'])
  })

  test('is named although the tool says something else', async () => {
    const clock = manualClock()
    const execute = (_input: unknown, { signal }: ToolContext): Promise<never> =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    const batch = runBatch([say('a')], { tools: [{ ...echo, execute }], clock, toolMs: 100 })
    await clock.advance(100)
    await batch.done
    expect(answers(batch)).toEqual([['error', 'echo did not finish within 100 ms.']])
  })
})

test('a tool gets what its call is given of the turn', async () => {
  const contexts: ToolContext[] = []
  const execute = (_input: unknown, context: ToolContext): unknown => void contexts.push(context)
  const look = tool({ name: 'look', description: 'Looks', effect: 'read', execute })
  await settleAll([['look'], ['look']], { tools: [look], hostFor: (callId) => ({ of: callId }) })
  await settleAll([['look']], { tools: [look] })
  expect(contexts.map(({ nested }) => nested)).toEqual([{ of: 'c0' }, { of: 'c1' }, undefined])
  expect(contexts[2]).not.toHaveProperty('nested')
})
