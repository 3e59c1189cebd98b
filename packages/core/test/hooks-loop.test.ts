import { defineHook, type Message } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { askedText, never, runHooked, unclosed } from './hooks-setup.ts'
import { counter, echo, lastResults, lastResultTexts, outline, recorder, say, toolNames } from './loop-setup.ts'

const once = [{ calls: [say('a')] }, 'Done.']
const fail = (): never => {
  throw new Error('broken')
}

describe('beforeModelCall', () => {
  test('sees what each call adds, and the whole request', async () => {
    const deltas: string[][] = []
    await runHooked(
      once,
      { beforeModelCall: ({ request }) => void deltas.push([request.modelId, ...outline(request.delta)]) },
      { tools: [echo] },
    )

    expect(deltas).toEqual([
      ['scripted', 'user: Hi'],
      ['scripted', 'assistant: ', 'tool: ok'],
    ])
  })

  test('may change tools, choice and settings of one call alone', async () => {
    const { model } = await runHooked(
      once,
      {
        beforeModelCall: ({ iteration }) =>
          iteration === 0
            ? undefined
            : { replace: { tools: [], toolChoice: 'none', settings: { temperature: 0 }, instructions: 'Be short.' } },
      },
      { tools: [echo] },
    )

    expect(model.requests.map(toolNames)).toEqual([['echo'], []])
    expect(model.requests[1]).toMatchObject({ settings: { temperature: 0 }, instructions: 'Be short.' })
  })

  test('may change the messages of one call, which are healed', async () => {
    const { model, result } = await runHooked(
      once,
      {
        beforeModelCall: ({ request }) => ({ replace: { messages: request.messages.slice(0, 2) } }),
      },
      { tools: [echo] },
    )

    expect(lastResults(model.requests[1])[0]?.status).not.toBe('ok')
    expect(outline(result.messages)).toEqual(['user: Hi', 'assistant: ', 'tool: ok', 'assistant: Done.'])
  })

  test('changes nothing by changing the request in place', async () => {
    const settings = { temperature: 1 }
    const { model, result } = await runHooked(
      ['A.'],
      {
        beforeModelCall: ({ request }) => {
          Object.assign(request.settings ?? {}, { temperature: 0 })
          expect(() => (request.messages as Message[]).pop()).toThrow(TypeError)
        },
      },
      { settings },
    )

    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(model.requests[0]).toMatchObject({ settings: { temperature: 1 } })
    expect(settings).toEqual({ temperature: 1 })
  })

  test('one after the other, each on what the one before left', async () => {
    const { model } = await runHooked(['A.'], {
      beforeModelCall: [
        () => ({ replace: { instructions: 'one' } }),
        ({ request }) => ({ replace: { instructions: `${request.instructions} two` } }),
      ],
    })

    expect(model.requests[0]?.instructions).toBe('one two')
  })

  test('that throws ends the turn failed', async () => {
    const { result, model } = await runHooked(['A.'], { beforeModelCall: fail })

    expect(model.requests).toHaveLength(0)
    expect(result.outcome).toMatchObject({ kind: 'failed', error: { message: 'broken' } })
  })
})

describe('afterModelCall', () => {
  test('sees each reply, frozen', async () => {
    const seen: string[] = []
    const { result } = await runHooked(
      once,
      {
        afterModelCall: ({ reply }) => {
          seen.push(reply.stopReason)
          expect(Object.isFrozen(reply.content)).toBe(true)
        },
      },
      { tools: [echo] },
    )

    expect(seen).toEqual(['toolUse', 'endTurn'])
    expect(result.hookErrors).toEqual([])
  })

  test('that throws ends the turn failed, with every call answered', async () => {
    const { tool: look, ...runs } = counter('look')
    const { result } = await runHooked([{ calls: [{ name: 'look' }] }], { afterModelCall: fail }, { tools: [look] })

    expect(runs.runs).toBe(0)
    expect(lastResults(result).map(({ status }) => status)).toEqual(['not-run'])
    expect(result.outcome).toMatchObject({ kind: 'failed', error: { message: 'broken' } })
  })

  test('may send the model back', async () => {
    const { model, result } = await runHooked(['A.', 'B.'], {
      afterModelCall: ({ reply: { id: _id, content } }) =>
        JSON.stringify(content).includes('A.') ? { retry: 'Not A.' } : undefined,
    })

    expect(askedText(model.requests[1])).toBe('Not A.')
    expect(result.text).toBe('B.')
  })
})

describe('beforeToolCall', () => {
  test('is asked once per batch and may change arguments, planned anew', async () => {
    const { tool: record, inputs } = recorder('record', z.object({ text: z.string() }))
    const batches: string[][] = []
    const { entries } = await runHooked(
      [{ calls: ['a', 'b'].map((text) => ({ name: 'record', input: { text } })) }, 'Done.'],
      {
        beforeToolCall: ({ calls }) => {
          batches.push(calls.map(({ toolName }) => toolName))
          return { replace: calls.slice(0, 1).map(({ callId }) => ({ callId, input: { text: 'c' } })) }
        },
      },
      { tools: [record] },
    )

    expect(batches).toEqual([['record', 'record']])
    expect(inputs).toEqual([{ text: 'c' }, { text: 'b' }])
    expect(entries.find(({ type }) => type === 'tool-started')).toMatchObject({ modelInput: { text: 'a' } })
  })

  test('that throws ends the turn failed, after every call was answered', async () => {
    const { tool: look, ...runs } = counter('look')
    const { result } = await runHooked(
      [{ calls: [{ name: 'look' }, { name: 'look' }] }],
      { beforeToolCall: fail },
      { tools: [look] },
    )

    expect(runs.runs).toBe(0)
    expect(lastResults(result).map(({ status }) => status)).toEqual(['not-run', 'not-run'])
    expect(result.outcome).toMatchObject({ kind: 'failed', error: { message: 'broken' } })
  })

  test('that stops the turn leaves the calls not run', async () => {
    const { result } = await runHooked(once, { beforeToolCall: () => ({ stop: 'enough' }) }, { tools: [echo] })

    expect(lastResults(result).map(({ status }) => status)).toEqual(['not-run'])
    expect(result.outcome).toEqual({ kind: 'completed', stoppedBy: 'beforeToolCall[0]' })
  })
})

describe('afterToolCall', () => {
  test('may replace the content of results, id and status stay', async () => {
    const { model, entries } = await runHooked(
      once,
      {
        afterToolCall: ({ results }) => ({
          replace: results.map(({ callId }) => ({
            callId,
            result: { content: [{ type: 'text', text: 'short' }], isError: true },
          })),
        }),
      },
      { tools: [echo] },
    )

    expect(lastResults(model.requests[1])).toMatchObject([{ status: 'ok' }])
    expect(lastResultTexts(model.requests[1])).toEqual(['short'])
    expect(entries.find(({ type }) => type === 'tool-settled')).toMatchObject({
      result: { content: [{ text: 'a' }] },
    })
  })

  test('that throws is noted, and the results stand', async () => {
    const { result, model } = await runHooked(once, { afterToolCall: fail }, { tools: [echo] })

    expect(lastResultTexts(model.requests[1])).toEqual(['a'])
    expect(result.hookErrors).toMatchObject([{ slot: 'afterToolCall' }])
    expect(result.outcome).toEqual({ kind: 'completed' })
  })
})

describe('inject', () => {
  test.each(['preHooks', 'beforeModelCall', 'afterModelCall', 'beforeToolCall', 'toolHooks', 'afterToolCall'])(
    'from %s joins the next request, after the results',
    async (place) => {
      const note = { inject: 0 }
      const inject = (context: { inject(text: string): void }): void => {
        if (note.inject++ === 0) context.inject('By the way.')
      }
      const around = (_call: unknown, next: () => unknown, context: never): unknown => {
        inject(context)
        return next()
      }
      const hook = place === 'toolHooks' ? [around] : place === 'preHooks' ? [inject] : inject
      const { model } = await runHooked(once, { [place]: hook }, { tools: [echo] })

      const early = place === 'preHooks' || place === 'beforeModelCall'
      expect(outline(model.requests[early ? 0 : 1]?.messages ?? []).at(-1)).toBe('user: By the way.')
      expect(model.violations).toEqual([])
    },
  )

  test('that no request takes is dropped', async () => {
    const { result } = await runHooked(['A.'], {
      postHooks: [({ inject }) => inject('late')],
      afterTurn: ({ inject }) => inject('later'),
    })

    expect(outline(result.messages)).toEqual(['user: Hi', 'assistant: A.'])
  })
})

describe('time limits of loop hooks', () => {
  test.each([
    ['beforeModelCall', 'failed'],
    ['afterModelCall', 'failed'],
    ['beforeToolCall', 'failed'],
    ['afterToolCall', 'completed'],
    ['afterTurn', 'completed'],
  ] as const)('%s that never settles: the turn ends %s', async (point, kind) => {
    const slow = defineHook({ name: 'slow', timeoutMs: 50, run: () => never() })
    const { result, events } = await runHooked(
      once,
      { [point]: slow },
      {
        tools: [echo],
        during: async (_turn, { clock }) => {
          for (let times = 0; times < 4; times += 1) await clock.advance(50)
        },
      },
    )

    expect(result.outcome.kind).toBe(kind)
    expect(unclosed(events)).toEqual([])
  })
})
