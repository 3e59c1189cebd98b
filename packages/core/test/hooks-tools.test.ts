import {
  defineToolHook,
  InputCheckError,
  type JsonObject,
  RetryModel,
  StopTurn,
  type ToolHook,
  tool,
  toolHooks,
} from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { runHooked, unclosed } from './hooks-setup.ts'
import { counter, echo, lastResults, lastResultTexts, outline, recorder, say } from './loop-setup.ts'

/** Calls the echo tool once, then says that it is done. */
const once = [{ calls: [say('a')] }, 'Done.']

function noting(name: string, order: string[]): ToolHook {
  return async (_call, next) => {
    order.push(`${name} before`)
    const result = await next()
    order.push(`${name} after`)
    return result
  }
}

describe('scenarios 32 to 36', () => {
  test('32: hooks A and B stand around the tool, A outermost', async () => {
    const order: string[] = []
    const look = tool({ name: 'look', description: 'Looks', execute: () => void order.push('tool') })

    await runHooked(
      [{ calls: [{ name: 'look' }] }, 'Done.'],
      { toolHooks: [noting('A', order), noting('B', order)] },
      { tools: [look] },
    )

    expect(order).toEqual(['A before', 'B before', 'tool', 'B after', 'A after'])
  })

  test('33: what A passes is what B and the tool get (differs)', async () => {
    const seen: JsonObject[] = []
    const { tool: record, inputs } = recorder('record', z.object({ text: z.string() }))
    const { entries } = await runHooked(
      [{ calls: [{ name: 'record', input: { text: 'a' } }] }, 'Done.'],
      {
        toolHooks: [
          ({ input }, next) => next({ ...input, text: 'b' }),
          ({ input, modelInput }, next) => {
            seen.push(input, modelInput)
            return next()
          },
        ],
      },
      { tools: [record] },
    )

    expect(seen).toEqual([{ text: 'b' }, { text: 'a' }])
    expect(inputs).toEqual([{ text: 'b' }])
    expect(entries.find(({ type }) => type === 'tool-started')).toMatchObject({
      input: { text: 'b' },
      modelInput: { text: 'a' },
    })
  })

  test('33: arguments can be added to a call that had none (differs)', async () => {
    const { tool: record, inputs } = recorder('record', z.object({ tenant: z.string().optional() }))

    await runHooked(
      [{ calls: [{ name: 'record' }] }, 'Done.'],
      { toolHooks: [(_call, next) => next({ tenant: 'a' })] },
      { tools: [record] },
    )

    expect(inputs).toEqual([{ tenant: 'a' }])
  })

  test('33: arguments cannot be changed in place (differs)', async () => {
    const { tool: record, inputs } = recorder('record', z.object({ text: z.string() }))
    const { result } = await runHooked(
      [{ calls: [{ name: 'record', input: { text: 'a' } }] }, 'Done.'],
      {
        toolHooks: [
          ({ input }, next) => {
            ;(input as { text: string }).text = 'b'
            return next()
          },
        ],
      },
      { tools: [record] },
    )

    expect(inputs).toEqual([])
    expect(result.hookErrors[0]?.error.message).toMatch(/read.?only/)
  })

  test('33: rewritten arguments are checked again (differs)', async () => {
    const { tool: record, inputs } = recorder('record', z.object({ text: z.string() }))
    const { model } = await runHooked(
      [{ calls: [{ name: 'record', input: { text: 'a' } }] }, 'Done.'],
      { toolHooks: [(_call, next) => next({ text: 7 })] },
      { tools: [record] },
    )

    expect(inputs).toEqual([])
    expect(lastResults(model.requests[1])[0]?.status).toBe('error')
  })

  test('34: a hook that does not go on answers in the place of the tool', async () => {
    const { tool: look, ...runs } = counter('look')
    const answers: unknown[] = ['cached', null, { a: 1 }]
    const { model } = await runHooked(
      [{ calls: [{ name: 'look' }, { name: 'look' }, { name: 'look' }] }, 'Done.'],
      { toolHooks: [() => answers.shift()] },
      { tools: [look], toolExecution: 'sequential' },
    )

    expect(runs.runs).toBe(0)
    expect(lastResultTexts(model.requests[1])).toEqual(['cached', '', '{"a":1}'])
    expect(lastResults(model.requests[1]).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
  })

  test('35: hooks of the agent stand around those of the tool, and both run (differs)', async () => {
    const order: string[] = []
    const look = tool({
      name: 'look',
      description: 'Looks',
      execute: () => void order.push('tool'),
      hooks: toolHooks({ around: [noting('T', order)] }),
    })

    await runHooked([{ calls: [{ name: 'look' }] }, 'Done.'], { toolHooks: [noting('A', order)] }, { tools: [look] })

    expect(order).toEqual(['A before', 'T before', 'tool', 'T after', 'A after'])
  })

  test('36: an ordinary error of a hook is an error result, and the turn goes on', async () => {
    const fail = (): never => {
      throw new Error('not today')
    }
    const { result, model } = await runHooked(once, { toolHooks: [fail] }, { tools: [echo] })

    expect(lastResults(model.requests[1])).toMatchObject([{ status: 'error', result: { isError: true } }])
    expect(lastResultTexts(model.requests[1])[0]).toContain('not today')
    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(result.hookErrors).toHaveLength(1)
  })
})

describe('scenarios 37 to 40', () => {
  test('37: RetryModel lets the model read a word after the results, capped (differs)', async () => {
    const again = (): never => {
      throw new RetryModel('Use the other source.')
    }
    const script = (_request: unknown, index: number) => ({ calls: [say(`try ${index}`)] })
    const { result, model } = await runHooked(script, { toolHooks: [again] }, { tools: [echo] })

    expect(outline(model.requests[1]?.messages.slice(-2) ?? [])).toEqual(['tool: error', 'user: Use the other source.'])
    expect(model.requests).toHaveLength(3)
    expect(result.outcome).toEqual({ kind: 'no-progress', reason: 'hook-retry' })
  })

  test('38: StopTurn ends the turn, and what comes later is not run (differs)', async () => {
    const { tool: look, ...later } = counter('look')
    const stop = defineToolHook({
      name: 'closing-time',
      match: 'echo',
      run: () => {
        throw new StopTurn('closed')
      },
    })
    const { result, model } = await runHooked(
      [{ calls: [say('a'), { name: 'look' }] }],
      { toolHooks: [stop] },
      { tools: [echo, look], toolExecution: 'sequential' },
    )

    expect(model.requests).toHaveLength(1)
    expect(later.runs).toBe(0)
    expect(lastResults(result).map(({ status }) => status)).toEqual(['error', 'not-run'])
    expect(result.outcome).toEqual({ kind: 'completed', stoppedBy: 'closing-time' })
  })

  test('39: a check error of a tool hook ends the turn blocked (differs)', async () => {
    const check = defineToolHook({
      name: 'policy',
      run: () => {
        throw new InputCheckError('No access.', { trigger: 'no-access' })
      },
    })
    const { result, model, events } = await runHooked(once, { toolHooks: [check] }, { tools: [echo] })

    expect(model.requests).toHaveLength(1)
    expect(result.outcome).toMatchObject({
      kind: 'blocked',
      hook: 'policy',
      slot: 'toolHooks',
      trigger: 'no-access',
      errorId: 'no-access',
      message: 'No access.',
    })
    expect(lastResults(result)).toHaveLength(1)
    expect(unclosed(events)).toEqual([])
  })

  test('39: so does one of a tool itself (differs)', async () => {
    const look = tool({
      name: 'look',
      description: 'Looks',
      execute: () => {
        throw new InputCheckError('No access.')
      },
    })
    const { result } = await runHooked([{ calls: [{ name: 'look' }] }], {}, { tools: [look] })

    expect(result.outcome).toMatchObject({ kind: 'blocked', hook: 'look', trigger: 'input_not_allowed' })
  })

  test('40: a hook that catches the error of a tool makes it a success', async () => {
    const fail = tool({
      name: 'fail',
      description: 'Fails',
      execute: () => {
        throw new Error('down')
      },
    })
    const { result, model } = await runHooked(
      [{ calls: [{ name: 'fail' }] }, 'Done.'],
      { toolHooks: [(_call, next) => next().catch(() => 'fallback')] },
      { tools: [fail] },
    )

    expect(lastResults(model.requests[1])).toMatchObject([{ status: 'ok' }])
    expect(lastResultTexts(model.requests[1])).toEqual(['fallback'])
    expect(result.hookErrors).toEqual([])
  })
})
