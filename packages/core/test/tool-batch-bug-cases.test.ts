import { type JsonObject, type Tool, tool } from '@turnloop/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { answers, type GivenCall, settleAll, starts, statuses } from './run-batch.ts'
import { isDeepFrozen } from './turn-setup.ts'

/** A tool that keeps what it ran with. */
function keeper(name: string, input: z.ZodObject): { readonly tool: Tool; readonly inputs: unknown[] } {
  const inputs: unknown[] = []
  const execute = (value: unknown): string => {
    inputs.push(value)
    return 'kept'
  }
  return { tool: tool({ name, description: name, input, effect: 'read', execute }), inputs }
}

const CUT: GivenCall = ['show', '{"html":"<p>hel']

test.each<[string, { outputTokens?: number; maxOutputTokens?: number }, boolean]>([
  ['at the limit say that they were probably cut', { outputTokens: 64, maxOutputTokens: 64 }, true],
  ['below the limit do not', { outputTokens: 63, maxOutputTokens: 64 }, false],
  ['without a limit do not', { outputTokens: 64 }, false],
  ['without usage do not', { maxOutputTokens: 64 }, false],
  ['without either do not', {}, false],
])('B2: broken arguments %s', async (_what, sizes, isHinted) => {
  const show = keeper('show', z.object({ html: z.string() }))
  const batch = await settleAll([CUT], { tools: [show.tool], ...sizes })
  const [[status, text] = []] = answers(batch)
  expect([status, show.inputs, text?.includes('probably cut')]).toEqual(['error', [], isHinted])
  expect(text).toMatch(/not valid JSON/)
})

test('B2: a whole call at the limit runs', async () => {
  const show = keeper('show', z.object({ html: z.string() }))
  const sizes = { outputTokens: 64, maxOutputTokens: 64 }
  const batch = await settleAll([['show', { html: '<p>' }]], { tools: [show.tool], ...sizes })
  expect([statuses(batch), show.inputs]).toEqual([['ok'], [{ html: '<p>' }]])
})

const pick = z.object({ ids: z.array(z.number()), note: z.string() })
const put = z.object({ value: z.union([z.string(), z.object({ a: z.number() })]) })
const search = z.object({ t: z.string(), max: z.number().optional(), min: z.number().nullable().optional() })

test.each<[string, z.ZodObject, JsonObject, JsonObject]>([
  ['B5: a list sent as text, decoded', pick, { ids: '[3,5]', note: '[3,5]' }, { ids: [3, 5], note: '[3,5]' }],
  ['B5: text where text or an object may stand', put, { value: '{"a":1}' }, { value: '{"a":1}' }],
  ['B6: null for an optional field, left out', search, { t: 'kettles', max: null }, { t: 'kettles' }],
  ['B6: null for a nullable field', search, { t: 'kettles', min: null }, { t: 'kettles', min: null }],
])('%s, is recorded as the tool gets it', async (_what, schema, sent, input) => {
  const target = keeper('target', schema)
  const batch = await settleAll([['target', sent]], { tools: [target.tool] })
  const [started] = starts(batch)
  expect([started?.input, target.inputs]).toEqual([input, [input]])
  expect(isDeepFrozen(started?.input)).toBe(true)
})

test.each(['null', '5', '"x"', '[]', '{"t":5}', '{"t":', '"[1]"'])(
  'B7: the arguments %s fail alone, the calls around them run',
  async (inputText) => {
    const target = keeper('target', z.object({ t: z.string() }))
    const calls: GivenCall[] = [
      ['target', { t: 'before' }],
      ['target', inputText],
      ['target', { t: 'after' }],
    ]
    const batch = await settleAll(calls, { tools: [target.tool] })
    expect(statuses(batch)).toEqual(['ok', 'error', 'ok'])
    expect(target.inputs).toEqual([{ t: 'before' }, { t: 'after' }])
    expect(starts(batch).map(({ callId }) => callId)).toEqual(['c0', 'c2'])
  },
)

test.each(['', ' ', '\n'])('B3: blank arguments %j are recorded as none', async (inputText) => {
  const now = keeper('now', z.object({ zone: z.string().optional() }))
  const batch = await settleAll([['now', inputText]], { tools: [now.tool] })
  expect([starts(batch)[0]?.input, now.inputs]).toEqual([{}, [{}]])
})

test('B3: blank arguments where some are required are an ordinary misfit', async () => {
  const find = keeper('find', z.object({ query: z.string() }))
  const batch = await settleAll([['find', '']], { tools: [find.tool] })
  expect(answers(batch)).toEqual([['error', expect.stringMatching(/^find: the arguments do not fit.*\n- query: /)]])
})
