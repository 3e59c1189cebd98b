import {
  createAgent,
  defineGuardrail,
  defineHook,
  defineHooks,
  InputCheckError,
  type JsonObject,
  ModelError,
  OutputCheckError,
  StopTurn,
  systemClock,
} from '@turnloop/core'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { askedText, denier, hooked, runHooked } from './hooks-setup.ts'
import { outline } from './loop-setup.ts'

describe('scenarios 1 to 10', () => {
  test('1: pre and post hooks fire once each, in list order', async () => {
    const fired: string[] = []
    const note = (name: string) => (): void => void fired.push(name)

    await runHooked(['Hello.'], { preHooks: [note('a'), note('b')], postHooks: [note('c'), note('d')] })

    expect(fired).toEqual(['a', 'b', 'c', 'd'])
  })

  test('2: the model is asked what a pre-hook has written', async () => {
    const { model, entries } = await runHooked(['Hello.'], { preHooks: [() => ({ replace: 'Bonjour' })] })

    expect(askedText(model.requests[0])).toBe('Bonjour')
    expect(JSON.stringify(entries)).not.toContain('"Hi"')
  })

  test('3: each pre-hook sees what those before have added', async () => {
    const seen: string[] = []
    const append =
      (suffix: string) =>
      ({ input }: { input: { text: string } }) => {
        input.text += suffix
      }

    const record = ({ input }: { input: { text: string } }): void => void seen.push(input.text)
    const { model } = await runHooked(['Hello.'], { preHooks: [append('1'), append('2'), append('3'), record] })

    expect(seen).toEqual(['Hi123'])
    expect(askedText(model.requests[0])).toBe('Hi123')
  })

  test('4: post-hooks replace the answer, each what the one before left', async () => {
    const { result } = await runHooked(['Hello.'], {
      postHooks: [
        ({ result: { text } }) => ({ replace: `${text}1` }),
        async ({ result: { text } }) => ({ replace: `${text}2` }),
        ({ result }) => {
          result.text += '3'
        },
      ],
    })

    expect(result.text).toBe('Hello.123')
    expect(result.outcome).toEqual({ kind: 'completed' })
  })

  test('5: the next turn reads the replaced answer (differs)', async () => {
    const { agent, model } = hooked(['Hello.', 'Again.'], { postHooks: [() => ({ replace: 'Replaced.' })] })

    const first = await agent.turn('Hi').untilDone()
    await agent.turn([...first.messages, userSays('More')]).untilDone()

    expect(outline(model.requests[1]?.messages ?? [])).toEqual(['user: Hi', 'assistant: Replaced.', 'user: More'])
  })

  test('6: sync and async hooks are awaited in order', async () => {
    const fired: string[] = []
    const sync = (name: string) => (): void => void fired.push(name)
    const late = (name: string) => async (): Promise<undefined> => {
      await Promise.resolve().then(() => Promise.resolve())
      fired.push(name)
    }

    await runHooked(['Hello.'], { preHooks: [late('a'), sync('b'), late('c')], postHooks: [late('d'), sync('e')] })

    expect(fired).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('7: a plain hook that throws does not keep the others from running', async () => {
    const fired: string[] = []
    const fail = (): never => {
      throw new Error('broken')
    }
    const hooks = [() => void fired.push('a'), fail, () => void fired.push('b')]

    const { result } = await runHooked(['Hello.'], { preHooks: hooks, postHooks: hooks })

    expect(fired).toEqual(['a', 'b', 'a', 'b'])
    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(result.hookErrors.map(({ hook, slot, error }) => [hook, slot, error.message])).toEqual([
      ['preHooks[1]', 'preHooks', 'broken'],
      ['postHooks[1]', 'postHooks', 'broken'],
    ])
  })

  test('8: an input check that fails asks no model and skips every later hook', async () => {
    const fired: string[] = []
    const check = (): never => {
      throw new InputCheckError('Not here.', { data: { rule: 7 } })
    }

    const { result, model, entries } = await runHooked(['Hello.'], {
      preHooks: [check, () => void fired.push('later')],
      postHooks: [() => void fired.push('post')],
    })

    expect(result.outcome).toEqual({
      kind: 'blocked',
      source: 'guardrail',
      trigger: 'input_not_allowed',
      errorId: 'input_not_allowed',
      hook: 'preHooks[0]',
      slot: 'preHooks',
      phase: 'input',
      message: 'Not here.',
      data: { rule: 7 },
    })
    expect(result.text).toBe('Not here.')
    expect(fired).toEqual([])
    expect(model.requests).toHaveLength(0)
    expect(JSON.stringify(entries)).not.toContain('"Hi"')
    expect(result.messages).toEqual([])
  })

  test('9: an answer that fails its check gives way to the safe message (differs)', async () => {
    const check = (): never => {
      throw new OutputCheckError('Not that.')
    }

    const { result, entries } = await runHooked(['Rude.'], { postHooks: [check], safeMessage: 'Sorry.' })

    expect(result.outcome).toMatchObject({ kind: 'blocked', trigger: 'output_not_allowed', phase: 'output' })
    expect(result.text).toBe('Sorry.')
    expect(result.message?.synthetic).toBe('blocked')
    expect(JSON.stringify(entries)).not.toContain('Rude')
    expect(result.usage.totalTokens).toBe(15)
  })

  test('9: the safe message has a default', async () => {
    const { result } = await runHooked(['Rude.'], { postHooks: [() => ({ block: 'no' })] })

    expect(result.text).toBe('This answer was withheld.')
  })

  test('10: after a post-hook that blocks no other runs', async () => {
    const fired: string[] = []

    await runHooked(['Rude.'], { postHooks: [() => ({ block: 'no' }), () => void fired.push('second')] })

    expect(fired).toEqual([])
  })
})

describe('scenarios 11 to 19', () => {
  test('11: a trigger of the caller is the id of the error', async () => {
    const { result, events } = await runHooked(['Hello.'], {
      preHooks: [
        () => {
          throw new InputCheckError('no', { trigger: 'house-rule' })
        },
      ],
    })

    expect(result.outcome).toMatchObject({ trigger: 'house-rule', errorId: 'house-rule' })
    const blocked = events.find(({ type }) => type === 'hook-blocked')
    expect(blocked).toMatchObject({ error: { code: 'blocked', message: 'no' } })
  })

  test('12: hooks read the metadata of their turn, in every view', async () => {
    const seen: JsonObject[] = []
    const note = ({ metadata }: { metadata: JsonObject }): void => void seen.push(metadata)
    const { agent } = hooked(() => 'Hello.', { preHooks: [note], postHooks: [note] })

    await agent.turn('Hi', { metadata: { tenant: 'a' } }).untilDone()
    for await (const _event of agent.turn('Hi', { metadata: { tenant: 'b' } }).events());

    expect(seen).toEqual([{ tenant: 'a' }, { tenant: 'a' }, { tenant: 'b' }, { tenant: 'b' }])
  })

  test('13: an explicit debug of false wins over the agent', async () => {
    const seen: boolean[] = []
    const lines: unknown[] = []
    const log = (line: unknown): void => void lines.push(line)
    const logger = { debug: log, info: log, warn: log, error: log }
    const note = ({ debug, logger: own }: { debug: boolean; logger: typeof logger }): void => {
      seen.push(debug)
      own.debug('fine')
      own.info('coarse')
    }
    const { agent } = hooked(() => 'Hello.', { preHooks: [note] }, { debug: true, logger })

    await agent.turn('Hi', { debug: false }).untilDone()
    await agent.turn('Hi').untilDone()

    expect(seen).toEqual([false, true])
    expect(lines).toEqual(['coarse', 'fine', 'coarse'])
  })

  test('14: extra options cannot shadow what hooks are told (differs)', async () => {
    const seen: unknown[] = []
    const { result } = await runHooked(
      ['Hello.'],
      { postHooks: [({ extra, result: { text }, state }) => void seen.push(extra, text, state)] },
      { turn: { extra: { result: 'mine', state: 'mine' } } },
    )

    expect(seen).toEqual([{ result: 'mine', state: 'mine' }, 'Hello.', {}])
    expect(result.outcome.kind).toBe('completed')
  })

  test('15: a guardrail that crashes blocks, unless it says allow (differs)', async () => {
    const check = (): never => {
      throw new TypeError('x is undefined')
    }

    const closed = await runHooked(['Hello.'], { preHooks: [defineGuardrail({ name: 'g', check })] })
    const open = await runHooked(['Hello.'], { preHooks: [defineGuardrail({ name: 'g', check, onError: 'allow' })] })

    expect(closed.result.outcome).toMatchObject({ kind: 'blocked', trigger: 'validation_failed', hook: 'g' })
    expect(closed.model.requests).toHaveLength(0)
    expect(open.result.outcome).toEqual({ kind: 'completed' })
  })

  test('16: a guardrail of a derived agent is enforced, whatever came before (differs)', async () => {
    const { agent } = hooked(() => 'Hello.', { preHooks: [() => {}] })
    await agent.turn('bad word').untilDone()

    const derived = agent.with({ hooks: defineHooks({ preHooks: [denier('bad')] }) })
    const outcomes = [await derived.turn('bad word').untilDone()]
    for await (const event of derived.turn('bad word').events())
      if (event.type === 'turn-ended') outcomes.push({ ...outcomes[0], outcome: event.outcome } as never)
    outcomes.push(await derived.turn('bad word').untilDone())
    const seen: string[] = []
    for await (const message of derived.turn('bad word')) seen.push(message.id)

    expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['blocked', 'blocked', 'blocked'])
    expect(seen).toEqual([])
  })

  test('17: a pre-hook runs once although the model is tried twice (differs)', async () => {
    const script = [{ throws: new ModelError('model-overloaded', 'busy') }, 'Hello.']
    const { model, result } = await runHooked(
      script,
      { preHooks: [({ input }) => ({ replace: `${input.text}!` })] },
      { retry: { attempts: 2, baseDelayMs: 0 }, clock: systemClock },
    )

    expect(result.outcome.kind).toBe('completed')
    expect(model.requests.map(askedText)).toEqual(['Hi!', 'Hi!'])
  })

  test('18: empty lists change nothing', async () => {
    const { result } = await runHooked(['Hello.'], { preHooks: [], postHooks: [], toolHooks: [], toolGuardrails: [] })
    const model = scriptedModel(['Hello.'])
    const none = await createAgent({ model, clock: manualClock(), hooks: [] }).turn('Hi').untilDone()

    expect([result.text, none.text]).toEqual(['Hello.', 'Hello.'])
  })

  test('19: a hook that throws a cancel ends the turn cancelled (differs)', async () => {
    const cancel = (): never => {
      throw new DOMException('changed my mind', 'AbortError')
    }

    const { result, model } = await runHooked(['Hello.'], { preHooks: [cancel] })

    expect(result.outcome).toMatchObject({ kind: 'cancelled', reason: { message: 'changed my mind' } })
    expect(model.requests).toHaveLength(0)
  })

  test('19: a hook that throws StopTurn ends the turn completed by it (differs)', async () => {
    const stop = defineHook({
      name: 'closing-time',
      run: () => {
        throw new StopTurn('closed')
      },
    })

    const { result, model } = await runHooked(['Hello.'], { preHooks: [stop] })

    expect(result.outcome).toEqual({ kind: 'completed', stoppedBy: 'closing-time' })
    expect(model.requests).toHaveLength(0)
  })
})

function userSays(text: string) {
  return { id: text, role: 'user', createdAt: 0, content: [{ type: 'text', text }] } as const
}
