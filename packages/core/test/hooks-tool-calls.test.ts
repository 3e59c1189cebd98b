import { type JsonObject, type Message, resultText, tool, toolHooks } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hooked, runHooked } from './hooks-setup.ts'
import { echo, lastResultTexts, say } from './loop-setup.ts'

describe('scenarios 43 to 46', () => {
  test('43: the messages that a hook sees are its own (differs)', async () => {
    const lengths: number[] = []
    const { model } = await runHooked(
      [{ calls: [say('a'), say('b')] }, { calls: [say('c')] }, 'Done.'],
      {
        toolHooks: [
          async ({ callId: _id }, next, context) => {
            const messages = context.messages as Message[]
            expect(() => messages.push(messages[0] as Message)).toThrow(TypeError)
            lengths.push(messages.length)
            return next()
          },
        ],
      },
      { tools: [echo] },
    )

    expect(lengths).toEqual([2, 2, 4])
    expect(model.requests[2]?.messages).toHaveLength(5)
  })

  test('44: what the model puts where a person has to is dropped before hooks', async () => {
    const seen: JsonObject[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      input: z.object({ amount: z.number(), pin: z.string() }),
      askUser: ['pin'],
      execute: ({ pin }) => pin,
    })
    const { agent } = hooked([{ calls: [{ name: 'pay', input: { amount: 1, pin: 'model' } }] }, 'Done.'], {
      toolHooks: [
        ({ input }, next) => {
          seen.push(input)
          return next()
        },
      ],
    })

    const paused = await agent
      .with({ tools: [pay] })
      .turn('Hi')
      .untilDone()
    const [request] = paused.outcome.kind === 'awaiting' ? paused.outcome.pending : []
    await paused.resume?.([{ id: request?.id ?? '', allow: true, input: { pin: 'person' } }]).untilDone()

    expect(request?.input).toEqual({ amount: 1 })
    expect(seen).toEqual([{ amount: 1, pin: 'person' }])
  })

  test('45: a sync hook around an async tool gives its real result (differs)', async () => {
    const slow = tool({ name: 'slow', description: 'Slow', execute: async () => Promise.resolve('real') })
    const { model } = await runHooked(
      [{ calls: [{ name: 'slow' }] }, 'Done.'],
      { toolHooks: [(_call, next) => next()] },
      { tools: [slow] },
    )

    expect(lastResultTexts(model.requests[1])).toEqual(['real'])
  })

  test('46: of a streaming tool hooks and after see the whole, once it is drained (differs)', async () => {
    const order: string[] = []
    const stream = tool({
      name: 'stream',
      description: 'Streams',
      async *execute() {
        yield 'one '
        yield 'two'
        order.push('drained')
      },
      hooks: toolHooks({ after: ({ result }) => void order.push(`after ${result && resultText(result)}`) }),
    })
    const { model } = await runHooked(
      [{ calls: [{ name: 'stream' }] }, 'Done.'],
      { toolHooks: [async (_call, next) => resultText(await next()).toUpperCase()] },
      { tools: [stream] },
    )

    expect(order).toEqual(['drained', 'after one two'])
    expect(lastResultTexts(model.requests[1])).toEqual(['ONE TWO'])
  })
})
