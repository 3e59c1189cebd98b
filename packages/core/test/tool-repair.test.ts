import { type JsonObject, type Tool, tool } from '@turnloop/core'
import { deferred, manualClock } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { BrokenCall, RepairedCall, RepairToolCall } from '../src/repair-call.ts'
import { answers, runBatch, settleAll, starts, statuses } from './run-batch.ts'
import { idle, isDeepFrozen } from './turn-setup.ts'

/** A tool that says what it ran with. */
function speaker(name: string): Tool {
  const input = z.object({ day: z.string(), seats: z.number().optional() })
  return tool({ name, description: name, input, effect: 'read', execute: (value) => value })
}

const book = speaker('book')
const cancel = speaker('cancel')
const tools = [book, cancel]
const UNKNOWN = 'There is no tool named "reserve". Available tools: book, cancel.'

/** What a repair that gives this makes of a call of a tool that does not exist. */
async function repaired(given: unknown) {
  // A repair is foreign code: it may give anything.
  const repairToolCall = (() => given) as RepairToolCall
  return settleAll([['reserve', { day: 'Monday' }]], { tools, repairToolCall })
}

describe('a refused call', () => {
  test('runs under the name that the repair gives', async () => {
    const batch = await repaired({ toolName: 'book' })
    expect(answers(batch)).toEqual([['ok', '{"day":"Monday"}']])
    expect(starts(batch)).toMatchObject([{ toolName: 'book', callId: 'c0', input: { day: 'Monday' } }])
  })

  test('keeps the name that the model gave it in its result', async () => {
    expect((await repaired({ toolName: 'book' })).results[0]?.toolName).toBe('reserve')
  })

  test.each<[string, JsonObject | string]>([
    ['an object', { day: 'Friday' }],
    ['text', '{"day":"Friday"}'],
  ])('runs with the arguments that the repair gives as %s', async (_form, input) => {
    const batch = await settleAll([['book', { when: 'Friday' }]], { tools, repairToolCall: () => ({ input }) })
    expect(answers(batch)).toEqual([['ok', '{"day":"Friday"}']])
    expect(starts(batch)).toMatchObject([{ input: { day: 'Friday' }, modelInput: { when: 'Friday' } }])
    expect(isDeepFrozen(starts(batch)[0]?.input)).toBe(true)
  })

  test('is shown with its tools, its problem and a signal, once', async () => {
    const seen: BrokenCall[] = []
    const repairToolCall = (broken: BrokenCall): undefined => void seen.push(broken)
    const { calls } = await settleAll([['reserve', { day: 'Monday' }]], { tools, repairToolCall })
    expect(seen).toMatchObject([{ call: calls[0], tools, problem: UNKNOWN, signal: { aborted: false } }])
  })

  test('is planned again by the same rules', async () => {
    const repairToolCall = (): RepairedCall => ({ toolName: 'BOOK', input: { day: 'Friday', seats: null } })
    const batch = await settleAll([['reserve']], { tools, repairToolCall })
    expect(starts(batch)).toMatchObject([{ toolName: 'book', input: { day: 'Friday' } }])
    expect(starts(batch)[0]?.input).toEqual({ day: 'Friday' })
  })

  test('is not changed by what the repair does to its object later', async () => {
    const input = { day: 'Friday' }
    const batch = await settleAll([['reserve']], { tools, repairToolCall: () => ({ toolName: 'book', input }) })
    input.day = 'Sunday'
    expect([starts(batch)[0]?.input, Object.isFrozen(input)]).toEqual([{ day: 'Friday' }, false])
  })

  test('of several each gets its own try, and healthy ones get none', async () => {
    const seen: string[] = []
    const repairToolCall = ({ call }: BrokenCall): RepairedCall => {
      seen.push(call.callId)
      return { input: { day: call.callId } }
    }
    const batch = await settleAll(
      [
        ['book', 'x'],
        ['book', { day: 'Monday' }],
        ['cancel', '5'],
      ],
      {
        tools,
        repairToolCall,
      },
    )
    expect(answers(batch).map(([, text]) => text)).toEqual(['{"day":"c0"}', '{"day":"Monday"}', '{"day":"c2"}'])
    expect(seen).toEqual(['c0', 'c2'])
  })
})

describe('what the model wrote is recorded', () => {
  const given = { toolName: 'book', input: { day: 'Friday' } }

  test.each<[string, string, unknown]>([
    ['as the JSON it is', '{"day":5}', { day: 5 }],
    ['as JSON that is no object', '[1]', [1]],
    ['as text where it is no JSON', '{"day":"Fri', '{"day":"Fri'],
  ])('%s', async (_how, inputText, modelInput) => {
    const batch = await settleAll([['book', inputText]], { tools, repairToolCall: () => given })
    expect(starts(batch)[0]?.modelInput).toEqual(modelInput)
  })

  test('only where the arguments differ', async () => {
    const repairToolCall = (): RepairedCall => ({ ...given, input: { seats: 2, day: 'Friday' } })
    const batch = await settleAll([['reserve', { day: 'Friday', seats: 2 }]], { tools, repairToolCall })
    expect(starts(batch)).toHaveLength(1)
    expect(starts(batch)[0]).not.toHaveProperty('modelInput')
  })

  test('again when the call runs again after a crash, without another repair', async () => {
    const first = await settleAll([['reserve', '"Friday"']], { tools, repairToolCall: () => given })
    const started = new Map(starts(first).map((entry) => [entry.callId, entry]))
    const again = await settleAll([['reserve', '"Friday"']], {
      tools,
      known: { started },
      repairToolCall: () => {
        throw new Error('asked again')
      },
    })
    expect(answers(again)).toEqual([['ok', '{"day":"Friday"}']])
    expect(starts(again)).toMatchObject([{ toolName: 'book', attempt: 2, modelInput: 'Friday' }])
  })
})

describe('the refusal stays when the repair', () => {
  test.each<[string, unknown]>([
    ['gives nothing', undefined],
    ['gives null', null],
    ['gives text', 'book'],
    ['gives a list', [{ toolName: 'book' }]],
    ['gives an empty object', {}],
    ['gives a name that is no text', { toolName: 5 }],
    ['gives another name that does not exist', { toolName: 'order' }],
    ['gives arguments that are no object', { toolName: 'book', input: 5 }],
    ['gives a list of arguments', { toolName: 'book', input: [{ day: 'Monday' }] }],
    ['gives null for arguments', { toolName: 'book', input: null }],
    ['gives arguments that do not fit', { toolName: 'book', input: { day: 5 } }],
    ['gives text that is cut', { toolName: 'book', input: '{"day":"Mon' }],
    ['gives something that cannot be stored', { toolName: 'book', input: { day: 'Monday', seats: () => 2 } }],
    [
      'gives what throws when it is read',
      {
        get toolName(): never {
          throw new Error('lazy')
        },
      },
    ],
  ])('%s', async (_what, given) => {
    const batch = await repaired(given)
    expect(answers(batch)).toEqual([['error', UNKNOWN]])
    expect(starts(batch)).toEqual([])
  })

  test.each<[string, RepairToolCall]>([
    [
      'throws',
      () => {
        throw new Error('no model')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no model'))],
  ])('%s', async (_what, repairToolCall) => {
    expect(answers(await settleAll([['reserve']], { tools, repairToolCall }))).toEqual([['error', UNKNOWN]])
  })
})

describe('Stop while a repair is under way', () => {
  async function stopped(repairToolCall: RepairToolCall) {
    const clock = manualClock()
    const stop = new AbortController()
    const options = { tools, repairToolCall, clock, signal: stop.signal }
    const batch = runBatch([['reserve'], ['book', { day: 'Monday' }]], options)
    await idle()
    const before = statuses(batch)
    stop.abort()
    await clock.advance(0)
    await batch.done
    return { before, batch }
  }

  test('does not wait for it', async () => {
    const { before, batch } = await stopped(() => new Promise(() => {}))
    expect(before).toEqual([])
    expect(statuses(batch)).toEqual(['not-run', 'not-run'])
    expect(starts(batch)).toEqual([])
  })

  test('tells it so, and nothing that comes later is unhandled', async () => {
    const { promise, reject } = deferred()
    let signal: AbortSignal | undefined
    const { batch } = await stopped(async (broken) => {
      signal = broken.signal
      await promise
      return { toolName: 'book' }
    })
    expect(signal?.aborted).toBe(true)
    const written = batch.entries.length
    reject(new Error('too late'))
    await idle()
    expect(batch.entries).toHaveLength(written)
  })

  test('before it keeps it from being asked', async () => {
    let asked = 0
    const repairToolCall = (): undefined => {
      asked += 1
    }
    await settleAll([['reserve']], { tools, repairToolCall, signal: AbortSignal.abort() })
    expect(asked).toBe(0)
  })
})
