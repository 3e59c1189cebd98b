import {
  CheckError,
  defineGuardrail,
  type GuardrailOptions,
  InputCheckError,
  OutputCheckError,
  runGuardrails,
} from '@turnloop/core'
import { manualClock } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'

const context = { turnId: 't', signal: new AbortController().signal }

function guard(check: GuardrailOptions['check'], more: Partial<GuardrailOptions> = {}) {
  return defineGuardrail({ name: 'g', check, ...more })
}

function run(...guards: ReturnType<typeof guard>[]) {
  return runGuardrails(guards, { phase: 'input', texts: ['one', 'two'] }, context)
}

test('without an objection the texts go on as they are', async () => {
  expect(await run(guard(() => undefined))).toEqual({ texts: ['one', 'two'], reports: [] })
})

test('each sees what the one before left', async () => {
  const upper = guard(({ texts }) => ({ replace: texts.map((text) => text.toUpperCase()), data: { kind: 'case' } }))
  const seen: string[] = []
  const look = guard(({ text }) => void seen.push(text))
  expect(await run(upper, look)).toEqual({
    texts: ['ONE', 'TWO'],
    reports: [{ guardrail: 'g', data: { kind: 'case' } }],
  })
  expect(seen).toEqual(['ONE\nTWO'])
})

test('the first block ends it', async () => {
  const later: string[] = []
  const blocking = guard(() => ({ block: 'No.', trigger: 'off_topic', data: { rule: 1 } }))
  const result = await run(
    blocking,
    guard(() => void later.push('ran')),
  )
  expect(result).toEqual({ blocked: { guardrail: 'g', message: 'No.', trigger: 'off_topic', data: { rule: 1 } } })
  expect(later).toEqual([])
})

test('one for another phase is left out', async () => {
  expect(await run(guard(() => ({ block: 'No.' }), { phases: ['output'] }))).toMatchObject({ texts: ['one', 'two'] })
})

test.each([
  [new InputCheckError('No.'), 'input_not_allowed'],
  [new OutputCheckError('No.'), 'output_not_allowed'],
  [new CheckError('No.'), 'validation_failed'],
  [new InputCheckError('No.', { trigger: 'mine' }), 'mine'],
])('a thrown check error blocks: %s', async (error, trigger) => {
  const throwing = guard(() => {
    throw error
  })
  expect(await run(throwing)).toMatchObject({ blocked: { message: 'No.', trigger } })
})

describe('fails closed', () => {
  const broken: [string, GuardrailOptions['check']][] = [
    ['what it throws', () => Promise.reject(new Error('Down.'))],
    ['a verdict that is none', () => 'fine' as never],
    ['null', () => null as never],
    ['a misspelt verdict', () => ({ blocked: 'No.' }) as never],
    ['too few texts', () => ({ replace: ['one'] })],
    ['texts that are none', () => ({ replace: ['one', 2] }) as never],
  ]
  test.each(broken)('on %s', async (_what, check) => {
    expect(await run(guard(check))).toMatchObject({ blocked: { trigger: 'validation_failed' } })
    expect(await run(guard(check, { onError: 'allow' }))).toMatchObject({ texts: ['one', 'two'] })
  })

  test('on its time limit', async () => {
    const clock = manualClock()
    const hanging = guard(() => new Promise(() => {}), { timeoutMs: 1000 })
    const done = runGuardrails([hanging], { phase: 'input', texts: ['x'] }, { ...context, clock })
    await clock.advance(1000)
    expect(await done).toMatchObject({ blocked: { message: expect.stringMatching(/1000 ms/) } })
    expect(clock.pending).toBe(0)
  })
})

test('Stop ends it, whatever the guardrail does', async () => {
  const controller = new AbortController()
  const hanging = guard(() => new Promise(() => {}), { onError: 'allow' })
  const done = runGuardrails([hanging], { phase: 'input', texts: ['x'] }, { turnId: 't', signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(done).rejects.toThrow('enough')
})
