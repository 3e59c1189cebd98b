import { defineGuardrail, defineHook, InputCheckError, openSession, type TurnEvent } from '@turnloop/core'
import { deferred } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { denier, hookEvents, hooked, hookSteps, leaks, masker, runHooked, streamed, unclosed } from './hooks-setup.ts'
import { echo, say } from './loop-setup.ts'

const fail = (): never => {
  throw new Error('broken')
}

describe('scenarios 20 to 24', () => {
  test('20: each hook gives a pair of events, the input before and after', async () => {
    const { events } = await runHooked(['Hello.'], {
      preHooks: [defineHook({ name: 'polite', run: ({ input }) => ({ replace: `${input.text}, please` }) })],
      postHooks: [({ result }) => ({ replace: result.text.toUpperCase() })],
    })

    expect(hookEvents(events).map(({ type, hook, slot, value }) => [type, hook, slot, value])).toEqual([
      ['hook-started', 'polite', 'preHooks', 'Hi'],
      ['hook-finished', 'polite', 'preHooks', 'Hi, please'],
      ['hook-started', 'postHooks[0]', 'postHooks', 'Hello.'],
      ['hook-finished', 'postHooks[0]', 'postHooks', 'HELLO.'],
    ])
  })

  test('20: the pair has one id and says how long it took', async () => {
    const gate = deferred()
    const { events } = await runHooked(
      ['Hello.'],
      { preHooks: [() => gate.promise] },
      {
        during: async (_turn, { clock }) => {
          await clock.advance(70)
          gate.resolve()
        },
      },
    )

    const [started, finished] = hookEvents(events)
    expect(finished?.id).toBe(started?.id)
    expect(finished?.durationMs).toBe(70)
  })

  test('21: a hook that throws is closed, and the turn started before it (differs)', async () => {
    const { events } = await runHooked(['Hello.'], {
      preHooks: [fail, defineGuardrail({ name: 'check', check: fail })],
    })

    expect(events.map(({ type }) => type).slice(0, 5)).toEqual([
      'turn-started',
      'hook-started',
      'hook-failed',
      'hook-started',
      'hook-blocked',
    ])
    expect(unclosed(events)).toEqual([])
  })

  test('21: a check error closes its hook as blocked, with its code (differs)', async () => {
    const { events } = await runHooked(['Hello.'], {
      preHooks: [
        () => {
          throw new InputCheckError('no')
        },
      ],
    })

    expect(hookEvents(events).at(-1)).toMatchObject({ type: 'hook-blocked', error: { code: 'blocked', message: 'no' } })
  })

  test('22: the message view gives messages alone, the event view everything (differs)', async () => {
    const { agent } = hooked(() => 'Hello.', { preHooks: [() => {}] })

    const messages: string[] = []
    for await (const message of agent.turn('Hi')) messages.push(message.role)
    const types = new Set<string>()
    for await (const event of agent.turn('Hi').events()) types.add(event.type)

    expect(messages).toEqual(['assistant'])
    expect(types).toContain('hook-started')
    expect(types).toContain('text-delta')
  })

  test('23: no event or entry holds what a guardrail has masked (differs)', async () => {
    const ran = await runHooked(
      ['Fine.'],
      { preHooks: [({ input }) => void input.text, masker('zq71'), ({ input }) => ({ replace: `${input.text}!` })] },
      { input: 'My pin is zq71' },
    )

    expect(leaks('zq71', ran)).toEqual([])
    expect(hookEvents(ran.events).map(({ value }) => value)).toEqual([
      undefined,
      undefined,
      undefined,
      'My pin is ****',
      'My pin is ****',
      'My pin is ****!',
    ])
  })

  test.each([['buffer'], [{ window: 4 }]] as const)(
    '24: held back by %j, a blocked answer shows no character (differs)',
    async (outputMode) => {
      const { events, result } = await runHooked(['bad word here'], { postHooks: [denier('bad')], outputMode })

      expect(streamed(events)).toBe('')
      expect(result.outcome).toMatchObject({ kind: 'blocked', trigger: 'off_topic', hook: 'denier' })
      expect(events.some(({ type }) => type === 'content-retracted')).toBe(false)
    },
  )
})

describe('events of hooks', () => {
  test('every hook of a turn with tools is closed, in every list', async () => {
    const note = (): void => {}
    const { events } = await runHooked(
      [{ calls: [say('a')] }, 'Done.'],
      {
        preHooks: [note, fail],
        postHooks: [fail, note],
        toolHooks: [(_call, next) => next(), (_call, next) => next().then(fail)],
        toolGuardrails: [defineGuardrail({ name: 'check', check: () => undefined })],
        beforeModelCall: note,
        afterModelCall: note,
        beforeToolCall: note,
        afterToolCall: fail,
        afterTurn: [fail, note],
      },
      { tools: [echo] },
    )

    expect(unclosed(events)).toEqual([])
    expect(new Set(hookEvents(events).map(({ slot }) => slot))).toEqual(
      new Set([
        'preHooks',
        'postHooks',
        'toolHooks',
        'toolGuardrails',
        'beforeModelCall',
        'afterModelCall',
        'beforeToolCall',
        'afterToolCall',
        'afterTurn',
      ]),
    )
  })

  test('a bare function is named by its place, whatever it is called', async () => {
    function minified(): void {}
    const { events } = await runHooked(['Hello.'], {
      preHooks: [minified],
      beforeModelCall: [minified, minified],
      afterTurn: minified,
    })

    expect(hookSteps(events)).toEqual([
      'started preHooks[0]',
      'finished preHooks[0]',
      'started beforeModelCall[0]',
      'finished beforeModelCall[0]',
      'started beforeModelCall[1]',
      'finished beforeModelCall[1]',
      'started afterTurn[0]',
      'finished afterTurn[0]',
    ])
  })

  test('the last event of a turn is its end', async () => {
    const { events } = await runHooked(['Hello.'], { afterTurn: [() => {}, fail] })

    expect(events.at(-1)?.type).toBe('turn-ended')
  })

  test('what a hook emits is an event of its turn', async () => {
    const { events } = await runHooked(['Hello.'], { preHooks: [({ emit }) => emit('score', { value: 3 })] })

    expect(events.find(({ type }) => type === 'custom')).toMatchObject({ name: 'score', data: { value: 3 } })
  })

  test('what a hook emits that is no plain data is left out', async () => {
    const { events, result } = await runHooked(['Hello.'], { preHooks: [({ emit }) => emit('odd', fail as never)] })

    expect(events.some(({ type }) => type === 'custom')).toBe(false)
    expect(result.outcome.kind).toBe('completed')
  })

  test('a hook that has settled says nothing more', async () => {
    let late = (): void => {}
    const { events, model } = await runHooked(['Hello.'], {
      preHooks: [
        ({ emit, inject, rewriteTranscript }) => {
          late = () => {
            emit('late', 1)
            inject('late')
            rewriteTranscript(() => [])
          }
        },
      ],
      beforeModelCall: () => late(),
    })

    expect(events.some(({ type }) => type === 'custom' || type === 'overlay')).toBe(false)
    expect(JSON.stringify(model.requests)).not.toContain('late')
  })

  test('a session passes the events of hooks on', async () => {
    const { agent } = hooked(() => 'Hello.', { preHooks: [() => {}] })
    const session = openSession({ agent, id: 's' })
    const seen: TurnEvent[] = []
    const reading = (async () => {
      for await (const event of session.events()) seen.push(event)
    })()

    await session.send('Hi')
    await session.close()
    await reading

    expect(hookSteps(seen)).toEqual(['started preHooks[0]', 'finished preHooks[0]'])
  })
})

describe('redact', () => {
  const redact = (text: string): string => text.replaceAll('zq71', '[pin]')
  const leak = (): never => {
    throw new Error('cannot read zq71')
  }

  test('takes a value out of values, errors and what hooks emit', async () => {
    const ran = await runHooked(
      ['Fine.'],
      { preHooks: [masker('zq71'), leak, ({ emit }) => emit('note', { pin: 'zq71' })], postHooks: [leak], redact },
      { input: 'My pin is zq71' },
    )

    expect(leaks('zq71', ran)).toEqual([])
    expect(ran.result.hookErrors.map(({ error }) => error.message)).toEqual(['cannot read [pin]', 'cannot read [pin]'])
  })

  test.each(['beforeModelCall', 'afterModelCall', 'beforeToolCall'] as const)(
    'takes a value out of the error of %s that ends the turn',
    async (point) => {
      const ran = await runHooked([{ calls: [say('a')] }, 'Done.'], { [point]: leak, redact }, { tools: [echo] })

      expect(ran.result.outcome).toMatchObject({ kind: 'failed', error: { message: 'cannot read [pin]' } })
      expect(leaks('zq71', ran)).toEqual([])
    },
  )

  test('takes a value out of the message of a block, wherever it stands', async () => {
    const block = (): never => {
      throw new InputCheckError('zq71 is a pin')
    }
    const pre = await runHooked(['Fine.'], { preHooks: [block], redact })
    const tool = await runHooked([{ calls: [say('a')] }, 'Done.'], { toolHooks: [block], redact }, { tools: [echo] })

    expect([pre.result.outcome, tool.result.outcome]).toMatchObject([
      { kind: 'blocked', message: '[pin] is a pin' },
      { kind: 'blocked', message: '[pin] is a pin' },
    ])
  })

  test('that throws keeps everything back and harms nothing', async () => {
    const { result, events } = await runHooked(['Fine.'], { preHooks: [leak], redact: leak })

    expect(result.outcome.kind).toBe('completed')
    expect(JSON.stringify(events)).not.toContain('zq71')
  })
})

test('an error before a check holds nothing of what the check masks (differs)', async () => {
  const ran = await runHooked(
    ['Fine.'],
    {
      preHooks: [
        ({ input }) => {
          throw new Error(`cannot read ${input.text}`)
        },
        masker('zq71'),
      ],
    },
    { input: 'My pin is zq71' },
  )

  expect(leaks('zq71', ran)).toEqual([])
  expect(ran.result.hookErrors).toHaveLength(1)
})
