import { type ModerationVerdict, moderation } from '@turnloop/guardrails'
import { expect, test } from 'vitest'
import { checkText, tableOf } from './check-text.ts'

const bad = async (text: string): Promise<ModerationVerdict> => ({
  flagged: /hate|Hass|仇恨/.test(text),
  categories: ['hate'],
})

test('what the service flags trips it, the rest does not', async () => {
  const { missed, falsely, line } = await tableOf(moderation({ moderate: bad }), {
    name: 'moderation',
    trips: ['I hate you', 'Hass', '仇恨'],
    passes: ['hello', 'Guten Tag', '你好', '', '  \n'],
  })

  console.log(line)
  expect({ missed, falsely }).toEqual({ missed: [], falsely: [] })
})

test('a verdict has the categories and its trigger by phase', async () => {
  const guardrail = moderation({ moderate: bad })

  expect(await checkText(guardrail, 'hate', { phase: 'tool-input' })).toEqual({
    block: 'The text was refused by moderation.',
    trigger: 'input_not_allowed',
    data: { categories: ['hate'] },
  })
  expect(await checkText(guardrail, 'hate', { phase: 'output' })).toMatchObject({ trigger: 'output_not_allowed' })
})

test('all texts go in one request, with the signal', async () => {
  const asked: unknown[] = []
  const { signal } = new AbortController()
  const guardrail = moderation({
    moderate: async (text, options) => {
      asked.push([text, options.signal === signal])
      return { flagged: false }
    },
  })

  await checkText(guardrail, ['one', 'two'], { signal })

  expect(asked).toEqual([['one\ntwo', true]])
})

test('an error of the service goes through, so that the loop blocks', async () => {
  const guardrail = moderation({ moderate: () => Promise.reject(new Error('offline')) })

  await expect(checkText(guardrail, 'x')).rejects.toThrow('offline')
})

test.each([undefined, null, {}, { flagged: 'no' }, 'ok'])(
  'an answer that is none fails the check: %j',
  async (answer) => {
    // What a service may send.
    const guardrail = moderation({ moderate: async () => answer as ModerationVerdict })

    await expect(checkText(guardrail, 'x')).rejects.toThrow('must give { flagged: true } or { flagged: false }')
  },
)

test('the service is not asked once the turn was stopped', async () => {
  const guardrail = moderation({ moderate: bad })

  await expect(checkText(guardrail, 'x', { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop')
})

test('options that cannot work are refused', () => {
  // What a page without types may pass.
  const make = (options: object) => () => moderation(options as { moderate: typeof bad })

  expect(make({})).toThrow(
    expect.objectContaining({ code: 'bad-option', message: 'moderation: "moderate" must be a function.' }),
  )
  expect(make({ moderate: bad, apiKey: 'x' })).toThrow('there is no option "apiKey"')
})

test('a name, phases, a time limit and its errors can be set', () => {
  const settings = { name: 'mine', phases: ['output'], onError: 'allow', timeoutMs: 500 } as const

  expect(moderation({ moderate: bad, ...settings })).toMatchObject({ kind: 'guardrail', ...settings })
})
