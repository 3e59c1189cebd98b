import { defineHook, defineToolHook, type HooksOptions, tool, toolHooks } from '@turnloop/core'
import { deferred, manualClock, type ScriptStep } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { denier, leaks, masker, never, runHooked, streamed, unclosed } from './hooks-setup.ts'
import { counter } from './loop-setup.ts'
import { idle } from './turn-setup.ts'

const SECRET = 'ZEBRA-42'
const MODES = ['buffer', { window: SECRET.length }, 'off'] as const
const PLACES: readonly (readonly [string, ScriptStep])[] = [
  ['text', { text: `it is ${SECRET} ok` }],
  ['reasoning', { reasoning: `it is ${SECRET} ok`, text: 'Fine.' }],
  ['a reply that asks for tools', { text: `it is ${SECRET} ok`, calls: [{ name: 'look' }] }],
]
const cells = PLACES.flatMap(([place, step]) => MODES.map((outputMode) => ({ place, step, outputMode })))

/** What people saw of a turn as it grew, of any kind. */
function shown(events: readonly { readonly type: string }[]): string {
  return events.map((event) => ('delta' in event ? String(event.delta) : '')).join('')
}

describe('I1: what no check has passed is not kept, and only shown where that is said', () => {
  test.each(cells)('a banned word in $place ends the turn, mode $outputMode', async ({ step, outputMode }) => {
    const look = counter('look')
    const ran = await runHooked([step, 'Never.'], { outputMode, postHooks: [denier(SECRET)] }, { tools: [look.tool] })
    expect(ran.result.outcome).toMatchObject({ kind: 'blocked', trigger: 'off_topic', phase: 'output' })
    expect([ran.model.requests.length, look.runs]).toEqual([1, 0])
    expect(JSON.stringify([ran.entries, ran.result])).not.toContain(SECRET)
    const isRetracted = ran.events.some(({ type }) => type === 'content-retracted')
    // Shown at once and taken back, or never shown.
    expect([shown(ran.events).includes(SECRET), isRetracted]).toEqual(
      outputMode === 'off' ? [true, true] : [false, false],
    )
  })

  test.each(['buffer', { window: SECRET.length }] as const)(
    'a masked word is shown masked, mode %o',
    async (outputMode) => {
      const ran = await runHooked([`it is ${SECRET} ok`], { outputMode, postHooks: [masker(SECRET)] })
      expect([ran.result.text, streamed(ran.events)]).toEqual(['it is ******** ok', 'it is ******** ok'])
      expect(leaks(SECRET, ran)).toEqual([])
    },
  )

  test.each(MODES)('a word that is not banned is shown whole, mode %o', async (outputMode) => {
    const { result, events } = await runHooked(['it is ZEBRA-41 ok'], { outputMode, postHooks: [denier(SECRET)] })
    expect([result.outcome.kind, streamed(events)]).toEqual(['completed', 'it is ZEBRA-41 ok'])
  })

  test('a call with a banned word in its arguments does not run, and they are not shown', async () => {
    const look = counter('look')
    const { result, events } = await runHooked(
      [{ calls: [{ name: 'look', input: { query: SECRET } }] }],
      { outputMode: 'buffer', postHooks: [denier('never')], toolGuardrails: [denier(SECRET)] },
      { tools: [look.tool] },
    )
    expect(result.outcome).toMatchObject({ kind: 'blocked', phase: 'tool-input' })
    expect([look.runs, shown(events)]).toEqual([0, ''])
  })
})

describe('I3: a check of the input comes before the model', () => {
  test('nothing is asked before the verdict, and nothing after a block', async () => {
    const [begun, verdict] = [deferred(), deferred()]
    let requests: number | undefined
    const { result, events, model } = await runHooked(
      ['Too early.'],
      {
        preHooks: [
          async () => {
            begun.resolve()
            await verdict.promise
            return { block: 'Not this.' }
          },
        ],
      },
      {
        during: async (_turn, made) => {
          await begun.promise
          await idle()
          requests = made.model.requests.length
          verdict.resolve()
        },
      },
    )
    expect([requests, model.requests.length, streamed(events)]).toEqual([0, 0, ''])
    expect(result.outcome.kind).toBe('blocked')
  })

  test('what the check takes is told with its events', async () => {
    const clock = manualClock()
    const { events } = await runHooked(
      ['Fine.'],
      { preHooks: [() => new Promise<void>((resolve) => void clock.setTimer(resolve, 100))] },
      { clock, during: () => clock.advance(100) },
    )
    expect(events.find(({ type }) => type === 'hook-finished')).toMatchObject({ slot: 'preHooks', durationMs: 100 })
  })
})

describe('I7: hooks are waited for, heard of, and bounded', () => {
  const script = [{ calls: [{ name: 'look' }] }, 'Done.']

  test('an async hook after a batch has ended before the model is asked again', async () => {
    const order: string[] = []
    await runHooked(
      script,
      {
        afterToolCall: async () => {
          await idle()
          order.push('saved')
        },
        beforeModelCall: () => void order.push('asked'),
      },
      { tools: [counter('look').tool] },
    )
    expect(order).toEqual(['asked', 'saved', 'asked'])
  })

  test('one that rejects is noted, and hurts nothing', async () => {
    const { result } = await runHooked(
      script,
      {
        afterToolCall: () => Promise.reject(new Error('disk full')),
        afterTurn: () => Promise.reject(new Error('late')),
      },
      { tools: [counter('look').tool] },
    )
    expect([result.outcome.kind, result.text]).toEqual(['completed', 'Done.'])
    expect(result.hookErrors.map(({ slot, error }) => `${slot}: ${error.message}`)).toEqual([
      'afterToolCall: disk full',
      'afterTurn: late',
    ])
  })

  test.each(['afterToolCall', 'afterModelCall', 'afterTurn', 'postHooks'] as const)(
    '%s that never settles costs no more than its time limit',
    async (slot) => {
      const clock = manualClock()
      const hang = defineHook<never>({ name: 'hang', timeoutMs: 20, run: never })
      // At any of these points.
      const hooks = { [slot]: slot === 'postHooks' ? [hang] : hang } as HooksOptions
      const { result, events } = await runHooked(script, hooks, {
        clock,
        tools: [counter('look').tool],
        during: () => clock.advance(1000),
      })
      expect(unclosed(events)).toEqual([])
      // After a reply a failure ends the turn; behind it, it is noted.
      expect(result.outcome.kind).toBe(slot === 'afterModelCall' ? 'failed' : 'completed')
    },
  )

  test('every hook fires as often as it says', async () => {
    const fired: string[] = []
    const note = (name: string) => (): void => void fired.push(name)
    const around = (name: string) =>
      defineToolHook({
        name,
        run: (_call, next) => {
          fired.push(name)
          return next()
        },
      })
    const look = tool({
      ...{ name: 'look', description: 'Looks', effect: 'read' as const, execute: () => 'seen' },
      hooks: toolHooks({ before: note('before'), after: note('after'), around: [around('around')] }),
    })
    const { result } = await runHooked(
      script,
      {
        ...{ preHooks: [note('pre')], postHooks: [note('post')], toolHooks: [around('toolHook')] },
        ...{ beforeModelCall: note('beforeModelCall'), afterModelCall: note('afterModelCall') },
        ...{ beforeToolCall: note('beforeToolCall'), afterToolCall: note('afterToolCall') },
        ...{ afterTurn: note('afterTurn'), onCancel: note('onCancel'), onError: note('onError') },
      },
      { tools: [look] },
    )
    expect(result.outcome.kind).toBe('completed')
    const batch = ['beforeToolCall', 'before', 'toolHook', 'around', 'after', 'afterToolCall']
    const asked = ['beforeModelCall', 'afterModelCall']
    expect(fired).toEqual(['pre', ...asked, ...batch, ...asked, 'post', 'afterTurn'])
  })

  test.each([
    ['onCancel', 'cancelled'],
    ['onError', 'failed'],
  ] as const)('%s fires once where the turn ends %s', async (slot, kind) => {
    const fired: string[] = []
    const clock = manualClock()
    const begun = deferred()
    const { result } = await runHooked(
      ['Hello.'],
      {
        beforeModelCall: () => {
          begun.resolve()
          if (kind === 'failed') throw new Error('broken')
          return never()
        },
        [slot]: () => void fired.push(slot),
        afterTurn: () => void fired.push('afterTurn'),
      },
      {
        clock,
        during: async (turn) => {
          await begun.promise
          if (kind === 'cancelled') turn.cancel('enough')
          await clock.advance(20_000)
        },
      },
    )
    expect([result.outcome.kind, fired]).toEqual([kind, [slot, 'afterTurn']])
  })
})
