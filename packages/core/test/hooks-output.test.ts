import { defineGuardrail, type OutputMode, type TurnEvent } from '@turnloop/core'
import { deferred } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { denier, leaks, masker, runHooked, streamed } from './hooks-setup.ts'
import { echo, say } from './loop-setup.ts'

const retracted = ({ events }: { events: readonly TurnEvent[] }): number =>
  events.filter(({ type }) => type === 'content-retracted').length

const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join(' ')

describe("outputMode 'off'", () => {
  test('shows text at once and retracts what does not pass', async () => {
    const ran = await runHooked(['bad word'], { postHooks: [denier('bad')] })

    expect(streamed(ran.events)).toBe('bad word')
    expect(retracted(ran)).toBe(1)
    expect(ran.result.text).toBe('This answer was withheld.')
  })

  test('retracts what a hook after the model call blocks', async () => {
    const ran = await runHooked(['bad word'], { afterModelCall: () => ({ block: 'no' }) })

    expect(retracted(ran)).toBe(1)
    expect(JSON.stringify(ran.entries)).not.toContain('bad word')
  })

  test('retracts nothing where nothing was shown', async () => {
    const ran = await runHooked(['A.'], { preHooks: [denier('Hi')] })

    expect(retracted(ran)).toBe(0)
  })
})

describe("outputMode 'buffer'", () => {
  test('shows all at once, when it has passed', async () => {
    const { events } = await runHooked([words(9)], { postHooks: [denier('bad')], outputMode: 'buffer' })

    const deltas = events.filter(({ type }) => type === 'text-delta')
    expect(streamed(events)).toBe(words(9))
    expect(deltas).toHaveLength(1)
    const types = events.map(({ type }) => type)
    expect(types.indexOf('text-delta')).toBeGreaterThan(types.lastIndexOf('hook-finished'))
  })

  test('shows what hooks have made of it', async () => {
    const ran = await runHooked(['pin zq71'], { postHooks: [masker('zq71')], outputMode: 'buffer' })

    expect(streamed(ran.events)).toBe('pin ****')
    expect(leaks('zq71', ran)).toEqual([])
  })

  test('without guardrails nothing is held back', async () => {
    const { events } = await runHooked([words(9)], { postHooks: [() => {}], outputMode: 'buffer' })

    expect(events.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(1)
  })

  test('shows nothing of an answer that a hook sends back unseen by a check', async () => {
    const { events } = await runHooked(['bad word', 'Good.'], {
      postHooks: [({ result }) => (result.text === 'Good.' ? undefined : { retry: 'Again.' }), denier('bad')],
      outputMode: 'buffer',
    })

    expect(streamed(events)).not.toContain('bad')
  })
})

describe.each([['buffer'], [{ window: 6 }]] as const)('held back by %j', (outputMode: OutputMode) => {
  test('no arguments of calls are shown, and tools run once the reply has passed', async () => {
    const script = [{ text: 'Looking it up.', calls: [say('secret words here')] }, 'Done.']
    const { events, result } = await runHooked(script, { postHooks: [denier('bad')], outputMode }, { tools: [echo] })

    expect(events.some(({ type }) => type === 'tool-input-delta')).toBe(false)
    expect(streamed(events)).toBe('Looking it up.Done.')
    expect(result.iterations).toBe(1)
  })

  test('Stop while a check looks keeps only what was shown', async () => {
    const slow = defineGuardrail({
      name: 'slow',
      check: (subject, { signal }) =>
        subject.isPartial ? undefined : new Promise((_resolve, reject) => onStop(signal, reject)),
    })
    const { entries, events, result } = await runHooked(
      [words(9)],
      { postHooks: [slow], outputMode },
      {
        during: async (turn, { clock }) => {
          await clock.advance(0)
          turn.cancel()
        },
      },
    )

    const logged = entries.flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message] : [],
    )
    expect(result.outcome.kind).toBe('cancelled')
    expect(logged.map(({ content }) => content)).toEqual(
      streamed(events) === '' ? [] : [[{ type: 'text', text: streamed(events) }]],
    )
    expect(logged.every(({ partial }) => partial)).toBe(true)
  })

  test('a try that failed and was checked late shows nothing of it', async () => {
    const gate = deferred()
    let checks = 0
    const slow = defineGuardrail({
      name: 'slow',
      check: async ({ isPartial }) => {
        checks += 1
        if (isPartial && checks === 1) await gate.promise
        return undefined
      },
    })
    const script = [{ text: words(4), cut: true as const }, 'Second try of it.']
    const { events } = await runHooked(
      script,
      { postHooks: [slow], outputMode },
      {
        retry: { attempts: 2, baseDelayMs: 0, restart: true },
        during: async (_turn, { clock }) => {
          await clock.advance(0)
          await clock.advance(1000)
          gate.resolve()
          await clock.advance(1000)
        },
      },
    )

    expect(streamed(events)).toBe('Second try of it.')
  })
})

describe('outputMode { window }', () => {
  test('holds the last characters back and checks as it grows', async () => {
    const gate = deferred()
    const seen: TurnEvent[] = []
    let beforeEnd = ''
    await runHooked(
      [{ text: words(9) }],
      { postHooks: [masker('word8')], outputMode: { window: 10 } },
      {
        turn: { onEvent: (event) => void seen.push(event) },
        during: async () => gate.resolve(),
      },
    ).then(({ events }) => {
      const last = events.findLastIndex(({ type }) => type === 'text-delta')
      beforeEnd = streamed(events.slice(0, last))
      expect(streamed(events)).toBe(words(9).replace('word8', '*****'))
    })

    expect(beforeEnd.length).toBeGreaterThan(0)
    expect(beforeEnd.length).toBeLessThanOrEqual(words(9).length - 10)
  })

  test('a trip stops the model in the middle of its reply', async () => {
    const script = [{ text: `bad ${words(9)}`, hang: 'until-abort' as const }]
    const ran = await runHooked(script, { postHooks: [denier('bad')], outputMode: { window: 8 } })

    expect(ran.model.abortedRequests).toEqual([0])
    expect(ran.result.outcome).toMatchObject({ kind: 'blocked', hook: 'denier', trigger: 'off_topic' })
    expect(streamed(ran.events)).toBe('')
    expect(ran.result.text).toBe('This answer was withheld.')
  })

  test('a trip does not wait for a model that is deaf', async () => {
    const script = [{ text: `bad ${words(9)}`, hang: true as const }]
    const ran = await runHooked(
      script,
      { postHooks: [denier('bad')], outputMode: { window: 8 } },
      { during: (_turn, { clock }) => clock.advance(2000) },
    )

    expect(ran.result.outcome).toMatchObject({ kind: 'blocked', hook: 'denier' })
  })

  test('a trip drops the reply with its calls', async () => {
    const script = [{ text: `${words(9)} bad ${words(9)}`, calls: [say('x')] }]
    const ran = await runHooked(script, { postHooks: [denier('bad')], outputMode: { window: 8 } }, { tools: [echo] })

    expect(ran.result.outcome).toMatchObject({ kind: 'blocked' })
    expect(ran.entries.some(({ type }) => type === 'tool-started')).toBe(false)
    expect(streamed(ran.events)).not.toContain('bad')
    expect(retracted(ran)).toBe(1)
  })

  test('what a check finds late never shows in part', async () => {
    const ran = await runHooked([`${words(6)} zq71 ${words(6)}`], {
      postHooks: [masker('zq71')],
      outputMode: { window: 1 },
    })

    expect(streamed(ran.events)).toBe(`${words(6)} **** ${words(6)}`)
    expect(leaks('zq71', ran)).toEqual([])
  })
})

function onStop(signal: AbortSignal, reject: (reason: unknown) => void): void {
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
}
