import {
  createAgent,
  defineGuardrail,
  defineHooks,
  type GuardrailSubject,
  InputCheckError,
  OutputCheckError,
  StopTurn,
  structured,
} from '@turnloop/core'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { denier, leaks, masker, never, type Ran, runHooked } from './hooks-setup.ts'
import { counter, outline } from './loop-setup.ts'

describe('verdicts', () => {
  test('a returned block and a thrown one mean the same', async () => {
    const said = { trigger: 'off_topic', data: { rule: 1 } } as const
    const returned = await runHooked(['A.'], { preHooks: [() => ({ block: 'no', ...said })] })
    const thrown = await runHooked(['A.'], {
      preHooks: [
        () => {
          throw new InputCheckError('no', said)
        },
      ],
    })

    expect(returned.result.outcome).toEqual(thrown.result.outcome)
  })

  test('the other check error blocks in either phase', async () => {
    const pre = await runHooked(['A.'], {
      preHooks: [
        () => {
          throw new OutputCheckError('no')
        },
      ],
    })

    expect(pre.result.outcome).toMatchObject({ kind: 'blocked', trigger: 'output_not_allowed', phase: 'input' })
  })

  test.each(['preHooks', 'postHooks'] as const)('in %s, stop still lets checks behind it speak', async (list) => {
    const { result, entries } = await runHooked(
      ['bad answer'],
      { [list]: [() => ({ stop: 'enough' }), denier('bad')], storeRejected: 'none' },
      { input: 'bad question' },
    )

    expect(result.outcome).toMatchObject({ kind: 'blocked', hook: 'denier' })
    expect(JSON.stringify(entries)).not.toContain(list === 'preHooks' ? 'bad question' : 'bad answer')
  })

  test('in postHooks, retry still lets checks behind it speak', async () => {
    const { result, model, entries } = await runHooked(['bad answer', 'Good.'], {
      postHooks: [() => ({ retry: 'Better, please.' }), denier('bad')],
    })

    expect(result.outcome).toMatchObject({ kind: 'blocked', hook: 'denier' })
    expect(model.requests).toHaveLength(1)
    expect(JSON.stringify(entries)).not.toContain('bad answer')
  })

  test('retry of a post-hook lets the model read why and answer again', async () => {
    const { result, model } = await runHooked(['Short.', 'A longer answer.'], {
      postHooks: [({ result: { text } }) => (text.length < 8 ? { retry: 'Say more.' } : undefined)],
    })

    expect(outline(model.requests[1]?.messages ?? [])).toEqual(['user: Hi', 'assistant: Short.', 'user: Say more.'])
    expect(result.text).toBe('A longer answer.')
    expect(result.outcome).toEqual({ kind: 'completed' })
  })

  test('retries of hooks are capped at two, unless another number is given', async () => {
    const again = () => ({ retry: 'Again.' })
    const two = await runHooked(() => 'A.', { postHooks: [again] })
    const none = await runHooked(() => 'A.', { postHooks: [again], maxHookRetries: 0 })

    expect([two.model.requests.length, none.model.requests.length]).toEqual([3, 1])
    expect(two.result.outcome).toEqual({ kind: 'no-progress', reason: 'hook-retry' })
    expect(none.result.outcome).toEqual({ kind: 'no-progress', reason: 'hook-retry' })
  })

  test('retry of a pre-hook goes along with the question', async () => {
    const { model } = await runHooked(['A.'], { preHooks: [() => ({ retry: 'Mind the units.' })] })

    expect(outline(model.requests[0]?.messages ?? [])).toEqual(['user: Hi', 'user: Mind the units.'])
  })

  test('stop of a post-hook keeps the answer and names the hook', async () => {
    const { result } = await runHooked(['A.'], {
      postHooks: [
        () => {
          throw new StopTurn('enough')
        },
      ],
    })

    expect(result.outcome).toEqual({ kind: 'completed', stoppedBy: 'postHooks[0]' })
    expect(result.text).toBe('A.')
  })

  test('a value that is no verdict says nothing', async () => {
    const { result } = await runHooked(['A.'], { preHooks: [() => 7 as never, () => ({ ok: true }) as never] })

    expect(result.outcome).toEqual({ kind: 'completed' })
  })

  test('reject: blocked makes untilDone reject, after all is saved', async () => {
    const ran: Partial<Ran> = {}
    const rejecting = runHooked(
      ['A.'],
      {
        preHooks: [
          () => {
            throw new InputCheckError('Not here.', { trigger: 'house-rule', data: { rule: 7 } })
          },
        ],
        afterTurn: ({ result }) => void Object.assign(ran, { result }),
      },
      { turn: { reject: 'blocked' } },
    )

    await expect(rejecting).rejects.toMatchObject({
      code: 'blocked',
      message: 'Not here.',
      facts: { trigger: 'house-rule', data: { rule: 7 } },
    })
    expect(ran.result?.outcome.kind).toBe('blocked')
  })
})

describe('a guardrail', () => {
  test('sees the texts alone and leaves parts and roles as they are', async () => {
    const seen: GuardrailSubject[] = []
    const watcher = defineGuardrail({ name: 'watcher', check: (subject) => void seen.push(subject) as undefined })
    const file = { type: 'file', mediaType: 'image/png', data: { url: 'https://x.test/zq71' } } as const
    const { model } = await runHooked(
      ['A.'],
      { preHooks: [watcher, masker('zq71')] },
      { input: [{ type: 'text', text: 'pin zq71' }, file, { type: 'text', text: 'and zq71' }] },
    )

    expect(seen[0]).toMatchObject({ phase: 'input', texts: ['pin zq71', 'and zq71'], text: 'pin zq71\nand zq71' })
    expect(model.requests[0]?.messages[0]).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: 'pin ****' }, file, { type: 'text', text: 'and ****' }],
    })
  })

  test('for another phase than its list is refused', () => {
    const input = denier('bad', { phases: ['input'] })
    const tool = denier('bad', { phases: ['tool-result'] })

    expect(() => defineHooks({ postHooks: [input] })).toThrow(/postHooks/)
    expect(() => defineHooks({ preHooks: [tool] })).toThrow(/preHooks/)
    expect(() => defineHooks({ toolGuardrails: [input] })).toThrow(/toolGuardrails/)
    expect(() => defineHooks({ preHooks: [input], toolGuardrails: [tool] })).not.toThrow()
  })

  test('that never settles blocks at its time limit, or passes where it allows', async () => {
    const check = (): Promise<never> => never()
    const run = (onError: 'block' | 'allow') =>
      runHooked(
        ['A.'],
        { preHooks: [defineGuardrail({ name: 'slow', check, timeoutMs: 50, onError })] },
        { during: (_turn, { clock }) => clock.advance(50) },
      )

    expect((await run('block')).result.outcome).toMatchObject({ kind: 'blocked', trigger: 'validation_failed' })
    expect((await run('allow')).result.outcome).toEqual({ kind: 'completed' })
  })

  test('judges a reply that asks for tools, reasoning too, before any tool runs', async () => {
    const tool = counter('look')
    const script = [{ reasoning: 'bad thought', text: 'Looking.', calls: [{ name: 'look' }] }, 'Done.']
    const { result, entries } = await runHooked(script, { postHooks: [denier('bad')] }, { tools: [tool.tool] })

    expect(tool.runs).toBe(0)
    expect(result.outcome).toMatchObject({ kind: 'blocked', phase: 'output' })
    expect(JSON.stringify(entries)).not.toContain('bad thought')
    expect(entries.some(({ type }) => type === 'tool-settled' || type === 'tool-started')).toBe(false)
  })

  test('masks reasoning as it masks text', async () => {
    const ran = await runHooked([{ reasoning: 'pin zq71', text: 'It is zq71.' }], {
      postHooks: [masker('zq71')],
      outputMode: 'buffer',
    })

    expect(leaks('zq71', ran)).toEqual([])
    expect(ran.result.message?.content).toMatchObject([
      { type: 'reasoning', text: 'pin ****' },
      { type: 'text', text: 'It is ****.' },
    ])
  })

  test('judges what a hook that ends the turn after the model call lets stand', async () => {
    const ends = [
      { afterModelCall: () => ({ stop: 'enough' }) },
      {
        afterModelCall: () => {
          throw new Error('broken')
        },
      },
    ]
    for (const hook of ends) {
      const { entries, events } = await runHooked(['bad word'], {
        ...hook,
        postHooks: [denier('bad')],
        outputMode: 'buffer',
      })

      expect(JSON.stringify([entries, events])).not.toContain('bad word')
    }
  })

  test('judges the answer of an answer tool', async () => {
    const output = structured(z.object({ pin: z.string() }), { policy: 'tool' })
    const script = ({ tools }: { tools: readonly { name: string }[] }) => ({
      calls: [{ name: tools[0]?.name ?? '', input: { pin: 'nasty' } }],
    })
    const { result } = await runHooked(script, { postHooks: [denier('nasty')] }, { output })

    expect(result.outcome).toMatchObject({ kind: 'blocked' })
    expect(result.output).toBeUndefined()
    expect(JSON.stringify([result.text, result.messages])).not.toContain('nasty')
  })

  test('may run another agent, and fails closed where that does not complete', async () => {
    const judge = createAgent({ name: 'judge', model: scriptedModel([{ stopReason: 'safety' }]), clock: manualClock() })
    const { result } = await runHooked(['A.'], {
      preHooks: [
        defineGuardrail({
          name: 'judge',
          check: async ({ text }, { run }) => void (await run?.(judge, text)) as undefined,
        }),
      ],
    })

    expect(result.outcome).toMatchObject({ kind: 'blocked', trigger: 'validation_failed' })
  })
})
